/**
 * A small table of links met lately, each with the number of pages that had it: it forgets, it never lies. Direct-mapped,
 * one slot a fingerprint.
 *
 * It spares the control thread a site's menu a thousand times over. Counts of in-links must not be lost with it: a link
 * is told again when the number of its pages has doubled, which is all that a counter of logarithmic scale can use.
 */

/** A third word stands beside the fingerprint: 8 bits of count, 24 of the number of the page that had the link last. */
const WORDS = 3;
const COUNT_BITS = 8;
const MOST = 2 ** COUNT_BITS - 1;

export class RecentLinks {
  readonly #words: Uint32Array;
  readonly #mask: number;
  #page = 0;

  /** `slots` is rounded up to a power of two; 12 bytes each. */
  constructor(slots = 1 << 16) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(slots, 2)));
    this.#words = new Uint32Array(size * WORDS);
    this.#mask = size - 1;
  }

  /** The links that follow are of another page. */
  nextPage(): void {
    this.#page = (this.#page + 1) >>> 0;
  }

  /**
   * Counts a link of this page. 1: it was not known, and must be told. 2, 4, 8 ... 128: so many pages have had it by now,
   * and half of them since it was told last. 0: there is nothing to tell; so it is of a link that this page has had.
   */
  met(hi: number, lo: number): number {
    const words = this.#words;
    const at = (lo & this.#mask) * WORDS;
    const page = (this.#page << COUNT_BITS) >>> 0;
    if (words[at] !== hi || words[at + 1] !== lo || words[at + 2] === 0) {
      words[at] = hi;
      words[at + 1] = lo;
      words[at + 2] = page | 1;
      return 1;
    }
    const last = words[at + 2]!;
    const count = last & MOST;
    if ((last ^ page) >>> COUNT_BITS === 0 || count === MOST) return 0;
    words[at + 2] = page | (count + 1);
    return (count & (count + 1)) === 0 ? count + 1 : 0;
  }

  clear(): void {
    this.#words.fill(0);
  }
}
