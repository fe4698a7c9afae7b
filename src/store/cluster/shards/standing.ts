/** How shards stood when they were asked last: what waits there, and until when that is true by itself. */
import type { Instant } from "../../../base/clock.ts";
import type { Pending } from "../../../ports/frontier.ts";

export interface Standing extends Pending {
  /** Hosts that may be leased, now or later. */
  readonly free: number;
  /** When the next lease can be had; Infinity when only an event can bring one. */
  readonly readyAt: Instant;
  /** When it changes by itself: leases expire, delays end. */
  readonly wakeAt: Instant;
  /** When the first URL is due that has ended; Infinity when none is. */
  readonly dueAt: Instant;
  /** The last id: it only grows. */
  readonly last: number;
  /** Rows of URLs that Redis holds. */
  readonly rows: number;
  /** When it was asked. */
  readonly at: Instant;
  /** Since when it was found to have work that is due, each time that it was asked; Infinity when it had none. */
  readonly dueSince: Instant;
}

/** URLs in a chunk of rows: as in shard.lua. */
export const ROWS = 64;

/** Before it was asked: nothing is known, and it is time to ask. */
export const UNKNOWN: Standing = standingOf([0, 0, 0, 0, 0, -1, -1, -1, -1, 0, 0], Number.NEGATIVE_INFINITY);

/** From the first eleven numbers of a shard's record (RECORD in shard.lua), as the scripts tell them. */
export function standingOf(told: readonly (number | string)[], at: Instant): Standing {
  const [queued, leased, delayed, hosts, free, ready, expiry, wake, due, last, spilled] = told.map(Number) as Numbers;
  const time = (told: number): Instant => (told === -1 ? Number.POSITIVE_INFINITY : told);
  return {
    ...{ queued, leased, delayed, hosts, free, at },
    ...{ readyAt: time(ready), wakeAt: Math.min(time(expiry), time(wake)), dueAt: time(due) },
    last,
    rows: last - spilled * ROWS,
    dueSince: time(ready) <= at ? at : Number.POSITIVE_INFINITY,
  };
}

type Numbers = [number, number, number, number, number, number, number, number, number, number, number];

const COUNTS = 5;
const TIMES = 4;

/** The same from the record itself; null: the shard has none yet. */
export function standingIn(record: Buffer | null, at: Instant): Standing {
  if (record === null) return { ...UNKNOWN, at };
  const counts = Array.from({ length: COUNTS }, (_, nth) => record.readUInt32LE(4 * nth));
  const times = Array.from({ length: TIMES }, (_, nth) => record.readDoubleLE(4 * COUNTS + 8 * nth));
  const rows = [0, 4].map((more) => record.readUInt32LE(4 * COUNTS + 8 * TIMES + more));
  return standingOf([...counts, ...times, ...rows], at);
}

/** The last id given; 0: none yet. */
export const lastIdIn = (record: Buffer | null): number => record?.readUInt32LE(4 * COUNTS + 8 * TIMES) ?? 0;

/** Behind six more counts and a token. */
const FILTERED_AT = 4 * COUNTS + 8 * TIMES + 4 * 3 + 8 + 4 * 4;

/** Fingerprints in the shard's filters. */
export const filteredIn = (record: Buffer | null): number => record?.readUInt32LE(FILTERED_AT) ?? 0;
