/** What Redis has lost of a crawl, for ever: what is gone with its disks, or was there before an old copy was put back. */
import type { Clock, Instant } from "../../../base/clock.ts";
import { ClusterError } from "../redis/errors.ts";

export function lost(name: string, what: string): ClusterError {
  const mend = `put back what its nodes had, from a newer copy, or take what is left with trawl migrate redis://HOST:PORT DIR --name ${name}`;
  return new ClusterError("lost", `Redis has lost a part of the crawl ${name}: ${what}; ${mend}`);
}

/** Nothing is left by which it could be told what the rest is of. */
export function emptied(name: string): ClusterError {
  const words = `the crawl ${name} is in Redis no longer: it was emptied (FLUSHALL?), or has lost its disks`;
  const mend =
    "put back a copy of what its nodes had; what is in the object store stays as it is, else begin anew with another --store";
  return new ClusterError("lost", `${words}; ${mend}`);
}

/** What was known of the crawl as a whole was with a master whose disks are gone; shards are left, and their pages are in no new store. */
export function beheaded(name: string, left: number, shards: number): ClusterError {
  const words = `Redis has URLs in ${left} of the ${shards} shards of a crawl ${name}, and has lost what it knew of it as a whole`;
  return new ClusterError("lost", `${words}; put back a copy of what its nodes had, or choose another name (--name)`);
}

/** What a verb says where there must be something, and is nothing. */
export const isGone = (cause: unknown): boolean => cause instanceof Error && cause.message.startsWith("GONE ");

/** What a master has not sent to its replicas may go with it; what was there so long ago, in ms, does not. */
const SETTLED_MS = 60_000;
/** What is less than it was may be told by a master that has been away, and does not know yet that another is in its place. */
const DOUBTED_MS = 10_000;

/** The last ids of shards, which only grow: as they were a while ago, so that it is seen when one is less. */
export class LastIds {
  readonly #name: string;
  readonly #clock: Clock;
  /** As they were said last, at the last look round, and at the one before that. */
  readonly #said: number[];
  #recent: readonly number[];
  #settled: readonly number[];
  #lookedAt: Instant;
  readonly #doubted = new Map<number, Instant>();

  constructor(name: string, shards: number, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
    this.#said = new Array(shards).fill(0);
    this.#recent = this.#said.slice();
    this.#settled = this.#recent;
    this.#lookedAt = clock.now();
  }

  /** @throws ClusterError "lost" when it is less than it was, and that for a while. */
  hear(shard: number, last: number): void {
    this.#said[shard] = last;
    const before = this.#settled[shard]!;
    if (last >= before) {
      this.#doubted.delete(shard);
      return;
    }
    const since = this.#doubted.get(shard) ?? this.#clock.now();
    this.#doubted.set(shard, since);
    if (this.#clock.now() - since >= DOUBTED_MS) throw this.isLess(shard, last, before);
  }

  isLess(shard: number, last: number, before: number): ClusterError {
    return lost(this.#name, `its shard ${shard} knows of ${last} URLs, and knew of ${before}`);
  }

  /** Those of a while ago, each time that they are others; null in between. */
  settled(): readonly number[] | null {
    const now = this.#clock.now();
    if (now - this.#lookedAt < SETTLED_MS) return null;
    this.#lookedAt = now;
    this.#settled = this.#recent;
    this.#recent = this.#said.slice();
    return this.#settled;
  }

  /** As they were said last. */
  get said(): readonly number[] {
    return this.#said;
  }
}
