/**
 * The objects that spilled rows stand in. Chunks come back to Redis one by one, and an object of which none is left is nobody's:
 * it goes when that is sure to stay so. docs/decisions/0015-cluster-layout.md says why it is.
 */
import type { Clock, Instant } from "../../../base/clock.ts";
import type { Blob, BlobKey, Blobs } from "../../../ports/blobs.ts";
import type { Shards } from "./shards.ts";

export interface SpilledObjectsParts {
  readonly shards: Pick<Shards, "ask" | "own" | "count">;
  readonly blobs: Blobs;
  /** As the cluster tells it. */
  readonly time: Clock;
  /** Whether Redis still knows of the crawl. */
  readonly isThere: () => Promise<boolean>;
}

const KEY = "urls/";
const RADIX = 36;
/** All shards of this crawler are gone over once in so long; what nothing pointed to two looks in a row goes. */
export const ROUND_MS = 3_600_000;
/** One round may be a little quicker than the one before. */
const LOOKS_APART_MS = ROUND_MS / 2;
/** Nothing that was written longer ago is ever pointed to for the first time: spill.lua refuses it, after a sixth of this. */
const YOUNG_MS = ROUND_MS;

/** No other object is ever called alike. `opening`: tells apart those who write at the same time. */
export const objectName = (shard: number, now: Instant, opening: string, nth: number): string =>
  `${shard}/${Math.floor(now).toString(RADIX)}-${opening}-${nth}`;

export const objectKey = (name: string): BlobKey => KEY + name;

const writtenAt = (key: BlobKey): Instant => Number.parseInt(key.slice(key.lastIndexOf("/") + 1), RADIX);

export class SpilledObjects {
  readonly #parts: SpilledObjectsParts;
  /** Those that nothing pointed to at the last look, by shard, and since when. */
  readonly #seen = new Map<number, ReadonlyMap<BlobKey, Instant>>();
  #last = -1;
  #nextAt: Instant | null = null;
  #looking: Promise<void> | null = null;

  constructor(parts: SpilledObjectsParts) {
    this.#parts = parts;
  }

  /** Those that nothing points to now; some may be about to be pointed to. */
  async *unpointed(): AsyncGenerator<Blob> {
    let shard = -1;
    let there: Blob[] = [];
    for await (const blob of this.#parts.blobs.list(KEY)) {
      const its = Number(blob.key.slice(KEY.length).split("/", 1)[0]);
      if (its !== shard) {
        yield* await this.#unpointedAmong(there, shard);
        there = [];
      }
      shard = its;
      there.push(blob);
    }
    yield* await this.#unpointedAmong(there, shard);
  }

  /** Goes on with its round when it is time for the next shard, beside other work. What goes wrong is left to the next round. */
  sweep(): void {
    const now = this.#parts.time.now();
    this.#nextAt ??= now + ROUND_MS;
    if (this.#looking !== null || now < this.#nextAt) return;
    this.#looking = this.#goOn(now)
      .catch(() => {})
      .finally(() => {
        this.#looking = null;
      });
  }

  /** When nothing is under way. */
  async idle(): Promise<void> {
    await this.#looking;
  }

  async #goOn(now: Instant): Promise<void> {
    const own = this.#parts.shards.own();
    this.#nextAt = now + ROUND_MS / Math.max(own.length, 1);
    const shard = own.find((one) => one > this.#last) ?? own[0];
    if (shard === undefined) return;
    this.#last = shard;
    const before = this.#seen.get(shard);
    const seen = new Map<BlobKey, Instant>();
    const dead: BlobKey[] = [];
    const there = await Array.fromAsync(this.#parts.blobs.list(objectKey(`${shard}/`)));
    for (const { key } of await this.#unpointedAmong(there, shard)) {
      if (!(writtenAt(key) <= now - YOUNG_MS)) continue;
      const since = before?.get(key) ?? now;
      if (now - since >= LOOKS_APART_MS) dead.push(key);
      else seen.set(key, since);
    }
    this.#seen.set(shard, seen);
    if (dead.length > 0 && (await this.#parts.isThere())) await this.#parts.blobs.remove(dead);
  }

  /** `there`: of a shard, listed before, so that what is written meanwhile is not looked at. */
  async #unpointedAmong(there: readonly Blob[], shard: number): Promise<readonly Blob[]> {
    if (there.length === 0 || !(shard < this.#parts.shards.count)) return [];
    const names = await this.#parts.shards.ask<readonly string[] | null>("pointed", shard);
    if (names === null) return [];
    const pointed = new Set(names.map(objectKey));
    return there.filter(({ key }) => !pointed.has(key));
  }
}
