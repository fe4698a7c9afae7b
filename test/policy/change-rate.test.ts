import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  around,
  type Belief,
  believed,
  type Check,
  type Looks,
  NO_LOOKS,
  NO_POOL,
  pooled,
  RATES,
  rateOf,
  regularRate,
} from "../../src/policy/change-rate.ts";

const DAY = 86_400_000;
const MONTHLY = around(1 / (30 * DAY), 2);

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

/** Looks as a history keeps them: the latest sixteen one by one, older ones added up. */
const kept = (checks: readonly Check[]): Looks => ({
  spans: checks.slice(-16).map(({ afterMs, changed }) => ((changed ? 1 : -1) * afterMs) / 1_000),
  olderPool: checks.slice(0, -16).reduce(pooled, NO_POOL),
});
const rateAfter = (checks: readonly Check[], prior = MONTHLY): number => rateOf(believed(kept(checks), prior));
/** How likely it is held that the page changes more often than `rate`. */
const chanceAbove = (belief: Belief, rate: number): number =>
  belief.reduce((sum, chance, at) => (RATES[at]! > rate ? sum + chance : sum), 0);

describe("what is believed after irregular looks", () => {
  it("is the prior when there were none", () => {
    for (const [at, chance] of believed(NO_LOOKS, MONTHLY).entries()) assert.ok(Math.abs(chance - MONTHLY[at]!) < 1e-9);
    assert.ok(Math.abs(Math.log(rateOf(MONTHLY) * 30 * DAY)) < 0.1);
  });

  it("comes close to the truth, from hours apart to months", () => {
    for (const truth of [2 / DAY, 1 / (3 * DAY), 1 / (20 * DAY)]) {
      const random = seeded(7);
      const found = Array.from({ length: 500 }, () => {
        const gaps = Array.from({ length: 60 }, () => (0.1 + 2 * random() ** 3) / truth);
        return Math.log(rateAfter(looks(truth, gaps, random)) / truth);
      });
      assert.ok(Math.abs(mean(found)) < 0.15, `${truth * DAY} a day: ${mean(found)}`);
    }
  });

  it("agrees with the regular estimator when looks are regular", () => {
    const checks = Array.from({ length: 200 }, (_, at) => ({ afterMs: DAY, changed: at % 4 === 0 }));
    const ratio = rateAfter(checks) / regularRate(200, 50, DAY);
    assert.ok(Math.abs(ratio - 1) < 0.2, `${ratio}: rates are known to half a doubling`);
  });

  it("stays open upwards when every look found a change: how often it changed in between, nobody knows", () => {
    const checks = Array.from({ length: 5 }, () => ({ afterMs: 7 * DAY, changed: true }));
    const belief = believed(kept(checks), around(1 / (7 * DAY), 2.5));
    assert.ok(chanceAbove(belief, 5 / DAY) > 0.05 && chanceAbove(belief, 1 / DAY) < 0.6);
    const soon = believed(kept([...checks, { afterMs: DAY / 4, changed: false }]), around(1 / (7 * DAY), 2.5));
    assert.ok(chanceAbove(soon, 5 / DAY) < chanceAbove(belief, 5 / DAY) / 2, "until a look comes soon enough");
  });

  it("falls with each look that finds nothing new, rises with each that does, and always adds up to 1", () => {
    const check = fc.record({ afterMs: fc.double({ min: 1_000, max: 1e11, noNaN: true }), changed: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(check, { maxLength: 30 }),
        fc.double({ min: 1_000, max: 1e11, noNaN: true }),
        (checks, afterMs) => {
          const { spans, olderPool } = kept(checks);
          const next = (span: number) => rateOf(believed({ spans: [...spans, span], olderPool }, MONTHLY));
          const belief = believed({ spans, olderPool }, MONTHLY);
          assert.ok(Math.abs(belief.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9);
          const [same, before, other] = [next(-afterMs / 1_000), rateOf(belief), next(afterMs / 1_000)];
          assert.ok(same <= before * (1 + 1e-9) && before <= other * (1 + 1e-9), `${same} ${before} ${other}`);
        },
      ),
    );
  });

  it("stands, however many looks were added up", () => {
    const checks = Array.from({ length: 20_000 }, (_, at) => ({ afterMs: DAY, changed: at % 2 === 0 }));
    assert.ok(Math.abs(rateAfter(checks) * DAY - Math.LN2) < 0.2);
  });
});
