/**
 * A small table of links met lately: it forgets, it never lies. Direct-mapped, one slot a fingerprint.
 *
 * It spares the control thread a site's menu a thousand times over.
 */
export class RecentLinks {
  readonly #words: Uint32Array;
  readonly #mask: number;

  /** `slots` is rounded up to a power of two; 8 bytes each. */
  constructor(slots = 1 << 16) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(slots, 2)));
    this.#words = new Uint32Array(size * 2);
    this.#mask = size - 1;
    this.clear();
  }

  /** Whether a link was met before, and not forgotten since; from now on it was. */
  met(hi: number, lo: number): boolean {
    const words = this.#words;
    const at = (lo & this.#mask) * 2;
    if (words[at] === hi && words[at + 1] === lo) return true;
    words[at] = hi;
    words[at + 1] = lo;
    return false;
  }

  clear(): void {
    // A word that belongs to another slot: nothing is met here.
    for (let slot = 0; slot <= this.#mask; slot++) this.#words[slot * 2 + 1] = ~slot;
  }
}
