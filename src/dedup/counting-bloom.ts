/**
 * A Bloom filter that can forget (Fan, Cao, Almeida, Broder 2000): counters of 4 bits in place of bits, four times the
 * memory. A counter that has reached 15 stays there: what it stands for cannot be forgotten any more, but nothing else is.
 */
import { expectedLost, type FilterSize, filterSize, firstOf, stepOf } from "./probes.ts";
import type { SeenSet } from "./seen-set.ts";
import { type Fill, type Pieces, readSnapshot, restored, writeSnapshot } from "./snapshot.ts";

const KIND = 3;
const MAX_COUNTERS = 2 ** 34;
/** Where a counter stops for good. */
const STUCK = 15;

export class CountingBloom implements SeenSet {
  readonly #counters: number;
  readonly #hashes: number;
  /** Eight counters a word. */
  readonly #words: Int32Array<ArrayBuffer>;
  #size = 0;
  /** Counters above 0. */
  #taken = 0;

  /** @throws RangeError of sizes that make no sense, or pass 2^34 counters. */
  constructor({ places, hashes }: FilterSize) {
    if (!(places >= 1 && places <= MAX_COUNTERS)) throw new RangeError(`a filter of ${places} counters`);
    if (!(hashes >= 1 && hashes <= 255)) throw new RangeError(`a filter of ${hashes} hashes`);
    this.#counters = places;
    this.#hashes = hashes;
    this.#words = new Int32Array(Math.ceil(places / 8));
  }

  /** A filter that is wrong with probability `rate` once `capacity` fingerprints are in it. */
  static for(capacity: number, rate: number): CountingBloom {
    return new CountingBloom(filterSize(capacity, rate));
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  get falsePositiveRate(): number {
    return (this.#taken / this.#counters) ** this.#hashes;
  }

  get expectedLost(): number {
    return expectedLost({ places: this.#counters, hashes: this.#hashes }, this.#size);
  }

  has(hi: number, lo: number): boolean {
    const counters = this.#counters;
    let step = stepOf(hi, lo, counters);
    let at = firstOf(hi, lo, counters);
    for (let left = this.#hashes; left > 0; left--) {
      if (this.#count(at) === 0) return false;
      at += step;
      if (at >= counters) at -= counters;
      step += left;
      if (step >= counters) step %= counters;
    }
    return true;
  }

  add(hi: number, lo: number): boolean {
    if (this.has(hi, lo)) return false;
    this.#change(hi, lo, 1);
    this.#size++;
    return true;
  }

  /**
   * Forgets a fingerprint; false when it is not there. Only one whose `add` was true may be deleted: to delete another
   * that merely seems to be there would take counts away from those that are.
   */
  delete(hi: number, lo: number): boolean {
    if (!this.has(hi, lo)) return false;
    this.#change(hi, lo, -1);
    this.#size--;
    return true;
  }

  /** Takes in all that `other` holds. What both hold counts twice. @throws RangeError of unequal sizes. */
  union(other: CountingBloom): void {
    if (other.#counters !== this.#counters || other.#hashes !== this.#hashes)
      throw new RangeError("filters of different sizes have no union");
    this.#taken = 0;
    for (let at = 0; at < this.#counters; at++) {
      const sum = this.#count(at) + other.#count(at);
      if (sum === 0) continue;
      this.#taken++;
      this.#setCount(at, Math.min(sum, STUCK));
    }
    this.#size += other.#size;
  }

  snapshot(): IterableIterator<Uint8Array> {
    return writeSnapshot(KIND, [this.#counters, this.#hashes, this.#size, this.#taken], [this.#words]);
  }

  /** The filter of a snapshot; null when the bytes are damaged, or of something else. */
  static restore(pieces: Pieces): CountingBloom | null {
    return restored(pieces, CountingBloom.read);
  }

  /** The same, of the bytes that come next. */
  static read(fill: Fill): CountingBloom | null {
    return readSnapshot(fill, KIND, ([places, hashes, size, taken]) => {
      const bloom = new CountingBloom({ places: places!, hashes: hashes! });
      bloom.#size = size!;
      bloom.#taken = taken!;
      return { value: bloom, arrays: [bloom.#words] };
    });
  }

  #change(hi: number, lo: number, by: 1 | -1): void {
    const counters = this.#counters;
    let step = stepOf(hi, lo, counters);
    let at = firstOf(hi, lo, counters);
    for (let left = this.#hashes; left > 0; left--) {
      const before = this.#count(at);
      if (before < STUCK && before + by >= 0) {
        this.#setCount(at, before + by);
        if (before === 0) this.#taken++;
        else if (before + by === 0) this.#taken--;
      }
      at += step;
      if (at >= counters) at -= counters;
      step += left;
      if (step >= counters) step %= counters;
    }
  }

  #count(at: number): number {
    return (this.#words[(at * 0.125) | 0]! >>> ((at & 7) << 2)) & 15;
  }

  #setCount(at: number, count: number): void {
    const index = (at * 0.125) | 0;
    const shift = (at & 7) << 2;
    this.#words[index] = (this.#words[index]! & ~(15 << shift)) | (count << shift);
  }
}
