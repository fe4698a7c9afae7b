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

const encoder = new TextEncoder();

const SHINGLE_WORDS = 3;
/** A power of two. */
const URL_WORDS = 1024;
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
  /** The hashes of words that the page's URL has said, by their low bits. */
  readonly #ofUrl = new Int32Array(URL_WORDS);
  readonly #urlWords = new WordReader((hashes, _, count) => {
    for (let i = 0; i < count; i++) this.#ofUrl[hashes[i]! & (URL_WORDS - 1)] = hashes[i]!;
    return 0;
  });
  #hasBegun = false;
  #sum = 0;
  #squares = 0;
  #wording: Simhash = [0, 0];

  /**
   * Of the text that was finished last: a hash of its words in any order, without those that have digits and those of its
   * URL. Pages of one template have one SimHash long before they say the same; those that do have one wording.
   */
  get wording(): Simhash {
    return this.#wording;
  }

  /** The URL of the text to come, as pages repeat theirs: "No results for ...". */
  about(href: string): void {
    const bytes = encoder.encode(decoded(href));
    for (let at = 0; at < bytes.length; at++) {
      at = this.#urlWords.take(bytes, at, bytes.length);
      this.#urlWords.put(); // a "<" or "&"
    }
    this.#urlWords.end();
    this.#urlWords.clear();
  }

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
    this.#wording = [this.#sum >>> 0, this.#squares >>> 0];
    this.clear();
    return isLong ? majority(sums, total) : null;
  }

  /** Forgets what was read since the last `finish`. */
  clear(): void {
    this.words.clear();
    this.#plain.clear();
    this.#numbers.clear();
    this.#ofUrl.fill(0);
    this.#hasBegun = false;
    this.#sum = 0;
    this.#squares = 0;
  }

  /** The last two words are the beginning of shingles to come. */
  #addShingles(hashes: Int32Array, marks: Uint8Array, count: number): number {
    const plain = this.#plain;
    const numbers = this.#numbers;
    if (count < SHINGLE_WORDS) return count;
    this.#addWords(hashes, marks, count);
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

  #addWords(hashes: Int32Array, marks: Uint8Array, count: number): void {
    const ofUrl = this.#ofUrl;
    let sum = this.#sum;
    let squares = this.#squares;
    // The first words are those that the last call has seen, but for the first call.
    for (let i = this.#hasBegun ? SHINGLE_WORDS - 1 : 0; i < count; i++) {
      const word = hashes[i]!;
      if ((marks[i]! & HAS_DIGIT) !== 0 || ofUrl[word & (URL_WORDS - 1)] === word) continue;
      sum = (sum + word) | 0;
      squares = (squares + Math.imul(word, word)) | 0;
    }
    this.#hasBegun = true;
    this.#sum = sum;
    this.#squares = squares;
  }
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href; // a stray percent sign
  }
}

const textHash = new TextHash();

/** The hash of a visible text, or null when it is too short to be compared. */
export const simhash = (text: string): Simhash | null => hashesOf(text, "")?.simhash ?? null;

/** The same with its wording (`TextHash.wording`). `href`: where it stands, or "". */
export function hashesOf(text: string, href: string): { readonly simhash: Simhash; readonly wording: Simhash } | null {
  textHash.about(href);
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at++) {
    at = textHash.words.take(bytes, at, bytes.length);
    textHash.words.put(); // a "<" or "&"
  }
  const hash = textHash.finish();
  return hash === null ? null : { simhash: hash, wording: textHash.wording };
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
