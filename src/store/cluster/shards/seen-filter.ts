/** Filters of seen URLs, a few in each shard: what scripts are told of them, and how many URLs they have probably lost. */
import { type Layer, layersOf, refusedBy } from "../../../dedup/blocked-bloom.ts";
import type { SeenChoice } from "../../../dedup/seen-kinds.ts";

/** `bloom` and `scalable-bloom`: a crawl that many share has no others. */
export interface FilterChoice extends SeenChoice {
  readonly kind: "bloom" | "scalable-bloom";
}

/** What a crawl in a cluster may be created with. */
export type SharedSeen = FilterChoice | { readonly kind: "exact" };

/** URLs that the first filter of a shard is for, at least: 3 KB. */
const FIRST = 1_000;
/** Numbers of URLs and of blocks in a shard stay below this. */
const MOST = 2 ** 32;
const LAYER_BYTES = 9;

export class SeenFilter {
  readonly #layers: readonly Layer[];

  /**
   * Hosts, and URLs with them, are divided unevenly: so that a shard that has more than its part does not lose most of what comes,
   * `bloom` grows there, too. It begins with the rate that was asked for, and may come to twice that; `scalable-bloom` begins
   * with half of it.
   */
  constructor({ kind, capacity, error }: FilterChoice, shards: number) {
    const first = Math.min(Math.max(FIRST, Math.ceil(capacity / shards)), MOST - 1);
    const all = layersOf(first, kind === "bloom" ? error : error / 2, MOST);
    this.#layers = all.filter(({ blocks }) => blocks < MOST);
  }

  /** As filter.lua reads it. `isNew`: nothing that comes was there before, and filters are not asked. */
  words({ isNew }: { readonly isNew: boolean }): Buffer {
    const bytes = Buffer.alloc(1 + LAYER_BYTES * this.#layers.length, isNew ? "s" : "f");
    let at = 1;
    for (const { capacity, blocks, hashes } of this.#layers) {
      at = bytes.writeUInt32LE(Math.min(capacity, MOST - 1), at);
      at = bytes.writeUInt32LE(blocks, at);
      at = bytes.writeUInt8(hashes, at);
    }
    return bytes;
  }

  /** How many new URLs a shard has probably refused that took so many. */
  refused(count: number): number {
    return refusedBy(this.#layers, count);
  }
}

/** As the crawl keeps it, for ever. */
export const seenText = (seen: SharedSeen): string =>
  seen.kind === "exact" ? seen.kind : `${seen.kind} for ${seen.capacity} URLs at ${seen.error}`;
