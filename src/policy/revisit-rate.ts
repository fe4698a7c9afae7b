/**
 * How often each page is visited again, when only so many visits can be paid for. The shares that keep most pages fresh
 * are not proportional to how often pages change: one that changes faster than can be followed is stale again at once
 * whatever is spent on it, and gets less (Cho and Garcia-Molina, "Effective page refresh policies for Web crawlers", 2003).
 * Rates are events per ms.
 */
import { type Belief, RATES } from "./change-rate.ts";

/** Which shares: the most expected freshness, the same for all, or as much more as a page changes more often. */
export type RevisitPolicy = "freshness" | "uniform" | "proportional";

export const REVISIT_POLICIES = ["freshness", "uniform", "proportional"] as const satisfies readonly RevisitPolicy[];

/** No page is visited again before `minMs`, and each is after `maxMs`. */
export interface RevisitBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

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

/** Sixty-four steps to a halving of what is asked, down to 2^-64. */
const STEPS = 64;
const HALVINGS = 64;

/** The changes between two visits at which one more is worth 2^-(at / STEPS) of weight / changes. */
const CHANGES_BETWEEN = Float64Array.from({ length: HALVINGS * STEPS + 2 }, (_, at) =>
  solved(Math.min(2 ** (-at / STEPS), 1 - 1e-6)),
);

/** Solves 1 - (1 + x) e^-x = y for x: Newton from a bound below. */
function solved(y: number): number {
  let x = Math.sqrt(2 * y); // the left side is x^2 / 2 - x^3 / 3 + ...: the root is to the right
  for (let step = 0; step < 60; step++) {
    const gap = y - 1 + (1 + x) * Math.exp(-x);
    const next = x + gap / (x * Math.exp(-x));
    if (!(Math.abs(next - x) > 1e-9 * x)) return next;
    x = next;
  }
  return x;
}

function changesBetween(y: number): number {
  const at = -Math.log2(y) * STEPS;
  if (at >= HALVINGS * STEPS) return Math.sqrt(2 * y);
  const below = Math.floor(at);
  const low = CHANGES_BETWEEN[below]!;
  return low + (at - below) * (CHANGES_BETWEEN[below + 1]! - low);
}

/** What of a belief is too little to be worth a thought. */
const NEGLIGIBLE = 1e-6;

/** Bins of changes / weight, eight to a doubling, over 2^96. */
const BINS_PER_DOUBLING = 8;
const BINS = 96 * BINS_PER_DOUBLING;
const SMALLEST_LOG2 = -60;

/**
 * What all pages together ask for, kept while they come, change and go: the price at which the visits that are worth it
 * are as many as can be paid for. A page stands here as its belief has it, a part for each rate that it may have; parts are
 * kept by the ratio of rate to weight, in bins: 18 KB in all.
 */
export class Demand {
  readonly #pagesIn = new Float64Array(BINS);
  readonly #changesIn = new Float64Array(BINS);
  readonly #weightsIn = new Float64Array(BINS);
  readonly #bounds: RevisitBounds;
  #pages = 0;
  #changes = 0;

  constructor(bounds: RevisitBounds) {
    this.#bounds = bounds;
  }

  add(belief: Belief, weight: number): void {
    this.#put(belief, weight, 1);
  }

  remove(belief: Belief, weight: number): void {
    this.#put(belief, weight, -1);
  }

  #put(belief: Belief, weight: number, sign: 1 | -1): void {
    this.#pages += sign;
    for (let at = 0; at < RATES.length; at++) {
      const part = sign * belief[at]!;
      const changes = part * RATES[at]!;
      this.#changes += changes;
      const bin = binOf(RATES[at]! / weight);
      this.#pagesIn[bin]! += part;
      this.#changesIn[bin]! += changes;
      this.#weightsIn[bin]! += part * weight;
    }
  }

  get pages(): number {
    return this.#pages;
  }

  /** The changes of all pages together. */
  get changes(): number {
    return this.#changes;
  }

  /** The price at which all pages together take `visits`. 0 when there are none. */
  price(visits: number): number {
    if (this.#pages === 0) return 0;
    let low = -100;
    let high = 100;
    for (let step = 0; step < 40; step++) {
      const middle = (low + high) / 2;
      if (this.#visitsAt(2 ** middle) > visits) low = middle;
      else high = middle;
    }
    return 2 ** high;
  }

  #visitsAt(price: number): number {
    let sum = 0;
    for (let bin = 0; bin < BINS; bin++) {
      const pages = this.#pagesIn[bin]!;
      if (pages <= NEGLIGIBLE) continue;
      const worth = visitsWorth(this.#changesIn[bin]! / pages, this.#weightsIn[bin]! / pages, price);
      sum += pages * within(worth, this.#bounds);
    }
    return sum;
  }
}

const binOf = (ratio: number): number =>
  Math.min(Math.max(Math.floor((Math.log2(ratio) - SMALLEST_LOG2) * BINS_PER_DOUBLING), 0), BINS - 1);

export const within = (visits: number, { minMs, maxMs }: RevisitBounds): number =>
  Math.min(Math.max(visits, 1 / maxMs), 1 / minMs);

/** How many visits a ms are worth `price` to a page, in the mean over what it may be. */
export function visitsBelieved(belief: Belief, weight: number, price: number, bounds: RevisitBounds): number {
  let sum = 0;
  for (let at = 0; at < RATES.length; at++)
    if (belief[at]! > NEGLIGIBLE) sum += belief[at]! * within(visitsWorth(RATES[at]!, weight, price), bounds);
  return within(sum, bounds);
}

/** The chance that a page changes too fast to be worth any visit at this price. */
export function hopelessness(belief: Belief, weight: number, price: number): number {
  let sum = 0;
  for (let at = RATES.length - 1; at >= 0 && RATES[at]! * price >= weight; at--) sum += belief[at]!;
  return sum;
}
