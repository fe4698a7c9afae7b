/**
 * A table of URLs that are known to be in a store far away, with the cash that they had there when it was heard of last: it
 * forgets, it never lies. Two places a fingerprint, of which the one used longer ago is given up.
 */
const WAYS = 2;
const UNUSED = 255;

export class KnownLinks {
  /** Of each place the two words of its fingerprint. */
  readonly #words: Uint32Array;
  readonly #levels: Uint8Array;
  readonly #mask: number;
  /** Fingerprints that were asked for, and those of them that were there. */
  asked = 0;
  met = 0;

  /** `places` is rounded up to a power of two; 9 bytes each. */
  constructor(places = 1 << 20) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(places, WAYS)));
    this.#words = new Uint32Array(size * 2);
    this.#levels = new Uint8Array(size).fill(UNUSED);
    this.#mask = size - WAYS;
  }

  /** The level of cash that it had (`cash-levels`), below what it has now at most; -1 when it is not in the table. */
  level(hi: number, lo: number): number {
    this.asked++;
    const place = this.#placeOf(hi, lo);
    if (place === -1) return -1;
    this.met++;
    return this.#levels[place]!;
  }

  /** It is known, and has so much. */
  put(hi: number, lo: number, level: number): void {
    const first = lo & this.#mask;
    const words = this.#words;
    if (this.#placeOf(hi, lo) !== first) {
      // The one that was first is the one used later.
      words.copyWithin((first + 1) * 2, first * 2, first * 2 + 2);
      this.#levels[first + 1] = this.#levels[first]!;
      words[first * 2] = hi;
      words[first * 2 + 1] = lo;
    }
    this.#levels[first] = Math.min(level, UNUSED - 1);
  }

  /** It is known no more. */
  remove(hi: number, lo: number): void {
    const place = this.#placeOf(hi, lo);
    if (place !== -1) this.#levels[place] = UNUSED;
  }

  #placeOf(hi: number, lo: number): number {
    const first = lo & this.#mask;
    const words = this.#words;
    for (let place = first; place < first + WAYS; place++)
      if (words[place * 2] === hi && words[place * 2 + 1] === lo && this.#levels[place] !== UNUSED) return place;
    return -1;
  }
}
