/**
 * An exact set of 64-bit fingerprints, each with a 32-bit id: open addressing in typed arrays, 12 bytes a slot.
 *
 * The load is kept between 0.83 and 0.88, which makes at most 14.5 bytes an entry. So full a table is quick because its
 * entries are sorted: an entry's home slot grows with its key, and no entry stands before one of a smaller key (ordered
 * linear probing: Amble and Knuth 1974). A search for what is not there ends as early as one for what is, and growing
 * is one walk forward over both arrays.
 *
 * The table is cut into segments by the top bits of `hi`, each growing by a sixteenth on its own: no pause is longer than
 * the growth of one segment (200,000 entries of 50 million), and no array comes near 2^31 bytes.
 */
import { hashBytes } from "../base/hash.ts";

const SEGMENT_BITS = 8;
const SEGMENTS = 1 << SEGMENT_BITS;
/** Words of a slot: key (`lo` with its top bit turned, so that signed order is its order), `hi`, id. Free: id 0. */
const WORDS = 3;
const TOP_BIT = 0x80000000;
const MAX_LOAD = 0.88;
const GROWTH = 1.0625;
const FIRST_SLOTS = 8;
/** Of a segment: that of a full table of 2^32 entries is far smaller. */
const MAX_WORDS = 2 ** 28;
/** Slots behind the last home, for entries that are pushed on. The very last slot of an array is always free. */
const SPARE = 16;
const MAGIC = 0x54574654; // "TFWT" in memory order; reads otherwise on a machine of other endianness
const VERSION = 2;
/** Words before a segment in a snapshot: magic, version and number of the segment, home slots, words, checksum. */
const HEADER_WORDS = 5;
const CHECKSUM_AT = 4;

/** What an unused segment points to: one free slot, so that a look-up ends at once. */
const NOTHING = new Int32Array(WORDS);

export class FingerprintTable {
  readonly #segments: Int32Array[] = new Array<Int32Array>(SEGMENTS).fill(NOTHING);
  /** Home slots of each segment; its array is a little longer. */
  readonly #homes = new Uint32Array(SEGMENTS).fill(1);
  readonly #counts = new Uint32Array(SEGMENTS);
  #size = 0;

  /** `expected`: how many entries are about to come, if that is known: no time is spent on growing then. */
  constructor(expected = 0) {
    const homes = Math.ceil(expected / SEGMENTS / MAX_LOAD);
    if (homes < FIRST_SLOTS) return;
    this.#homes.fill(homes);
    for (let i = 0; i < SEGMENTS; i++) this.#segments[i] = new Int32Array((homes + SPARE) * WORDS);
  }

  /** Entries held. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of the arrays. */
  get bytes(): number {
    let sum = this.#homes.byteLength + this.#counts.byteLength;
    for (const segment of this.#segments) if (segment !== NOTHING) sum += segment.byteLength;
    return sum;
  }

  /** The id of a fingerprint (two unsigned 32-bit words), or 0 when it is not in the table. */
  find(hi: number, lo: number): number {
    const index = hi >>> (32 - SEGMENT_BITS);
    const segment = this.#segments[index]!;
    const at = placeOf(segment, this.#homes[index]!, hi | 0, lo ^ TOP_BIT);
    return holds(segment, at, hi | 0, lo ^ TOP_BIT) ? segment[at + 2]! >>> 0 : 0;
  }

  /** Adds a fingerprint with its id (1 to 2^32 - 1). False, and nothing is changed, when it was there already. */
  insert(hi: number, lo: number, id: number): boolean {
    return this.findOrInsert(hi, lo, id) === 0;
  }

  /** The id of a fingerprint that is in the table; one that is not is added with the id given, and the answer is 0. */
  findOrInsert(hi: number, lo: number, id: number): number {
    const index = hi >>> (32 - SEGMENT_BITS);
    const key = lo ^ TOP_BIT;
    let segment = this.#segments[index]!;
    let at = placeOf(segment, this.#homes[index]!, hi | 0, key);
    if (holds(segment, at, hi | 0, key)) return segment[at + 2]! >>> 0;
    let free = freeFrom(segment, at);
    while (this.#counts[index]! >= this.#homes[index]! * MAX_LOAD || free + WORDS === segment.length) {
      segment = this.#grow(index);
      at = placeOf(segment, this.#homes[index]!, hi | 0, key);
      free = freeFrom(segment, at);
    }
    for (let to = free + WORDS - 1; to >= at + WORDS; to--) segment[to] = segment[to - WORDS]!;
    segment[at] = key;
    segment[at + 1] = hi;
    segment[at + 2] = id;
    this.#counts[index]!++;
    this.#size++;
    return 0;
  }

  /** Gives a fingerprint that is in the table another id. Throws when it is not there. */
  replace(hi: number, lo: number, id: number): void {
    const index = hi >>> (32 - SEGMENT_BITS);
    const segment = this.#segments[index]!;
    const at = placeOf(segment, this.#homes[index]!, hi | 0, lo ^ TOP_BIT);
    if (!holds(segment, at, hi | 0, lo ^ TOP_BIT))
      throw new Error("a fingerprint that is not there has no id to change");
    segment[at + 2] = id;
  }

  /**
   * The table as bytes, in pieces, one a segment: copies, to be written one after another. Fingerprints may be inserted
   * between two pieces: then all that was there at the first is in the snapshot, and some of what came later.
   */
  *snapshot(): IterableIterator<Uint8Array> {
    for (let i = 0; i < SEGMENTS; i++) {
      const segment = this.#segments[i]!;
      const piece = new Int32Array(HEADER_WORDS + segment.length);
      piece.set([MAGIC, VERSION | (i << 8), this.#homes[i]!, segment.length]);
      piece.set(segment, HEADER_WORDS);
      piece[CHECKSUM_AT] = checksum(piece);
      yield new Uint8Array(piece.buffer);
    }
  }

  /** The table of a snapshot, or null when the bytes are cut short, changed, or of another version or endianness. */
  static restore(bytes: Uint8Array): FingerprintTable | null {
    let at = 0;
    const table = FingerprintTable.read((target) => {
      target.set(bytes.subarray(at, at + target.length));
      at += target.length;
      return at <= bytes.length;
    });
    return at === bytes.length ? table : null;
  }

  /** As `restore`, from `fill`, which fills an array with the bytes that follow and answers false when there are too few. */
  static read(fill: (target: Uint8Array) => boolean): FingerprintTable | null {
    const table = new FingerprintTable();
    const header = new Int32Array(HEADER_WORDS);
    for (let i = 0; i < SEGMENTS; i++) {
      if (!fill(new Uint8Array(header.buffer))) return null;
      const [magic, version, homes, words] = header;
      if (magic !== MAGIC || version !== (VERSION | (i << 8)) || words! < 0 || words! > MAX_WORDS) return null;
      const piece = new Int32Array(HEADER_WORDS + words!);
      piece.set(header);
      if (!fill(new Uint8Array(piece.buffer, HEADER_WORDS * 4))) return null;
      piece[CHECKSUM_AT] = 0;
      if (checksum(piece) !== header[CHECKSUM_AT]) return null;
      table.#adopt(i, piece.subarray(HEADER_WORDS), homes!);
    }
    return table;
  }

  #adopt(index: number, segment: Int32Array, homes: number): void {
    let count = 0;
    for (let at = 2; at < segment.length; at += WORDS) if (segment[at] !== 0) count++;
    if (count > 0) this.#segments[index] = segment;
    if (count > 0) this.#homes[index] = homes;
    this.#counts[index] = count;
    this.#size += count;
  }

  #grow(index: number): Int32Array {
    const segment = this.#segments[index]!;
    const homes = Math.max(Math.ceil(this.#homes[index]! * GROWTH), FIRST_SLOTS);
    let larger: Int32Array | null = null;
    // More room at the end is needed only where very many keys are nearly equal: never, unless someone means it.
    for (let spare = SPARE; larger === null; spare *= 2) larger = laidOut(segment, homes, spare);
    this.#homes[index] = homes;
    this.#segments[index] = larger;
    return larger;
  }
}

/** Of a segment with its header, in which the place of the checksum is still 0. */
const checksum = (piece: Int32Array): number => hashBytes(new Uint8Array(piece.buffer))[0] | 0;

/** The word at which a key's home slot begins. */
function homeOf(homes: number, key: number): number {
  return Math.imul((((key ^ TOP_BIT) >>> 0) * homes * 2 ** -32) | 0, WORDS);
}

/** The word at which the slot begins that holds the fingerprint, or where it would have to stand. */
function placeOf(segment: Int32Array, homes: number, hi: number, key: number): number {
  let at = homeOf(homes, key);
  while (segment[at + 2] !== 0) {
    const there = segment[at]!;
    if (there > key || (there === key && segment[at + 1] === hi)) break;
    at = (at + WORDS) | 0;
  }
  return at;
}

function holds(segment: Int32Array, at: number, hi: number, key: number): boolean {
  return segment[at + 2] !== 0 && segment[at] === key && segment[at + 1] === hi;
}

function freeFrom(segment: Int32Array, from: number): number {
  let at = from;
  while (segment[at + 2] !== 0) at = (at + WORDS) | 0;
  return at;
}

/** A copy with so many home slots, or null when it would not leave room for one entry more behind the last. */
function laidOut(segment: Int32Array, homes: number, spare: number): Int32Array | null {
  const larger = new Int32Array((homes + spare) * WORDS);
  let next = 0;
  for (let from = 0; from < segment.length; from = (from + WORDS) | 0) {
    const id = segment[from + 2]!;
    if (id === 0) continue;
    const key = segment[from]!;
    const to = Math.max(homeOf(homes, key), next);
    next = to + WORDS;
    if (next + WORDS >= larger.length) return null;
    larger[to] = key;
    larger[to + 1] = segment[from + 1]!;
    larger[to + 2] = id;
  }
  return larger;
}
