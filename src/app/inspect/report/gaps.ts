/** The gaps that were kept between requests, found in one pass over them: per host, per address, and what broke the promise. */

import type { Instant } from "../../../base/clock.ts";
import type { Stream } from "../../../base/streamed.ts";
import type { RequestRecord } from "../../../model/request.ts";

/** What was promised from a moment on. */
export interface Pace {
  readonly from: Instant;
  /** From the moment a place was free to the start of the next request, in ms; null: nothing, others asked (an import). */
  readonly gapMs: number | null;
  /** Requests that may be open at once to one host, and to one address. */
  readonly atOnce: number;
}

/** What was kept towards one host or one address. */
export interface KeptGap {
  readonly name: string;
  readonly requests: number;
  /**
   * The smallest; null when there was none. With one request at a time: from the end of one to the start of the next,
   * negative when they overlapped. With n at a time: from when fewer than n were open.
   */
  readonly smallestMs: number | null;
  /** When the request started that came after the smallest gap. */
  readonly at: Instant | null;
}

export interface Breach {
  readonly of: "host" | "address";
  readonly name: string;
  readonly gapMs: number;
  readonly promisedMs: number;
  readonly at: Instant;
  readonly href: string;
  /** What had been asked before. */
  readonly before: string;
}

export interface Gaps {
  readonly requests: number;
  /** The closest first. */
  readonly hosts: readonly KeptGap[];
  readonly addresses: readonly KeptGap[];
  readonly breaches: number;
  readonly firstBreaches: readonly Breach[];
}

/** So many breaches are told one by one; the others are counted. */
const TOLD = 20;

/**
 * `requests` in order of their start; of those that nothing was promised for (imported ones, files), only the number is
 * told. `paces` in order of time, the first from the beginning on. Memory is by hosts and addresses, not by requests.
 */
export async function gapsOf(requests: Stream<RequestRecord>, paces: readonly Pace[]): Promise<Gaps> {
  const most = Math.max(...paces.map(({ atOnce }) => atOnce));
  const hosts = new Map<string, Kept>();
  const addresses = new Map<string, Kept>();
  const firstBreaches: Breach[] = [];
  let [count, breaches, nth] = [0, 0, 0];
  for await (const request of requests) {
    count++;
    while (nth + 1 < paces.length && paces[nth + 1]!.from <= request.startedAt) nth++;
    const isLocal = request.address === ""; // a file: nobody was asked
    for (const [of, known, name] of [
      ["host", hosts, request.host],
      ["address", addresses, request.address],
    ] as const) {
      if (isLocal && of === "address") continue;
      const kept = known.get(name) ?? newKept(name);
      known.set(name, kept);
      kept.requests++;
      const pace = paces[nth]!;
      if (!isPromised(pace) || isLocal) continue;
      const breach = take(kept, request, pace);
      if (breach !== null && ++breaches <= TOLD) firstBreaches.push({ of, name, ...breach });
      remember(kept, request, most);
    }
  }
  return { requests: count, hosts: inOrder(hosts), addresses: inOrder(addresses), breaches, firstBreaches };
}

type Promised = Pace & { readonly gapMs: number };

const isPromised = (pace: Pace): pace is Promised => pace.gapMs !== null;

interface Kept {
  readonly name: string;
  requests: number;
  smallestMs: number | null;
  at: Instant | null;
  /** The requests that ended last so far, the last at the end: as many as may ever be open at once. */
  readonly last: RequestRecord[];
}

const newKept = (name: string): Kept => ({ name, requests: 0, smallestMs: null, at: null, last: [] });

function take(kept: Kept, request: RequestRecord, pace: Promised): Omit<Breach, "of" | "name"> | null {
  const before = kept.last.at(-pace.atOnce);
  if (before === undefined) return null;
  const gapMs = request.startedAt - before.endedAt;
  if (kept.smallestMs === null || gapMs < kept.smallestMs) {
    kept.smallestMs = gapMs;
    kept.at = request.startedAt;
  }
  if (gapMs >= pace.gapMs) return null;
  return { gapMs, promisedMs: pace.gapMs, at: request.startedAt, href: request.href, before: before.href };
}

function remember({ last }: Kept, request: RequestRecord, most: number): void {
  let at = last.length;
  while (at > 0 && last[at - 1]!.endedAt > request.endedAt) at--;
  last.splice(at, 0, request);
  if (last.length > most) last.shift();
}

function inOrder(kept: ReadonlyMap<string, Kept>): KeptGap[] {
  const gap = ({ smallestMs }: Kept): number => smallestMs ?? Number.POSITIVE_INFINITY;
  return [...kept.values()]
    .sort((a, b) => (gap(a) === gap(b) ? 0 : gap(a) - gap(b)))
    .map(({ name, requests, smallestMs, at }) => ({ name, requests, smallestMs, at }));
}
