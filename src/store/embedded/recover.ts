/**
 * What memory held, found again from the tables: the seen set, what has ended, and every queue.
 *
 * The journal alone is read from end to end (16 bytes a URL, 8 an end), never the wide tables. With a snapshot the seen
 * set and the ends are filled from its position on; the queues are always found from the whole of it.
 */
import type { DatabaseSync } from "node:sqlite";
import type { HostKey } from "../../model/host.ts";
import { PRIORITIES } from "../../model/link.ts";
import { ActiveHost } from "./active-host.ts";
import { type Ending, type Reasons, readAdmitted, readEnded } from "./journal.ts";
import type { KnownUrls } from "./known.ts";
import { ChunkedQueue } from "./queue.ts";
import type { Schedule } from "./schedule.ts";
import { wordsOf } from "./words.ts";

export interface Memory {
  /** As of its `from`. */
  readonly known: KnownUrls;
  readonly schedule: Schedule;
  /** Ids that have a row in `retry`. */
  readonly retried: Set<number>;
}

/** The parts of queues that are on disk. The arrays of ids are by host and class: `slotOf`. */
interface OnDisk {
  readonly firstIds: Uint32Array;
  /** 0 where nothing is on disk. */
  readonly lastIds: Uint32Array;
  /** By host and class; sparse. */
  readonly queues: (ChunkedQueue[] | undefined)[];
}

const slotOf = (hostId: number, priority: number): number => hostId * PRIORITIES + priority;

/** Fills memory, of which `known` holds what was known at its `from` and the rest is empty. */
export function recover(db: DatabaseSync, reasons: Reasons, { known, schedule, retried }: Memory): void {
  countEnds(db, reasons, known);
  const hosts = knownHosts(db);
  const { firstIds, lastIds, queues } = chunkRanges(db, hosts.length);
  const retries = new Map(
    db
      .prepare("SELECT url_id, attempt, at FROM retry")
      .all()
      .map(({ url_id, attempt, at }) => [url_id as number, { attempt: attempt as number, at: at as number }]),
  );
  for (const id of retries.keys()) retried.add(id);
  /** URLs in chunks, by host: counted here first, since they are most, and touching a host for each would cost more than all else. */
  const inChunks = new Uint32Array(hosts.length);
  const active = new Set<ActiveHost>();
  readAdmitted(db, (id, fpHi, fpLo, hostId, priority) => {
    known.recallAdmitted(id, fpHi, fpLo);
    if (known.hasEnded(id)) return true;
    const slot = slotOf(hostId, priority);
    const retry = retries.size === 0 ? undefined : retries.get(id);
    if (retry === undefined && id >= firstIds[slot]! && id <= lastIds[slot]!) {
      inChunks[hostId]!++;
      return true;
    }
    const host = activated(hostId);
    schedule.admit(host);
    if (retry !== undefined) schedule.delay(id, host, retry.attempt, retry.at);
    else if (id > lastIds[slot]!) host.push(id, priority);
    else {
      host.queued++;
      queues[hostId]![priority]!.pushHead(id);
    }
    return true;
  });
  inChunks.forEach((count, hostId) => {
    if (count === 0) return;
    const host = activated(hostId);
    schedule.admit(host, count);
    host.queued += count;
  });
  for (const host of active) schedule.place(host);

  function activated(hostId: number): ActiveHost {
    const host = hosts[hostId]!;
    if (host.pending > 0) return host; // each is given a URL as soon as it is active
    active.add(host);
    schedule.remember(host);
    queues[hostId]?.forEach((queue, priority) => {
      host.restoreQueue(priority, queue);
    });
    return host;
  }
}

function countEnds(db: DatabaseSync, reasons: Reasons, known: KnownUrls): void {
  const byCode: number[] = [];
  const count = (id: number, code: number, what: Ending): void => {
    known.recallEnded(id, what);
    byCode[code] = (byCode[code] ?? 0) + (what === "undropped" ? -1 : 1);
  };
  readEnded(db, count, known.from.journal);
  for (const [code, name] of reasons.names()) known.recallCount(name, byCode[code] ?? 0);
}

/** `hosts`: one more than the largest id of a host. */
function chunkRanges(db: DatabaseSync, hosts: number): OnDisk {
  const firstIds = new Uint32Array(hosts * PRIORITIES);
  const lastIds = new Uint32Array(hosts * PRIORITIES);
  const queues = new Array<ChunkedQueue[] | undefined>(hosts);
  const ids = db.prepare("SELECT ids FROM chunk WHERE host_id = ? AND priority = ? AND seq = ?");
  const chunk = (...key: [number, number, number]) => wordsOf(ids.get(...key)!.ids as Uint8Array);
  const groups = db.prepare(
    "SELECT host_id, priority, min(seq) AS first, max(seq) AS last FROM chunk GROUP BY host_id, priority",
  );
  for (const row of groups.iterate()) {
    const { host_id, priority, first, last } = row as Record<"host_id" | "priority" | "first" | "last", number>;
    firstIds[slotOf(host_id, priority)] = chunk(host_id, priority, first)[0]!;
    lastIds[slotOf(host_id, priority)] = chunk(host_id, priority, last).at(-1)!;
    queues[host_id] ??= [];
    queues[host_id][priority] = new ChunkedQueue(host_id, priority, first, last + 1);
  }
  return { firstIds, lastIds, queues };
}

/** By id, which is dense. Those that turn out to be quiet are garbage after recovery. */
function knownHosts(db: DatabaseSync): ActiveHost[] {
  const hosts: ActiveHost[] = [];
  for (const { id, name, due_at } of db.prepare("SELECT id, name, due_at FROM host").iterate())
    hosts[id as number] = new ActiveHost(id as number, name as HostKey, due_at as number);
  return hosts;
}
