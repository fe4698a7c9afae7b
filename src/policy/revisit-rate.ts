/**
 * How often each page is visited again, when only so many visits can be paid for. The shares that keep most pages fresh
 * are not proportional to how often pages change: one that changes faster than can be followed is stale again at once
 * whatever is spent on it, and gets less (Cho and Garcia-Molina, "Effective page refresh policies for Web crawlers", 2003).
 * Rates are events per ms.
 */

/** Which shares: the most expected freshness, the same for all, or as much more as a page changes more often. */
export type RevisitPolicy = "freshness" | "uniform" | "proportional";

export const REVISIT_POLICIES = ["freshness", "uniform", "proportional"] as const satisfies readonly RevisitPolicy[];

/** The share of time that a copy is up to date, when its page changes at `changes` and is visited at even times at `visits`. */
export function freshness(changes: number, visits: number): number {
  if (changes === 0) return 1;
  if (visits === 0) return 0;
  const perVisit = changes / visits;
  return -Math.expm1(-perVisit) / perVisit;
}

/** For how long, on average, a copy has been out of date (0 while it is not), in ms. */
export function age(changes: number, visits: number): number {
  if (changes === 0) return 0;
  if (visits === 0) return Number.POSITIVE_INFINITY;
  const interval = 1 / visits;
  const perVisit = changes * interval;
  return interval * (0.5 - 1 / perVisit + -Math.expm1(-perVisit) / perVisit ** 2);
}

/**
 * At how many visits one more is worth `price`: what a visit more adds to the freshness of a page of this weight falls as
 * visits grow, from weight / changes down to nothing. 0 when not even the first is worth it.
 */
export function visitsWorth(changes: number, weight: number, price: number): number {
  if (changes === 0 || weight === 0) return 0;
  const target = (price * changes) / weight;
  if (target >= 1) return 0;
  return changes / changesBetween(target);
}

/** Solves 1 - (1 + x) e^-x = y for x: the changes between two visits at which one more is worth y. Newton from a bound below. */
function changesBetween(y: number): number {
  let x = Math.sqrt(2 * y); // the left side is x^2 / 2 - x^3 / 3 + ...: the root is to the right
  for (let step = 0; step < 60; step++) {
    const gap = y - 1 + (1 + x) * Math.exp(-x);
    const next = x + gap / (x * Math.exp(-x));
    if (!(Math.abs(next - x) > 1e-12 * x)) return next;
    x = next;
  }
  return x;
}

/** Bins of changes / weight, eight to a doubling, over 2^96. */
const BINS_PER_DOUBLING = 8;
const BINS = 96 * BINS_PER_DOUBLING;
const SMALLEST_LOG2 = -60;

/**
 * What all pages together ask for, kept while they come, change and go: the price at which the visits that are worth it
 * are as many as can be paid for. Pages are kept by the ratio of their rate to their weight, in bins: 6 KB in all.
 */
export class Demand {
  readonly #changes = new Float64Array(BINS);
  #pages = 0;
  #sum = 0;

  add(changes: number, weight: number): void {
    this.#put(changes, weight, 1);
  }

  remove(changes: number, weight: number): void {
    this.#put(changes, weight, -1);
  }

  #put(changes: number, weight: number, sign: 1 | -1): void {
    this.#pages += sign;
    this.#sum += sign * changes;
    if (changes > 0 && weight > 0) this.#changes[binOf(changes / weight)]! += sign * changes;
  }

  get pages(): number {
    return this.#pages;
  }

  /** The price at which all pages together take `visits`. 0 when there are none. */
  price(visits: number): number {
    let low = -400;
    let high = 400;
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2;
      if (this.#visitsAt(2 ** middle) > visits) low = middle;
      else high = middle;
    }
    return this.#pages === 0 ? 0 : 2 ** high;
  }

  #visitsAt(price: number): number {
    let sum = 0;
    for (let bin = 0; bin < BINS; bin++) {
      const changes = this.#changes[bin]!;
      if (changes <= 0) continue;
      const ratio = 2 ** (SMALLEST_LOG2 + (bin + 0.5) / BINS_PER_DOUBLING);
      const target = price * ratio;
      if (target < 1) sum += changes / changesBetween(target);
    }
    return sum;
  }

  /** How many visits a ms a page gets of `visits` for all, at the `price` for them. */
  visits(
    changes: number,
    weight: number,
    all: { readonly visits: number; readonly price: number },
    policy: RevisitPolicy,
  ): number {
    if (policy === "uniform") return all.visits / this.#pages;
    if (policy === "proportional") return this.#sum > 0 ? (all.visits * changes) / this.#sum : 0;
    return visitsWorth(changes, weight, all.price);
  }
}

const binOf = (ratio: number): number =>
  Math.min(Math.max(Math.floor((Math.log2(ratio) - SMALLEST_LOG2) * BINS_PER_DOUBLING), 0), BINS - 1);

export interface RevisitBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** How long until a page is due again: 1 / visits, kept within bounds. */
export const revisitAfter = (visits: number, { minMs, maxMs }: RevisitBounds): number =>
  Math.min(Math.max(1 / visits, minMs), maxMs);
