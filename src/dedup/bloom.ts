/** A Bloom filter: 9.6 bits a fingerprint for one false answer in a hundred, 19.2 for one in ten thousand. */
import { bitsIn } from "./bits.ts";
import { expectedLost, type FilterSize, filterSize, firstOf, MAX_BITS, stepOf } from "./probes.ts";
import type { SeenSet } from "./seen-set.ts";
import { type Fill, type Pieces, readSnapshot, restored, writeSnapshot } from "./snapshot.ts";

const KIND = 1;

export class Bloom implements SeenSet {
  readonly #bits: number;
  readonly #hashes: number;
  readonly #words: Int32Array<ArrayBuffer>;
  #size = 0;
  #ones = 0;

  /** @throws RangeError of sizes that make no sense, or pass 2^36 bits. */
  constructor({ places, hashes }: FilterSize) {
    if (!(places >= 1 && places <= MAX_BITS)) throw new RangeError(`a filter of ${places} bits`);
    if (!(hashes >= 1 && hashes <= 255)) throw new RangeError(`a filter of ${hashes} hashes`);
    this.#bits = places;
    this.#hashes = hashes;
    this.#words = new Int32Array(Math.ceil(places / 32));
  }

  /** A filter that is wrong with probability `rate` once `capacity` fingerprints are in it. */
  static for(capacity: number, rate: number): Bloom {
    return new Bloom(filterSize(capacity, rate));
  }

  get sizing(): FilterSize {
    return { places: this.#bits, hashes: this.#hashes };
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  /** By the bits that are really set. */
  get falsePositiveRate(): number {
    return (this.#ones / this.#bits) ** this.#hashes;
  }

  get expectedLost(): number {
    return expectedLost(this.sizing, this.#size);
  }

  has(hi: number, lo: number): boolean {
    const words = this.#words;
    const bits = this.#bits;
    let step = stepOf(hi, lo, bits);
    let at = firstOf(hi, lo, bits);
    for (let left = this.#hashes; left > 0; left--) {
      // `&` and `<<` take a number modulo 2^32, which leaves its low five bits as they are.
      if ((words[(at * 0.03125) | 0]! & (1 << (at & 31))) === 0) return false;
      at += step;
      if (at >= bits) at -= bits;
      step += left;
      if (step >= bits) step %= bits;
    }
    return true;
  }

  add(hi: number, lo: number): boolean {
    const words = this.#words;
    const bits = this.#bits;
    let step = stepOf(hi, lo, bits);
    let at = firstOf(hi, lo, bits);
    let set = 0;
    for (let left = this.#hashes; left > 0; left--) {
      const index = (at * 0.03125) | 0;
      const word = words[index]!;
      const bit = 1 << (at & 31);
      if ((word & bit) === 0) {
        words[index] = word | bit;
        set++;
      }
      at += step;
      if (at >= bits) at -= bits;
      step += left;
      if (step >= bits) step %= bits;
    }
    if (set === 0) return false;
    this.#ones += set;
    this.#size++;
    return true;
  }

  /** Takes in all that `other` holds. Its size becomes an estimate, by the bits set. @throws RangeError of unequal sizes. */
  union(other: Bloom): void {
    if (other.#bits !== this.#bits || other.#hashes !== this.#hashes)
      throw new RangeError("filters of different sizes have no union");
    let ones = 0;
    for (let i = 0; i < this.#words.length; i++) {
      const word = this.#words[i]! | other.#words[i]!;
      this.#words[i] = word;
      ones += bitsIn(word);
    }
    this.#ones = ones;
    // n = -(m / k) ln(1 - X / m): Swamidass and Baldi 2007. A full filter tells nothing of its number.
    const estimate = Math.round((-this.#bits / this.#hashes) * Math.log1p(-ones / this.#bits));
    this.#size = Math.min(Math.max(estimate, this.#size, other.#size), this.#size + other.#size);
  }

  /** Counts the bits that are set anew: words that were read back may know of fingerprints that came after the fields. */
  recount(): void {
    let ones = 0;
    for (let i = 0; i < this.#words.length; i++) ones += bitsIn(this.#words[i]!);
    this.#ones = ones;
  }

  copy(): Bloom {
    const copy = new Bloom(this.sizing);
    copy.#words.set(this.#words);
    copy.#size = this.#size;
    copy.#ones = this.#ones;
    return copy;
  }

  snapshot(): IterableIterator<Uint8Array> {
    return writeSnapshot(KIND, this.fields, [this.words]);
  }

  /** The filter of a snapshot; null when the bytes are damaged, or of something else. */
  static restore(pieces: Pieces): Bloom | null {
    return restored(pieces, Bloom.read);
  }

  /** The same, of the bytes that come next. */
  static read(fill: Fill): Bloom | null {
    const bloom = readSnapshot(fill, KIND, (fields) => {
      const bloom = Bloom.ofFields(fields);
      return { value: bloom, arrays: [bloom.words] };
    });
    bloom?.recount();
    return bloom;
  }

  /** What a snapshot needs besides the words. */
  get fields(): readonly number[] {
    return [this.#bits, this.#hashes, this.#size, this.#ones];
  }

  /** The bits, 32 a word: to be written out, or filled when read back. */
  get words(): Int32Array {
    return this.#words;
  }

  /** A filter whose words are still to be filled. */
  static ofFields([places, hashes, size, ones]: readonly number[]): Bloom {
    const bloom = new Bloom({ places: places!, hashes: hashes! });
    bloom.#size = size!;
    bloom.#ones = ones!;
    return bloom;
  }
}
