/**
 * SimHash of a page's visible text (Charikar 2002; Manku, Jain, Das Sarma 2007): 64 bits, few of which change when little
 * of the text does. Hashes are stored: a change of the definition needs a new version of the state.
 *
 * - The text is cut into words: longest runs of letters, marks and digits (Unicode L, M, N). A character of a script
 *   written without spaces (Han, kana, Thai, Lao, Khmer, Burmese, Bopomofo) is a word by itself; so is each character
 *   beyond the first plane.
 * - Features are shingles: three words in a row, each occurrence counting.
 * - A shingle weighs 4; 1 when one of its words has a digit in it. Dates, counters and ids change where the page does not.
 * - A word's hash is h = (h xor c) * 0x01000193 over the numbers c of its characters in lower case (one to one), from 0 on
 *   (FNV-1a with another beginning). A shingle's is x = (a * f + b) * f + c of its words', f = 0x9e3779b1; its 64 bits are
 *   murmur3's finalizer of x and, below, of x xor 0x85ebca77.
 * - Bit i is set where the shingles that have it set outweigh those that have not.
 * - A text of fewer than `MIN_WORDS` words has none: one word more would change it beyond recognition.
 */
import { fmix } from "../base/hash.ts";
import { BitCounts } from "./bit-counts.ts";
import { bitsIn } from "./bits.ts";
import { HAS_DIGIT, WordReader } from "./words.ts";

export const MIN_WORDS = 32;
/** Hashes that differ in so many bits or fewer are those of near-duplicates. */
export const NEAR = 3;

/** Two unsigned 32-bit words, the higher first. */
export type Simhash = readonly [hi: number, lo: number];

const SHINGLE_WORDS = 3;
const WEIGHT = 4;
const WEIGHT_OF_NUMBERS = 1;
const FACTOR = 0x9e3779b1 | 0;
const OTHER = 0x85ebca77 | 0;

/**
 * The hash of a text that comes in pieces of UTF-8: `words` is fed, then `finish` gives the hash. There is no need of
 * the text as one string, and none is made.
 */
export class TextHash {
  readonly words = new WordReader((hashes, marks, count) => this.#addShingles(hashes, marks, count));
  readonly #plain = new BitCounts();
  readonly #numbers = new BitCounts();
  readonly #sums = new Float64Array(64);

  /** Of what was read since the last `finish`; null when it is too short to be compared. */
  finish(): Simhash | null {
    this.words.end();
    const plain = this.#plain;
    const numbers = this.#numbers;
    const sums = this.#sums.fill(0);
    const isLong = this.words.total >= MIN_WORDS;
    if (isLong) {
      plain.addTo(sums, WEIGHT);
      numbers.addTo(sums, WEIGHT_OF_NUMBERS);
    }
    const total = plain.total * WEIGHT + numbers.total * WEIGHT_OF_NUMBERS;
    this.clear();
    return isLong ? majority(sums, total) : null;
  }

  /** Forgets what was read since the last `finish`. */
  clear(): void {
    this.words.clear();
    this.#plain.clear();
    this.#numbers.clear();
  }

  /** The last two words are the beginning of shingles to come. */
  #addShingles(hashes: Int32Array, marks: Uint8Array, count: number): number {
    const plain = this.#plain;
    const numbers = this.#numbers;
    if (count < SHINGLE_WORDS) return count;
    let before = (Math.imul(hashes[0]!, FACTOR) + hashes[1]!) | 0;
    for (let i = SHINGLE_WORDS - 1; i < count; i++) {
      const word = hashes[i]!;
      const shingle = (Math.imul(before, FACTOR) + word) | 0;
      before = (Math.imul(hashes[i - 1]!, FACTOR) + word) | 0;
      const counts = ((marks[i - 2]! | marks[i - 1]! | marks[i]!) & HAS_DIGIT) === 0 ? plain : numbers;
      counts.add(fmix(shingle), fmix(shingle ^ OTHER));
    }
    return SHINGLE_WORDS - 1;
  }
}

const encoder = new TextEncoder();
const textHash = new TextHash();

/** The hash of a visible text, or null when it is too short to be compared. */
export function simhash(text: string): Simhash | null {
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at++) {
    at = textHash.words.take(bytes, at, bytes.length);
    textHash.words.put(); // a "<" or "&"
  }
  return textHash.finish();
}

/** The bits whose sums, from the highest bit on, are more than half of `total`. */
export function majority(sums: Float64Array, total: number): Simhash {
  let hi = 0;
  let lo = 0;
  for (let i = 0; i < 32; i++) {
    hi = (hi << 1) | (sums[i]! * 2 > total ? 1 : 0);
    lo = (lo << 1) | (sums[32 + i]! * 2 > total ? 1 : 0);
  }
  return [hi >>> 0, lo >>> 0];
}

/** The number of bits in which two hashes differ. */
export function distance([hi, lo]: Simhash, [otherHi, otherLo]: Simhash): number {
  return bitsIn(hi ^ otherHi) + bitsIn(lo ^ otherLo);
}

/** As 16 hexadecimal digits. */
export function printSimhash([hi, lo]: Simhash): string {
  return hi.toString(16).padStart(8, "0") + lo.toString(16).padStart(8, "0");
}

/** What `printSimhash` printed. */
export function parseSimhash(digits: string): Simhash {
  return [Number.parseInt(digits.slice(0, 8), 16), Number.parseInt(digits.slice(8), 16)];
}
