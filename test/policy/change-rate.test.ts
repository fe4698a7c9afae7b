import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Check,
  changeRate,
  NO_POOL,
  type Prior,
  pooled,
  priorOf,
  regularRate,
} from "../../src/policy/change-rate.ts";

const DAY = 86_400_000;
const MONTHLY: Prior = { rate: 1 / (30 * DAY), spread: 2 };

/** Looks at a page that changes at `rate`, at the times that `gaps` give. */
function looks(rate: number, gaps: readonly number[], random: () => number): Check[] {
  return gaps.map((afterMs) => ({ afterMs, changed: random() < -Math.expm1(-rate * afterMs) }));
}

/** A small seeded generator (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the rate of change by regular checks", () => {
  it("is that of the paper: -log((n - X + 0.5) / (n + 0.5)) / I", () => {
    assert.equal(regularRate(10, 4, DAY), -Math.log(6.5 / 10.5) / DAY);
  });

  it("is finite when every look found a change, and nothing when none did", () => {
    assert.ok(Number.isFinite(regularRate(10, 10, DAY)));
    assert.equal(Math.abs(regularRate(10, 0, DAY)), 0);
  });

  it("has next to no bias where changes are not far more frequent than looks", () => {
    const random = seeded(1);
    const truth = 1 / DAY;
    const found = Array.from({ length: 4_000 }, () => {
      const checks = looks(truth, Array(20).fill(DAY), random);
      return regularRate(20, checks.filter((check) => check.changed).length, DAY);
    });
    assert.ok(Math.abs(mean(found) / truth - 1) < 0.05, String(mean(found) / truth));
  });
});

describe("the rate of change by irregular checks", () => {
  it("is the prior's when there were none", () => {
    assert.ok(Math.abs(changeRate([], MONTHLY) / MONTHLY.rate - 1) < 1e-6);
  });

  it("comes close to the truth, from days apart to months", () => {
    for (const truth of [2 / DAY, 1 / (3 * DAY), 1 / (20 * DAY)]) {
      const random = seeded(7);
      const found = Array.from({ length: 500 }, () => {
        const gaps = Array.from({ length: 60 }, () => (0.1 + 2 * random() ** 3) / truth);
        return Math.log(changeRate(looks(truth, gaps, random), MONTHLY) / truth);
      });
      assert.ok(Math.abs(mean(found)) < 0.12, `${truth * DAY} a day: ${mean(found)}`);
    }
  });

  it("agrees with the regular estimator when checks are regular", () => {
    const checks = Array.from({ length: 200 }, (_, at) => ({ afterMs: DAY, changed: at % 4 === 0 }));
    const ratio = changeRate(checks, MONTHLY) / regularRate(200, 50, DAY);
    assert.ok(Math.abs(ratio - 1) < 0.02, String(ratio));
  });

  it("falls with each look that finds nothing new, rises with each that does, and is always a number", () => {
    const check = fc.record({ afterMs: fc.double({ min: 1_000, max: 1e11, noNaN: true }), changed: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(check, { maxLength: 30 }),
        fc.double({ min: 1_000, max: 1e11, noNaN: true }),
        (checks, afterMs) => {
          const before = changeRate(checks, MONTHLY);
          const same = changeRate([...checks, { afterMs, changed: false }], MONTHLY);
          const other = changeRate([...checks, { afterMs, changed: true }], MONTHLY);
          assert.ok(Number.isFinite(before) && before > 0);
          assert.ok(same <= before * (1 + 1e-9) && before <= other * (1 + 1e-9), `${same} ${before} ${other}`);
        },
      ),
    );
  });
});

describe("what a new page is believed to do", () => {
  it("is what its host's pages do, once they have been looked at often", () => {
    const random = seeded(3);
    const pool = looks(1 / (2 * DAY), Array(500).fill(DAY), random).reduce(pooled, NO_POOL);
    const prior = priorOf(pool, MONTHLY);
    assert.ok(Math.abs(prior.rate * 2 * DAY - 1) < 0.2, String(prior.rate * 2 * DAY));
  });

  it("is slower than the wider belief where pages are never seen to change", () => {
    const pool = Array.from({ length: 50 }, () => ({ afterMs: 10 * DAY, changed: false })).reduce(pooled, NO_POOL);
    assert.ok(priorOf(pool, MONTHLY).rate < MONTHLY.rate / 5);
  });

  it("is the wider belief where nothing is known", () => {
    assert.ok(Math.abs(priorOf(NO_POOL, MONTHLY).rate / MONTHLY.rate - 1) < 1e-9);
  });

  it("does not outweigh a few looks at the page itself", () => {
    const pool = Array.from({ length: 5_000 }, () => ({ afterMs: DAY, changed: false })).reduce(pooled, NO_POOL);
    const own = Array.from({ length: 8 }, () => ({ afterMs: DAY, changed: true }));
    assert.ok(changeRate(own, priorOf(pool, MONTHLY)) > 0.5 / DAY);
  });
});
