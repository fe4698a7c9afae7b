/** Counts of links in three bits: about right, whatever the steps in which the links come. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LinkLevels } from "../../src/dedup/link-levels.ts";
import { MOST_LINKED } from "../../src/model/link.ts";

describe("levels of links", () => {
  it("are exact where a sum is a power of two", () => {
    const levels = new LinkLevels();
    for (let level = 0; level < MOST_LINKED; level++) assert.equal(levels.after(level, 2 ** level), level + 1);
    assert.equal(levels.after(0, 15), 4);
    assert.equal(levels.after(0, 1_000_000), MOST_LINKED);
    assert.equal(levels.after(MOST_LINKED, 1), MOST_LINKED);
  });

  it("stand for the number of links in the mean, one by one as well as in steps", () => {
    const levels = new LinkLevels();
    const runs = 4_000;
    for (const step of [1, 3, 4]) {
      let sum = 0;
      for (let run = 0; run < runs; run++) {
        let level = 0;
        for (let links = 0; links < 24; links += step) level = levels.after(level, step);
        sum += 2 ** level;
      }
      // 25 links with the first; the standard deviation of one count is at most 0.71 of it (Flajolet 1985).
      assert.ok(Math.abs(sum / runs / 25 - 1) < 0.05, `${sum / runs} for 25, ${step} at a time`);
    }
  });

  it("never fall", () => {
    const levels = new LinkLevels();
    for (let i = 0; i < 10_000; i++) {
      const level = i % (MOST_LINKED + 1);
      const after = levels.after(level, 1 + (i % 40));
      assert.ok(after >= level && after <= MOST_LINKED);
    }
  });
});
