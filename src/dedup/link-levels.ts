/**
 * In-links in three bits a URL: level k stands for about 2^k links (approximate counting: Morris 1978, Flajolet 1985).
 *
 * What lies between two powers of two is left to chance, in the proportion that keeps the expected count right. The
 * chance is a generator of its own that begins anew with each opening, so that two stores given the same count alike.
 */
import { MOST_LINKED } from "../model/link.ts";

const SEED = 0x9e3779b9;

export class LinkLevels {
  #state = SEED;

  /** The level of a URL of `level` after `links` more links (1 or more). */
  after(level: number, links: number): number {
    if (level >= MOST_LINKED) return level;
    const count = 2 ** level + links;
    const floor = count >= 2 ** MOST_LINKED ? MOST_LINKED : 31 - Math.clz32(count);
    if (floor >= MOST_LINKED) return MOST_LINKED;
    const rest = count - 2 ** floor;
    return rest > 0 && this.#next() * 2 ** floor < rest ? floor + 1 : floor;
  }

  /** From 0 up to 1: xorshift32 (Marsaglia 2003). */
  #next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) / 2 ** 32;
  }
}
