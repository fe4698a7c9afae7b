/**
 * The one ordering rule: archive bytes durable -> captures -> links admitted -> leases settled.
 *
 * A crash between two of these repeats a visit; it never loses one. `seal` is the first arrow and runs in the visit
 * thread that owns the archive file; `commit` is the rest, one transaction on the control thread. The type `Sealed`
 * keeps the order: nothing else makes one, and nothing else can be committed.
 */
import type { ArchiveMark } from "../model/capture.ts";
import type { HostState } from "../model/host.ts";
import type { RequestRecord } from "../model/request.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Errand, Sealed, Visited } from "../model/visited.ts";
import type { Archive } from "../ports/archive.ts";
import type { CommitReport, Frontier, Settled } from "../ports/frontier.ts";

/** Makes the archive bytes of these visits durable. They must all have been appended before the call. */
export async function seal(
  visits: readonly Visited[],
  unasked: readonly Errand[],
  archive: Pick<Archive, "sync">,
  signal?: AbortSignal,
): Promise<Sealed> {
  const marks = await archive.sync(signal);
  return { visits, unasked, marks } as unknown as Sealed;
}

/** What was judged of sealed visits, and of leases that ended without one. */
export interface Judged {
  readonly sealed: readonly Sealed[];
  readonly settled: readonly Settled[];
  readonly hosts: readonly HostState[];
  readonly robots: readonly RobotsCopy[];
  readonly requests: readonly RequestRecord[];
  /** Marks of outputs written by the control thread (pages.jsonl). */
  readonly outputs: readonly ArchiveMark[];
}

export function commit(judged: Judged, frontier: Pick<Frontier, "commit">): Promise<CommitReport> {
  const marks = [...judged.sealed.flatMap((one) => one.marks), ...judged.outputs];
  const { settled, hosts, robots, requests } = judged;
  return frontier.commit({ settled, hosts, robots, requests, marks });
}
