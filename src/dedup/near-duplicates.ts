/**
 * Finds every stored SimHash within distance 3 of another.
 *
 * Three differing bits leave at least one of four 16-bit blocks as it was (Manku, Jain, Das Sarma 2007, with four tables).
 * So each hash stands in four chained hash tables, one a block, and a search looks through four chains. The records of
 * all tables are one: hash, id and the next of each chain, 28 bytes side by side, so that a candidate costs one access
 * to memory. Chains grow by 15 candidates each with a million hashes that are spread evenly.
 */
import { bitsIn } from "./bits.ts";
import { NEAR } from "./simhash.ts";

export interface Near {
  readonly id: number;
  /** Bits that differ. */
  readonly distance: number;
}

const TABLES = 4;
const HEADS = 1 << 16;
/** Words of a record: hi, lo, id, and for each table 1 + the index of the next record. */
const WORDS = 3 + TABLES;
/** Records grow by so many at a time: nothing is copied, and little lies idle. */
const CHUNK_BITS = 13;
const CHUNK = 1 << CHUNK_BITS;

export class NearDuplicates {
  /** For each table and block 1 + the index of the newest record. */
  readonly #heads = new Int32Array(TABLES * HEADS);
  readonly #chunks: Int32Array[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#heads.byteLength + this.#chunks.length * CHUNK * WORDS * 4;
  }

  /** Stores a hash (two 32-bit words) under an id of 32 bits. A hash may be stored more than once. */
  add(hi: number, lo: number, id: number): void {
    const index = this.#size++;
    if ((index & (CHUNK - 1)) === 0) this.#chunks.push(new Int32Array(CHUNK * WORDS));
    const chunk = this.#chunks[index >>> CHUNK_BITS]!;
    const at = (index & (CHUNK - 1)) * WORDS;
    chunk[at] = hi;
    chunk[at + 1] = lo;
    chunk[at + 2] = id;
    for (let table = 0; table < TABLES; table++) {
      const head = table * HEADS + blockOf(table, hi, lo);
      chunk[at + 3 + table] = this.#heads[head]!;
      this.#heads[head] = index + 1;
    }
  }

  /** All that are stored within the distance, each once, in no order. */
  find(hi: number, lo: number): Near[] {
    const found: Near[] = [];
    this.#search(hi, lo, Number.POSITIVE_INFINITY, (id, distance) => {
      found.push({ id, distance });
      return false;
    });
    return found;
  }

  /**
   * The nearest that is stored within the distance, the one stored last among equals; null when there is none. Where
   * hashes crowd (a great site of one template) no more than `effort` candidates are looked at, the newest first, and
   * one may be missed.
   */
  nearest(hi: number, lo: number, effort = Number.POSITIVE_INFINITY): Near | null {
    let best: Near | null = null;
    this.#search(hi, lo, effort, (id, distance) => {
      if (best === null || distance < best.distance) best = { id, distance };
      return distance === 0;
    });
    return best;
  }

  /** Calls `met` for each that is near, until it returns true. */
  #search(hi: number, lo: number, effort: number, met: (id: number, distance: number) => boolean): void {
    for (let table = 0; table < TABLES; table++) {
      let left = effort / TABLES;
      let next = this.#heads[table * HEADS + blockOf(table, hi, lo)]!;
      while (next !== 0 && left-- > 0) {
        const index = next - 1;
        const chunk = this.#chunks[index >>> CHUNK_BITS]!;
        const at = (index & (CHUNK - 1)) * WORDS;
        const hiBits = chunk[at]! ^ hi;
        const loBits = chunk[at + 1]! ^ lo;
        const distance = bitsIn(hiBits) + bitsIn(loBits);
        if (distance <= NEAR && !metBefore(table, hiBits, loBits) && met(chunk[at + 2]! >>> 0, distance)) return;
        next = chunk[at + 3 + table]!;
      }
    }
  }
}

/** The block by which a table is ordered: the table's sixteenth of bits, from the highest on. */
function blockOf(table: number, hi: number, lo: number): number {
  return ((table < 2 ? hi : lo) >>> ((table & 1) === 0 ? 16 : 0)) & 0xffff;
}

/** Whether an earlier table has the record in the same chain: the blocks do not differ there. */
function metBefore(table: number, hiBits: number, loBits: number): boolean {
  for (let earlier = 0; earlier < table; earlier++) if (blockOf(earlier, hiBits, loBits) === 0) return true;
  return false;
}
