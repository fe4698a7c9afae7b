import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { systematicSample } from "../../src/dedup/systematic-sample.ts";

const shares = fc
  .array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 })
  .map((amounts) => amounts.map((amount, to) => ({ to, amount })));
const most = fc.integer({ min: 1, max: 8 });
const chance = fc.double({ min: 0, max: 0.999999, noNaN: true });
const sum = (all: readonly { readonly amount: number }[]) => all.reduce((total, { amount }) => total + amount, 0);

describe("a systematic sample", () => {
  it("gives all that there is to a few, in their order", () => {
    fc.assert(
      fc.property(shares, most, chance, (all, count, where) => {
        const drawn = systematicSample(all, count, where);
        assert.ok(drawn.length <= count || drawn.length === all.length);
        assert.ok(drawn.every(({ to }, nth) => nth === 0 || to > drawn[nth - 1]!.to));
        assert.ok(Math.abs(sum(drawn) - sum(all)) < 1e-6);
        if (all.length <= count) assert.deepEqual(drawn, all);
      }),
    );
  });

  it("gives to each in the mean what it would have had", () => {
    fc.assert(
      fc.property(shares, most, (all, count) => {
        const CHANCES = 4_000;
        const given = all.map(() => 0);
        for (let nth = 0; nth < CHANCES; nth++)
          for (const { to, amount } of systematicSample(all, count, (nth + 0.5) / CHANCES))
            given[to]! += amount / CHANCES;
        for (const { to, amount } of all) assert.ok(Math.abs(given[to]! - amount) < (2 * sum(all)) / CHANCES + 1e-6);
      }),
      { numRuns: 30 },
    );
  });
});
