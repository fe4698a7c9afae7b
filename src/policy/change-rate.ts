/**
 * How often a page changes, from looks at irregular times that tell only *that* it changed since the last one, not how
 * often: changes are taken for a Poisson process (Cho and Garcia-Molina, "Estimating frequency of change", 2003).
 *
 * What is believed is a distribution over rates, not one rate. A page that was found changed at each of five weekly looks
 * may change once a week or every minute, and the two deserve visits as different as can be; the likeliest rate alone
 * cannot say that nobody knows. Rates are changes per ms, spans are ms where nothing else is said.
 */
import type { History, Pool } from "../model/history.ts";

const DAY_MS = 86_400_000;

/** Two to a doubling: from a change in seven years to two thousand a day. */
const PER_DOUBLING = 2;
const RATE_COUNT = 46;
const SLOWEST = 1 / (2_600 * DAY_MS);

/** The rates that a belief speaks of, slowest first. */
export const RATES: Readonly<Float64Array> = Float64Array.from(
  { length: RATE_COUNT },
  (_, at) => SLOWEST * 2 ** (at / PER_DOUBLING),
);

/** How likely each of `RATES` is held to be: they add up to 1. */
export type Belief = Readonly<Float64Array>;

export const NO_POOL: Pool = { changes: 0, changedMs: 0, unchangedMs: 0 };

/** One look at a page: how long after the one before, and whether it had changed. */
export interface Check {
  readonly afterMs: number;
  readonly changed: boolean;
}

export function pooled(pool: Pool, { afterMs, changed }: Check): Pool {
  return changed
    ? { ...pool, changes: pool.changes + 1, changedMs: pool.changedMs + afterMs }
    : { ...pool, unchangedMs: pool.unchangedMs + afterMs };
}

/** What looking again has told of a page. */
export type Looks = Pick<History, "spans" | "olderPool">;

export const NO_LOOKS: Looks = { spans: [], olderPool: null };

/** A belief before any look: about `rate`, which may be wrong by `spread` powers of e (one standard deviation). */
export function around(rate: number, spread: number): Belief {
  return normalized(RATES.map((one) => -((Math.log(one / rate) / spread) ** 2) / 2));
}

/** What two sayings that know nothing of each other come to together. */
export const bothOf = (one: Belief, other: Belief): Belief =>
  normalized(one.map((chance, at) => Math.log(chance * other[at]!)));

/** Bayes' rule: what is believed of a page after its looks, of which each found it changed, or did not. */
export function believed({ spans, olderPool }: Looks, prior: Belief): Belief {
  const { changes, changedMs } = olderPool ?? NO_POOL;
  let { unchangedMs } = olderPool ?? NO_POOL;
  const found = new Float64Array(RATE_COUNT).fill(1); // at most a few dozen factors each, none below 1e-12
  for (const span of spans)
    if (span > 0) for (let at = 0, each = chances(span * 1_000); at < RATE_COUNT; at++) found[at]! *= each[at]!;
    else unchangedMs -= span * 1_000;
  const logs = found.map((chance, at) => Math.log(prior[at]! * chance) - RATES[at]! * unchangedMs);
  if (changes > 0)
    for (let at = 0, each = chances(changedMs / changes); at < RATE_COUNT; at++)
      logs[at]! += changes * Math.log(each[at]!);
  return normalized(logs);
}

/** The chance that a page has changed within `afterMs`, by what is believed of it. */
export function chanceOf(belief: Belief, afterMs: number): number {
  let sum = 0;
  for (let at = 0, each = chances(afterMs); at < RATE_COUNT; at++) sum += belief[at]! * each[at]!;
  return sum;
}

/**
 * The chance of a change within `afterMs` at each of `RATES`; never nothing, for two looks within one ms may differ. At
 * twice the rate nothing changes only when it does so twice: 1 - (1 - c)^2.
 */
function chances(afterMs: number): Float64Array {
  const found = new Float64Array(RATE_COUNT);
  for (let first = 0; first < PER_DOUBLING; first++) {
    let chance = -Math.expm1(-RATES[first]! * Math.max(afterMs, 1));
    for (let at = first; at < RATE_COUNT; at += PER_DOUBLING) {
      found[at] = chance;
      chance *= 2 - chance;
    }
  }
  return found;
}

/** Logarithms of likelihoods, known up to a constant, as a belief. Nothing is held to be impossible. */
function normalized(logs: Float64Array): Belief {
  let most = Number.NEGATIVE_INFINITY;
  for (const log of logs) if (log > most) most = log;
  let sum = 0;
  for (let at = 0; at < logs.length; at++) {
    logs[at] = Math.exp(logs[at]! - most) + 1e-12;
    sum += logs[at]!;
  }
  for (let at = 0; at < logs.length; at++) logs[at]! /= sum;
  return logs;
}

/** The rate in the middle of a belief, in powers of e. */
export function rateOf(belief: Belief): number {
  let sum = 0;
  for (let at = 0; at < RATE_COUNT; at++) sum += belief[at]! * Math.log(RATES[at]!);
  return Math.exp(sum);
}

/**
 * What the beliefs of `pages` pages together (their sum) say of a new one like them, leaning on a wider prior as on
 * `leaning` pages more: pattern on host, host on all.
 */
export function priorOf(sum: Float64Array, pages: number, wider: Belief, leaning: number): Belief {
  return wider.map((chance, at) => (Math.max(sum[at]!, 0) + leaning * chance) / (pages + leaning));
}

/**
 * The bias-corrected estimator for checks `intervalMs` apart: -log((n - X + 0.5) / (n + 0.5)) / I. The plain X / nI misses
 * all changes but one between two looks, and -log((n - X) / n) / I is infinite when every look finds one.
 */
export function regularRate(checks: number, changes: number, intervalMs: number): number {
  if (checks === 0) return 0;
  return -Math.log((checks - changes + 0.5) / (checks + 0.5)) / intervalMs;
}
