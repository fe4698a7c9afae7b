/**
 * Cash in one byte a URL: level 0 is none, level k about 2^((k - 41) / 2), from 2^-20 (level 1) up; level 41 is 1.
 *
 * What lies between two levels is left to chance, in the proportion that keeps the expected sum right (approximate
 * counting: Morris 1978, Flajolet 1985). The chance is a generator of its own that begins anew with each opening, so
 * that two stores that are given the same round alike.
 */
import { carriesCash, type LinksAgain, type NewUrl } from "../model/link.ts";

const SEED = 0x9e3779b9;
const LEVELS = 256;
/** Of a doubling. Whole doublings cost a third of what cash is better than breadth-first; quarters are not better than halves. */
const STEPS = 2;
const LEAST = 2 ** -20;

/** What a URL that was admitted has at least: a page that nobody gives anything gives its links something all the same. */
export const FIRST_LEVEL = 1;

const AMOUNTS = Float64Array.from({ length: LEVELS }, (_, level) =>
  level === 0 ? 0 : LEAST * 2 ** ((level - FIRST_LEVEL) / STEPS),
);

/** What a level stands for. */
export function cashOf(level: number): number {
  return AMOUNTS[level]!;
}

/** What each link of a page that has ended is given of its cash (promise 8 of ports/frontier); `level`: the page's. */
export function shareOf(level: number, links: readonly NewUrl[], linksAgain: LinksAgain | null | undefined): number {
  let count = linksAgain?.count ?? 0;
  for (const link of links) if (carriesCash(link)) count++;
  return count === 0 ? 0 : cashOf(Math.max(level, FIRST_LEVEL)) / count;
}

export class CashLevels {
  #state = SEED;

  /** The level after `amount` more, which is not negative. */
  after(level: number, amount: number): number {
    const sum = AMOUNTS[level]! + amount;
    let next = level;
    while (next < LEVELS - 1 && AMOUNTS[next + 1]! <= sum) next++;
    const low = AMOUNTS[next]!;
    if (next === LEVELS - 1 || sum === low) return next;
    return this.#next() * (AMOUNTS[next + 1]! - low) < sum - low ? next + 1 : next;
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
