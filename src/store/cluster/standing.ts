/** How shards stood when they were asked last: what waits there, and until when that is true by itself. */
import type { Instant } from "../../base/clock.ts";
import type { Pending } from "../../ports/frontier.ts";

export interface Standing extends Pending {
  /** Hosts that may be leased, now or later. */
  readonly free: number;
  /** When the next lease can be had; Infinity when only an event can bring one. */
  readonly readyAt: Instant;
  /** When it changes by itself. */
  readonly wakeAt: Instant;
  /** When the first URL is due that has ended; Infinity when none is. */
  readonly dueAt: Instant;
  /** When it was asked. */
  readonly at: Instant;
}

/** As the scripts tell it (hosts.lua, `answer`). */
export type ToldStanding = readonly [
  queued: number,
  leased: number,
  delayed: number,
  hosts: number,
  free: number,
  readyAt: string,
  wakeAt: string,
  dueAt: string,
];

/** Before it was asked: nothing is known, and it is time to ask. */
export const UNKNOWN: Standing = {
  ...{ queued: 0, leased: 0, delayed: 0, hosts: 0, free: 0 },
  ...{ readyAt: Number.POSITIVE_INFINITY, wakeAt: Number.NEGATIVE_INFINITY, dueAt: Number.POSITIVE_INFINITY },
  at: Number.NEGATIVE_INFINITY,
};

export function standingOf(told: ToldStanding, at: Instant): Standing {
  const [queued, leased, delayed, hosts, free, readyAt, wakeAt, dueAt] = told;
  const time = (text: string): Instant => (text === "-1" ? Number.POSITIVE_INFINITY : Number(text));
  return {
    ...{ queued, leased, delayed, hosts, free, at },
    ...{ readyAt: time(readyAt), wakeAt: time(wakeAt), dueAt: time(dueAt) },
  };
}
