/** How shards stood when they were asked last: what waits there, and until when that is true by itself. */
import type { Instant } from "../../base/clock.ts";
import type { Pending } from "../../ports/frontier.ts";

export interface Standing extends Pending {
  /** Hosts that may be leased, now or later. */
  readonly free: number;
  /** When the next lease can be had; Infinity when only an event can bring one. */
  readonly readyAt: Instant;
  /** When it changes by itself: leases expire, delays end. */
  readonly wakeAt: Instant;
  /** When the first URL is due that has ended; Infinity when none is. */
  readonly dueAt: Instant;
  /** When it was asked. */
  readonly at: Instant;
  /** Since when it was found to have work that is due, each time that it was asked; Infinity when it had none. */
  readonly dueSince: Instant;
}

/** Before it was asked: nothing is known, and it is time to ask. */
export const UNKNOWN: Standing = standingOf([0, 0, 0, 0, 0, -1, -1, -1, -1], Number.NEGATIVE_INFINITY);

/** From the first nine numbers of a shard's record (RECORD in shard.lua), as the scripts tell them. */
export function standingOf(told: readonly (number | string)[], at: Instant): Standing {
  const [queued, leased, delayed, hosts, free, ...times] = told.map(Number) as [number, number, number, number, number];
  const [readyAt, expiry, wake, dueAt] = (times as number[]).map((time) =>
    time === -1 ? Number.POSITIVE_INFINITY : time,
  );
  return {
    ...{ queued, leased, delayed, hosts, free, readyAt: readyAt!, wakeAt: Math.min(expiry!, wake!), dueAt: dueAt!, at },
    dueSince: readyAt! <= at ? at : Number.POSITIVE_INFINITY,
  };
}

const COUNTS = 5;
const TIMES = 4;

/** The same from the record itself; null: the shard has none yet. */
export function standingIn(record: Buffer | null, at: Instant): Standing {
  if (record === null) return { ...UNKNOWN, at };
  const counts = Array.from({ length: COUNTS }, (_, nth) => record.readUInt32LE(4 * nth));
  const times = Array.from({ length: TIMES }, (_, nth) => record.readDoubleLE(4 * COUNTS + 8 * nth));
  return standingOf([...counts, ...times], at);
}
