/**
 * An exact set of 64-bit fingerprints, each with a 32-bit id: open addressing (linear probing) in typed arrays.
 *
 * 12 bytes a slot (hi, lo, id) and a load kept between 0.76 and 0.86 make at most 15.8 bytes an entry. The table is cut
 * into segments by the top bits of `hi`, each growing by an eighth on its own: no single pause is longer than the
 * rehash of one segment (0.5 ms at 50 million entries), and no array comes near 2^31 bytes.
 */
import { hashBytes } from "../base/hash.ts";

const SEGMENT_BITS = 10;
const SEGMENTS = 1 << SEGMENT_BITS;
/** Words of a slot: hi, lo, id. An id of 0 marks the slot as free. */
const WORDS = 3;
const MAX_LOAD = 0.86;
const GROWTH = 1.125;
const FIRST_SLOTS = 8;
const MAGIC = 0x54574654; // "TFWT" in memory order; reads otherwise on a machine of other endianness
const VERSION = 1;
const HEADER_WORDS = 4 + SEGMENTS;

/** What an unused segment points to: one free slot, so that a look-up ends at once. */
const NOTHING = new Int32Array(WORDS);

export class FingerprintTable {
  readonly #segments: Int32Array[] = new Array<Int32Array>(SEGMENTS).fill(NOTHING);
  readonly #counts = new Uint32Array(SEGMENTS);
  #size = 0;

  /** Entries held. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of the arrays. */
  get bytes(): number {
    let sum = this.#counts.byteLength;
    for (const segment of this.#segments) if (segment !== NOTHING) sum += segment.byteLength;
    return sum;
  }

  /** The id of a fingerprint (two unsigned 32-bit words), or 0 when it is not in the table. */
  find(hi: number, lo: number): number {
    const segment = this.#segments[hi >>> (32 - SEGMENT_BITS)]!;
    return segment[slotOf(segment, hi | 0, lo | 0) + 2]! >>> 0;
  }

  /** Adds a fingerprint with its id (1 to 2^32 - 1). False, and nothing is changed, when it was there already. */
  insert(hi: number, lo: number, id: number): boolean {
    const index = hi >>> (32 - SEGMENT_BITS);
    let segment = this.#segments[index]!;
    let at = slotOf(segment, hi | 0, lo | 0);
    if (segment[at + 2] !== 0) return false;
    if (this.#counts[index]! + 1 > (segment.length / WORDS) * MAX_LOAD) {
      segment = grown(segment);
      this.#segments[index] = segment;
      at = slotOf(segment, hi | 0, lo | 0);
    }
    segment[at] = hi;
    segment[at + 1] = lo;
    segment[at + 2] = id;
    this.#counts[index]!++;
    this.#size++;
    return true;
  }

  /**
   * The table as bytes, in pieces, to be written one after another: a header, the segments, a checksum over all of it.
   * The pieces are views of the live arrays: write them before the next insert.
   */
  *snapshot(): IterableIterator<Uint8Array> {
    const header = new Uint32Array(HEADER_WORDS);
    header[0] = MAGIC;
    header[1] = VERSION;
    header[2] = SEGMENTS;
    for (let i = 0; i < SEGMENTS; i++) header[4 + i] = this.#segments[i]!.length / WORDS;
    let sum = 0;
    for (const words of [header, ...this.#segments]) {
      const piece = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
      sum = hashBytes(piece, piece.length, sum)[0];
      yield piece;
    }
    yield new Uint8Array(Uint32Array.of(sum).buffer);
  }

  /** The table of a snapshot, or null when the bytes are cut short, changed, or of another version or endianness. */
  static restore(bytes: Uint8Array): FingerprintTable | null {
    if (bytes.length < (HEADER_WORDS + 1) * 4 || bytes.length % 4 !== 0) return null;
    const header = words(bytes, 0, HEADER_WORDS);
    if (header[0] !== MAGIC >> 0 || header[1] !== VERSION || header[2] !== SEGMENTS) return null;
    let total = HEADER_WORDS;
    for (let i = 0; i < SEGMENTS; i++) total += (header[4 + i]! >>> 0) * WORDS;
    if (bytes.length !== (total + 1) * 4) return null;
    const table = new FingerprintTable();
    let sum = hashBytes(bytes.subarray(0, HEADER_WORDS * 4), HEADER_WORDS * 4, 0)[0];
    let at = HEADER_WORDS;
    for (let i = 0; i < SEGMENTS; i++) {
      const length = header[4 + i]! * WORDS;
      const segment = words(bytes, at, length);
      sum = hashBytes(new Uint8Array(segment.buffer), length * 4, sum)[0];
      let count = 0;
      for (let slot = 2; slot < length; slot += WORDS) if (segment[slot] !== 0) count++;
      if (count > 0) table.#segments[i] = segment;
      table.#counts[i] = count;
      table.#size += count;
      at += length;
    }
    return words(bytes, at, 1)[0]! >>> 0 === sum ? table : null;
  }
}

/** A copy of `count` words from word `at` on: aligned, whatever the alignment of `bytes`. */
function words(bytes: Uint8Array, at: number, count: number): Int32Array {
  return new Int32Array(bytes.slice(at * 4, (at + count) * 4).buffer);
}

/** The index of the slot that holds the fingerprint, or of the free slot where it would go. All words are signed. */
function slotOf(segment: Int32Array, hi: number, lo: number): number {
  const end = segment.length;
  // The place grows with `lo`: rehashing in slot order then walks both arrays forward, which caches like.
  let at = Math.trunc(((lo >>> 0) * (end / WORDS)) / 2 ** 32) * WORDS;
  while (segment[at + 2] !== 0 && (segment[at + 1] !== lo || segment[at] !== hi)) {
    at += WORDS;
    if (at === end) at = 0;
  }
  return at;
}

function grown(segment: Int32Array): Int32Array {
  const slots = segment.length / WORDS;
  const larger = new Int32Array(Math.max(Math.ceil(slots * GROWTH), slots + 2, FIRST_SLOTS) * WORDS);
  for (let at = 0; at < segment.length; at += WORDS) {
    if (segment[at + 2] === 0) continue;
    const to = slotOf(larger, segment[at]!, segment[at + 1]!);
    larger[to] = segment[at]!;
    larger[to + 1] = segment[at + 1]!;
    larger[to + 2] = segment[at + 2]!;
  }
  return larger;
}
