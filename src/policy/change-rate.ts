/**
 * How often a page changes, from visits at irregular times that tell only *that* it changed since the last look, not how
 * often: changes are taken for a Poisson process (Cho and Garcia-Molina, "Estimating frequency of change", 2003).
 * Rates are changes per ms, spans are ms.
 */
import type { Pool } from "../model/history.ts";

/** One look at a page: how long after the one before, and whether it had changed. */
export interface Check {
  readonly afterMs: number;
  readonly changed: boolean;
}

/**
 * What is believed of a page before it was looked at twice: its rate, and by how many powers of e (one standard deviation)
 * that may be wrong, up or down. Rates are spread over many orders of magnitude; a belief about the rate itself, not its
 * logarithm, would hold on against a page that changes a hundred times as often.
 */
export interface Prior {
  readonly rate: number;
  readonly spread: number;
}

const DAY_MS = 86_400_000;
const SLOWEST = 1 / (100 * 365 * DAY_MS);
const FASTEST = 1 / 1_000;

/**
 * The bias-corrected estimator for checks `intervalMs` apart: -log((n - X + 0.5) / (n + 0.5)) / I. The plain X / nI misses
 * all changes but one between two looks, and -log((n - X) / n) / I is infinite when every look finds one.
 */
export function regularRate(checks: number, changes: number, intervalMs: number): number {
  if (checks === 0) return 0;
  return -Math.log((checks - changes + 0.5) / (checks + 0.5)) / intervalMs;
}

/** The likeliest rate for checks at any times, given what was believed before: with no checks, just that. */
export function changeRate(checks: readonly Check[], prior: Prior): number {
  let unchangedMs = 0;
  for (const { afterMs, changed } of checks) if (!changed) unchangedMs += afterMs;
  return likeliest(prior, unchangedMs, (rate) => {
    let sum = 0;
    for (const { afterMs, changed } of checks) if (changed) sum += pull(rate * afterMs);
    return sum;
  });
}

/**
 * The mode of the posterior over log(rate). Its slope, `pulls` - rate * unchanged - (log(rate) - log(prior)) / spread^2,
 * falls all the way, so halving finds the one root.
 */
function likeliest({ rate, spread }: Prior, unchangedMs: number, pulls: (rate: number) => number): number {
  const believed = Math.log(rate);
  let low = Math.log(SLOWEST);
  let high = Math.log(FASTEST);
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    const tried = Math.exp(middle);
    if (pulls(tried) - tried * unchangedMs - (middle - believed) / spread ** 2 > 0) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}

/** How much a span with a change in it speaks for a higher rate: 1 where the rate makes it unlikely, 0 where it is sure. */
const pull = (expected: number): number => (expected === 0 ? 1 : expected / Math.expm1(expected));

export const NO_POOL: Pool = { changes: 0, changedMs: 0, unchangedMs: 0 };

export function pooled(pool: Pool, { afterMs, changed }: Check): Pool {
  return changed
    ? { ...pool, changes: pool.changes + 1, changedMs: pool.changedMs + afterMs }
    : { ...pool, unchangedMs: pool.unchangedMs + afterMs };
}

/** Pages of one host, or of one pattern, are more alike than any two, but not the same. */
const POOL_SPREAD = 1.2;

/**
 * The prior that a pool gives, leaning on a wider one while it is small: pattern on host, host on all. Each span with a
 * change is taken to have had their mean length, so that a pool is three numbers.
 */
export function priorOf({ changes, changedMs, unchangedMs }: Pool, wider: Prior): Prior {
  if (changes === 0 && unchangedMs === 0) return wider;
  const meanMs = changes === 0 ? 0 : changedMs / changes;
  const rate = likeliest(wider, unchangedMs, (tried) => changes * pull(tried * meanMs));
  return { rate, spread: Math.min(POOL_SPREAD, wider.spread) };
}
