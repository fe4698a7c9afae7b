/**
 * What memory held, found again from the tables: the seen set, what has ended, and every queue.
 *
 * The journal alone is read from end to end (16 bytes a URL, 8 an end), never the wide tables. With a snapshot the seen
 * set and the ends are filled from its position on; the queues are always found from the whole of it.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import type { HostKey } from "../../model/host.ts";
import { PRIORITIES } from "../../model/link.ts";
import type { ActiveHost } from "./active-host.ts";
import { countOf, type Ending, type Reasons, readAdmitted, readEnded, readRaised } from "./journal.ts";
import type { KnownUrls } from "./known.ts";
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
  readonly byHost: ReadonlyMap<number, readonly Chunks[]>;
}

/** The chunks of one queue: numbers from `first`, before `next`. */
interface Chunks {
  readonly priority: number;
  readonly first: number;
  readonly next: number;
}

interface KnownHost {
  readonly name: HostKey;
  readonly dueAt: Instant;
}

/** URLs that come back and were put off; the others wait in their classes. */
const DELAYED_RETURNS = "SELECT revisit.url_id, host_id, attempt, at FROM revisit JOIN retry USING (url_id)";
const QUEUED_RETURNS = `SELECT host_id, priority, count(*) AS count FROM revisit
  WHERE url_id NOT IN (SELECT url_id FROM retry) GROUP BY host_id, priority`;

const slotOf = (hostId: number, priority: number): number => hostId * PRIORITIES + priority;

/** Fills memory, of which `known` holds what was known at its `from` and the rest is empty. */
export function recover(db: DatabaseSync, reasons: Reasons, memory: Memory): void {
  const { known, schedule, retried } = memory;
  countEnds(db, reasons, known);
  readRaised(db, (id, level) => known.recallRaised(id, level), known.from.journal);
  const hosts = knownHosts(db);
  const { firstIds, lastIds, byHost } = chunkRanges(db, hosts.length);
  const retries = new Map(
    db
      .prepare("SELECT url_id, attempt, at FROM retry")
      .all()
      .map(({ url_id, attempt, at }) => [url_id as number, { attempt: attempt as number, at: at as number }]),
  );
  for (const id of retries.keys()) retried.add(id);
  /** URLs in chunks, by host and class: counted here first, since they are most, and touching a host for each would cost more than all else. */
  const inChunks = new Uint32Array(hosts.length * PRIORITIES);
  /** By host. */
  const active: ActiveHost[] = new Array(hosts.length);
  readAdmitted(db, (id, fpHi, fpLo, hostId, priority, level) => {
    known.recallAdmitted(id, fpHi, fpLo, priority, level);
    if (known.states.hasEverEnded(id)) return true;
    const slot = slotOf(hostId, priority);
    const retry = retries.size === 0 ? undefined : retries.get(id);
    if (retry === undefined && id >= firstIds[slot]! && id <= lastIds[slot]!) {
      inChunks[slot]!++;
      return true;
    }
    const host = activated(hostId);
    schedule.admit(host);
    if (retry !== undefined) {
      known.states.leave(id); // its place may be in a chunk: it was raised from there
      schedule.delay(id, host, retry.attempt, retry.at);
    } else if (id > lastIds[slot]!) host.push(id, priority);
    else {
      host.restoreHead(id, priority);
    }
    return true;
  });
  inChunks.forEach((count, slot) => {
    if (count === 0) return;
    const hostId = Math.floor(slot / PRIORITIES);
    const host = activated(hostId);
    schedule.admit(host, count);
    host.countInChunks(slot % PRIORITIES, count);
  });
  for (const { url_id, host_id, attempt, at } of db.prepare(DELAYED_RETURNS).iterate()) {
    const host = activated(host_id as number);
    schedule.admit(host);
    schedule.delay(url_id as number, host, attempt as number, at as number);
  }
  for (const { host_id, priority, count } of db.prepare(QUEUED_RETURNS).iterate()) {
    const host = activated(host_id as number);
    schedule.admit(host, count as number);
    host.restoreReturns(priority as number, count as number);
  }
  active.forEach((host) => {
    schedule.place(host);
  });
  // Places in chunks that all have left, on hosts of which nothing is pending: their queues begin anew.
  const removeChunks = db.prepare("DELETE FROM chunk WHERE host_id = ?");
  for (const hostId of byHost.keys()) if (active[hostId] === undefined) removeChunks.run(hostId);

  function activated(hostId: number): ActiveHost {
    const there = active[hostId];
    if (there !== undefined) return there;
    const { name, dueAt } = hosts[hostId]!;
    const host = schedule.activate(hostId, name, dueAt);
    active[hostId] = host;
    for (const { priority, first, next } of byHost.get(hostId) ?? []) host.restoreChunks(priority, first, next);
    return host;
  }
}

function countEnds(db: DatabaseSync, reasons: Reasons, known: KnownUrls): void {
  const byCode: number[] = [];
  const count = (id: number, code: number, what: Ending): void => {
    known.recallEnded(id, what);
    byCode[code] = (byCode[code] ?? 0) + countOf(what);
  };
  readEnded(db, count, known.from.journal);
  for (const [code, name] of reasons.names()) known.recallCount(name, byCode[code] ?? 0);
}

/** `hosts`: one more than the largest id of a host. */
function chunkRanges(db: DatabaseSync, hosts: number): OnDisk {
  const firstIds = new Uint32Array(hosts * PRIORITIES);
  const lastIds = new Uint32Array(hosts * PRIORITIES);
  const byHost = new Map<number, Chunks[]>();
  const ids = db.prepare("SELECT ids FROM chunk WHERE host_id = ? AND priority = ? AND seq = ?");
  const chunk = (...key: [number, number, number]) => wordsOf(ids.get(...key)!.ids as Uint8Array);
  const groups = db.prepare(
    "SELECT host_id, priority, min(seq) AS first, max(seq) AS last FROM chunk GROUP BY host_id, priority",
  );
  for (const row of groups.iterate()) {
    const { host_id, priority, first, last } = row as Record<"host_id" | "priority" | "first" | "last", number>;
    firstIds[slotOf(host_id, priority)] = chunk(host_id, priority, first)[0]!;
    lastIds[slotOf(host_id, priority)] = chunk(host_id, priority, last).at(-1)!;
    const chunks = byHost.get(host_id) ?? [];
    byHost.set(host_id, chunks);
    chunks.push({ priority, first, next: last + 1 });
  }
  return { firstIds, lastIds, byHost };
}

/** By id, which is dense. */
function knownHosts(db: DatabaseSync): KnownHost[] {
  const hosts: KnownHost[] = [];
  for (const { id, name, due_at } of db.prepare("SELECT id, name, due_at FROM host").iterate())
    hosts[id as number] = { name: name as HostKey, dueAt: due_at as number };
  return hosts;
}
