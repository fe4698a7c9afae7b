/**
 * Cuts a text into words, of which only the hashes are kept. The text comes piece by piece, as UTF-8; no string is made.
 *
 * Where words end cannot be foretold, and a branch that is foretold wrongly costs as much as four characters. So there is
 * none in the inner loop: every character writes the hash so far to the next free place, and a word's end moves on to the
 * place behind.
 */
import { characterOf, characters, DIGIT, KIND, KIND_BITS, WORD } from "./characters.ts";

const FNV_PRIME = 0x01000193;

/** What a byte is. The sign is set where it is a character of a word; then the low bits are that character in lower case. */
const IN_WORD = 0x80000000 | 0;
/** The byte may begin markup, or a character reference. */
const MARKUP = 0x100;
/** Of a character beyond ASCII. */
const WIDE = 0x200;
export const HAS_DIGIT = 0x80;
/** Of the lowest 7 bits. */
const CODE = 0x7f;

const bytesAre = new Int32Array(256).fill(WIDE);
for (let code = 0; code < 128; code++) {
  const character = characterOf(code);
  const kind = character & KIND;
  if (code === 0x26 || code === 0x3c) bytesAre[code] = MARKUP;
  else if (kind > DIGIT) bytesAre[code] = 0;
  else bytesAre[code] = IN_WORD | (character >>> KIND_BITS) | (kind === DIGIT ? HAS_DIGIT : 0);
}

/** Where so many words are waiting they are given away, so that the next `STRETCH` characters have room. */
const ROOM = 8192;
const STRETCH = 2048;

/** Words in order. `marks[i]` has the bit `HAS_DIGIT` where there is a digit in the word; the other bits say nothing. */
export type TakeWords = (hashes: Int32Array, marks: Uint8Array, count: number) => number;

export class WordReader {
  readonly #hashes = new Int32Array(ROOM);
  readonly #marks = new Uint8Array(ROOM);
  readonly #takeWords: TakeWords;
  #count = 0;
  #givenAway = 0;
  /** Of the word that is not ended. */
  #hash = 0;
  #mark = 0;
  /** What the last byte is: in a word or not. */
  #last = 0;

  constructor(takeWords: TakeWords) {
    this.#takeWords = takeWords;
  }

  /** Words that have ended since `clear`. */
  get total(): number {
    return this.#givenAway + this.#count;
  }

  clear(): void {
    this.#count = 0;
    this.#givenAway = 0;
    this.#hash = 0;
    this.#mark = 0;
    this.#last = 0;
  }

  /** Reads from `from` on; answers where the first "<" or "&" stands, which is not read, or `end`. */
  take(bytes: Uint8Array, from: number, end: number): number {
    const table = bytesAre;
    const hashes = this.#hashes;
    const marks = this.#marks;
    for (let at = from; ; ) {
      if (this.#count > ROOM - STRETCH) this.#give();
      const stop = Math.min(end, at + STRETCH);
      let count = this.#count;
      let hash = this.#hash;
      let mark = this.#mark;
      let last = this.#last;
      let is = 0;
      for (; at < stop; at++) {
        is = table[bytes[at]!]!;
        if ((is & (MARKUP | WIDE)) !== 0) break;
        const inWord = is >> 31;
        hashes[count] = hash;
        marks[count] = mark;
        count = (count + ((last & ~is) >>> 31)) | 0;
        hash = Math.imul(hash ^ (is & CODE), FNV_PRIME) & inWord;
        mark = (mark | is) & inWord;
        last = is;
      }
      this.#count = count;
      this.#hash = hash;
      this.#mark = mark;
      this.#last = last;
      if (at === end || (at < stop && (is & MARKUP) !== 0)) return at;
      if (at < stop) at = this.#takeWide(bytes, at, end);
    }
  }

  /** Ends the word, if there is one: what follows does not belong to it. */
  put(): void {
    if (this.#last >= 0) return;
    this.#hashes[this.#count] = this.#hash;
    this.#marks[this.#count++] = this.#mark;
    this.#hash = 0;
    this.#mark = 0;
    this.#last = 0;
    if (this.#count > ROOM - STRETCH) this.#give();
  }

  /** Ends the text. */
  end(): void {
    this.put();
    this.#give();
  }

  #give(): void {
    const count = this.#count;
    const kept = this.#takeWords(this.#hashes, this.#marks, count);
    this.#hashes.copyWithin(0, count - kept, count);
    this.#marks.copyWithin(0, count - kept, count);
    this.#givenAway += count - kept;
    this.#count = kept;
  }

  /** Reads one character beyond ASCII, or what is not well-formed; where it ends. */
  #takeWide(bytes: Uint8Array, at: number, end: number): number {
    const lead = bytes[at]!;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    let code = lead & (CODE >> length);
    let next = at + 1;
    for (; next < at + length && next < end && (bytes[next]! & 0xc0) === 0x80; next++)
      code = (code << 6) | (bytes[next]! & 0x3f);
    if (next === at + length && lead >= 0xc2 && lead <= 0xf4 && code >= LEAST[length]! && code <= 0x10ffff)
      this.#takeCharacter(code);
    else this.put();
    return next;
  }

  #takeCharacter(code: number): void {
    const character = code > 0xffff ? (code << KIND_BITS) | WORD : characters[code] || characterOf(code);
    const kind = character & KIND;
    if (kind > DIGIT) this.put();
    if (kind > WORD) return;
    this.#hash = Math.imul(this.#hash ^ (character >>> KIND_BITS), FNV_PRIME);
    if (kind === DIGIT) this.#mark |= HAS_DIGIT;
    this.#last = IN_WORD;
    if (kind === WORD) this.put();
  }
}

/** The least character that takes so many bytes: a shorter form is the only good one. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000];
