/**
 * SimHash of a page's visible text (Charikar 2002; Manku, Jain, Das Sarma 2007): 64 bits, few of which change when little
 * of the text does. Hashes are stored: a change of the definition needs a new version of the state.
 *
 * - The text is cut into words: longest runs of letters, marks and digits (Unicode L, M, N). A character of a script
 *   written without spaces (Han, kana, Thai, Lao, Khmer, Burmese, Bopomofo) is a word by itself; so is each half (UTF-16)
 *   of a character beyond the first plane.
 * - Features are shingles: three words in a row, each occurrence counting.
 * - A shingle weighs 4; 1 when one of its words has a digit in it. Dates, counters and ids change where the page does not.
 * - A word's hash is FNV-1a 32 over the numbers of its characters in lower case (one to one). A shingle's hash is
 *   murmur3's finalizer over two polynomials of its words' hashes.
 * - Bit i is set where the shingles that have it set outweigh those that have not.
 * - A text of fewer than `MIN_WORDS` words has none: one word more would change it beyond recognition.
 */
import { fmix } from "../base/hash.ts";
import { BitCounts } from "./bit-counts.ts";
import { bitsIn } from "./bits.ts";
import { characterOf, characters, DIGIT, KIND, KIND_BITS, WORD } from "./characters.ts";

export const MIN_WORDS = 32;
/** Hashes that differ in so many bits or fewer are those of near-duplicates. */
export const NEAR = 3;

/** Two unsigned 32-bit words, the higher first. */
export type Simhash = readonly [hi: number, lo: number];

const SHINGLE_WORDS = 3;
const WEIGHT = 4;
const WEIGHT_OF_NUMBERS = 1;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
const HI_FACTOR = 0x9e3779b1 | 0;
const LO_FACTOR = 0x85ebca77 | 0;

const plain = new BitCounts();
const numbers = new BitCounts();
/** Words of a text: their hashes, and whether there is a digit in them. */
let hashes = new Int32Array(1 << 14);
let digits = new Uint8Array(1 << 14);
const sums = new Float64Array(64);

/** The hash of a visible text, or null when it is too short to be compared. */
export function simhash(text: string): Simhash | null {
  const count = readWords(text);
  if (count < MIN_WORDS) return null;
  plain.clear();
  numbers.clear();
  for (let i = SHINGLE_WORDS - 1; i < count; i++) {
    const counts = (digits[i - 2]! | digits[i - 1]! | digits[i]!) === 0 ? plain : numbers;
    addShingle(counts, hashes[i - 2]!, hashes[i - 1]!, hashes[i]!);
  }
  sums.fill(0);
  plain.addTo(sums, WEIGHT);
  numbers.addTo(sums, WEIGHT_OF_NUMBERS);
  return majority(sums, plain.total * WEIGHT + numbers.total * WEIGHT_OF_NUMBERS);
}

/** Reads the text's words into `hashes` and `digits`; how many they are. */
function readWords(text: string): number {
  const { length } = text;
  if (length > hashes.length) {
    hashes = new Int32Array(length); // no more words than characters
    digits = new Uint8Array(length);
  }
  // In locals: bindings of the module are looked up each time.
  const known = characters;
  const intoHashes = hashes;
  const intoDigits = digits;
  let count = 0;
  let hash = FNV_OFFSET;
  let hasDigit = 0;
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    const character = known[unit] || characterOf(unit);
    const kind = character & KIND;
    if (kind <= DIGIT) {
      hash = Math.imul(hash ^ (character >>> KIND_BITS), FNV_PRIME);
      hasDigit |= kind;
      continue;
    }
    if (hash !== FNV_OFFSET) {
      intoHashes[count] = hash;
      intoDigits[count++] = hasDigit;
      hash = FNV_OFFSET;
      hasDigit = 0;
    }
    if (kind === WORD) {
      intoHashes[count] = Math.imul(FNV_OFFSET ^ (character >>> KIND_BITS), FNV_PRIME);
      intoDigits[count++] = 0;
    }
  }
  if (hash !== FNV_OFFSET) {
    intoHashes[count] = hash;
    intoDigits[count++] = hasDigit;
  }
  return count;
}

function addShingle(counts: BitCounts, a: number, b: number, c: number): void {
  const hi = Math.imul(Math.imul(a, HI_FACTOR) + b, HI_FACTOR) + c;
  const lo = Math.imul(Math.imul(a, LO_FACTOR) + b, LO_FACTOR) + c;
  counts.add(fmix(hi), fmix(lo));
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
