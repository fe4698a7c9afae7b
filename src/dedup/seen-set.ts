/** What a set of seen URLs promises, whichever way it remembers them; and the exact one. */
import { FingerprintTable } from "./fingerprint-table.ts";
import { type Pieces, restored } from "./snapshot.ts";

/**
 * A set of 64-bit fingerprints: two unsigned 32-bit words, the first two of a 128-bit hash (base/hash), hence uniform.
 *
 * What was added is always found. What was not may be found too, with a probability that the set can tell: then a URL is
 * taken for one that was seen, and is lost to the crawl.
 */
export interface SeenSet {
  /** Adds a fingerprint; false when it was there already, or seemed to be. */
  add(hi: number, lo: number): boolean;
  has(hi: number, lo: number): boolean;
  /** Fingerprints whose `add` was true, and that were not deleted. */
  readonly size: number;
  /** Memory held, in bytes. */
  readonly bytes: number;
  /** The probability, as full as the set is now, that `has` is true of what was never added. */
  readonly falsePositiveRate: number;
  /** How many new fingerprints, of all that came since the set was empty, `add` is expected to have refused. */
  readonly expectedLost: number;
  /**
   * The set as bytes with a checksum, in pieces, to be written one after another. They may be views of live memory:
   * write each before the next `add`. Each kind has a `restore` that takes them back, cut anywhere, or says null.
   */
  snapshot(): IterableIterator<Uint8Array>;
}

/** The exact set: the fingerprints themselves, 12 to 16 bytes each. Two URLs are one only if 64 bits of hash are. */
export class ExactSet implements SeenSet {
  readonly falsePositiveRate = 0;
  readonly expectedLost = 0;
  readonly #table: FingerprintTable;

  /** `expected`: how many are about to come, if that is known. */
  constructor(expected = 0, table = new FingerprintTable(expected)) {
    this.#table = table;
  }

  get size(): number {
    return this.#table.size;
  }

  get bytes(): number {
    return this.#table.bytes;
  }

  has(hi: number, lo: number): boolean {
    return this.#table.find(hi, lo) !== 0;
  }

  add(hi: number, lo: number): boolean {
    return this.#table.insert(hi, lo, 1);
  }

  snapshot(): IterableIterator<Uint8Array> {
    return this.#table.snapshot();
  }

  /** The set of a snapshot; null when the bytes are damaged, or of something else. */
  static restore(pieces: Pieces): ExactSet | null {
    const table = restored(pieces, FingerprintTable.read);
    return table === null ? null : new ExactSet(0, table);
  }
}
