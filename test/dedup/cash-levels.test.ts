/** Cash in one byte: about right, whatever the steps in which it comes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CashLevels, cashOf, FIRST_LEVEL } from "../../src/dedup/cash-levels.ts";

describe("levels of cash", () => {
  it("are exact where a sum is that of a level", () => {
    const levels = new CashLevels();
    for (let level = FIRST_LEVEL; level + 2 < 256; level++)
      assert.equal(levels.after(level, cashOf(level)), level + 2, "twice as much");
    assert.equal(levels.after(0, 1), 41);
    assert.equal(cashOf(41), 1);
  });

  it("stand for the sum in the mean, in small steps as well as in large ones, from nothing on", () => {
    const runs = 2_000;
    for (const step of [0.01, 0.3, 2]) {
      const levels = new CashLevels();
      let sum = 0;
      for (let run = 0; run < runs; run++) {
        let level = 0;
        for (let given = 0; given < 20; given += step) level = levels.after(level, step);
        sum += cashOf(level);
      }
      assert.ok(Math.abs(sum / runs / 20 - 1) < 0.03, `${sum / runs} for 20, ${step} at a time`);
    }
  });

  it("never fall, and end at the last", () => {
    const levels = new CashLevels();
    const property = fc.property(fc.nat(255), fc.double({ min: 0, noNaN: true }), (level, amount) => {
      const after = levels.after(level, amount);
      assert.ok(after >= level && after <= 255);
    });
    fc.assert(property, { seed: 3, numRuns: 2_000 });
  });
});
