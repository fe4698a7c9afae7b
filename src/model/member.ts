/** A crawler that takes part in a crawl that many share. */
import type { Instant } from "../base/clock.ts";

export interface Member {
  /** It has the same after a restart. */
  readonly id: string;
  /** Shards that it is there for, as long as it lives: those of huge hosts. */
  readonly pinned: readonly number[];
}

/** How a crawler does, as it says itself: for people to see, nothing hangs on it. */
export interface MemberStanding {
  /** The name of its machine. */
  readonly machine: string;
  /** Of this run, by its own clock. */
  readonly startedAt: Instant;
  /** Huge hosts that it is there for. */
  readonly pins: readonly string[];
  /** How many it looks after. */
  readonly shards: number;
  /** Pages that this run has fetched, and how many a second of late. */
  readonly pages: number;
  readonly pagesPerSecond: number;
  /** Leases that it has. */
  readonly leases: number;
  /** Links that it looked for in its own table of those that Redis knows, and those of them that were there. */
  readonly asked: number;
  readonly met: number;
}

/** Who looks after which of so many shards: the ids of their members. */
export type Division = (shards: number, members: readonly Member[]) => readonly string[];
