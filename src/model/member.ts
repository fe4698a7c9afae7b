/** A crawler that takes part in a crawl that many share. */

export interface Member {
  /** It has the same after a restart. */
  readonly id: string;
  /** Shards that it is there for, as long as it lives: those of huge hosts. */
  readonly pinned: readonly number[];
}

/** Who looks after which of so many shards: the ids of their members. */
export type Division = (shards: number, members: readonly Member[]) => readonly string[];
