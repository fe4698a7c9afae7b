/**
 * Room for the short lists of ids of all queues, in one typed array: blocks of 16 ids, a cache line each, linked by
 * number. Lists that grow and shrink all the time make no garbage, and an id that is appended touches one line.
 */

/** Ids in a block. */
export const BLOCK = 16;
/** No block has this number. */
export const NO_BLOCK = 0;
const FIRST_BLOCKS = 1024;
const GROWTH = 1.25;

export class IdBlocks {
  /** Of all blocks, one after another. Look it up anew after each `take`. */
  ids = new Uint32Array(FIRST_BLOCKS * BLOCK);
  /** The block that follows, by block; of a free one the next free one. */
  #next = new Uint32Array(FIRST_BLOCKS);
  #free = NO_BLOCK;
  /** Blocks from here on were never used. */
  #unused = 1;
  #inUse = 0;

  /** Blocks that lists hold now. */
  get inUse(): number {
    return this.#inUse;
  }

  /** A block that nothing follows. Its ids are whatever they were. */
  take(): number {
    let block = this.#free;
    if (block === NO_BLOCK) {
      if (this.#unused === this.#next.length) this.#grow();
      block = this.#unused++;
    } else this.#free = this.#next[block]!;
    this.#next[block] = NO_BLOCK;
    this.#inUse++;
    return block;
  }

  /** Gives a block back, and answers the one that followed it. */
  drop(block: number): number {
    const next = this.#next[block]!;
    this.#next[block] = this.#free;
    this.#free = block;
    this.#inUse--;
    return next;
  }

  link(block: number, next: number): void {
    this.#next[block] = next;
  }

  next(block: number): number {
    return this.#next[block]!;
  }

  #grow(): void {
    const blocks = Math.ceil(this.#next.length * GROWTH);
    const ids = new Uint32Array(blocks * BLOCK);
    ids.set(this.ids);
    this.ids = ids;
    const next = new Uint32Array(blocks);
    next.set(this.#next);
    this.#next = next;
  }
}
