/** A small table of fingerprints met lately: it forgets, it never lies. Direct-mapped, one slot a fingerprint. */

export class RecentFingerprints {
  readonly #words: Uint32Array;
  readonly #mask: number;

  /** `slots` is rounded up to a power of two; 8 bytes each. */
  constructor(slots = 1 << 16) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(slots, 2)));
    this.#words = new Uint32Array(size * 2);
    this.#mask = size - 1;
  }

  /** Remembers the fingerprint; true when it was remembered already. */
  met(hi: number, lo: number): boolean {
    const at = (lo & this.#mask) * 2;
    if (this.#words[at] === hi && this.#words[at + 1] === lo) return true;
    this.#words[at] = hi;
    this.#words[at + 1] = lo;
    return false;
  }

  clear(): void {
    this.#words.fill(0);
  }
}
