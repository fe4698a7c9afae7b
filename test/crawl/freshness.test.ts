/** How fresh the scheduler keeps pages whose rates it has to find out, beside what is possible when they are known. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY, DISTRIBUTIONS, optimum, type Pages, simulate, uniform, zipf } from "./changing-pages.ts";

const PAGES = 300;
const VISITS = PAGES / 5;

describe("three hundred pages with sixty visits a day, for sixty days", () => {
  const pagesOf = (name: string, weights: readonly number[]): Pages => {
    const chance = uniform(1, name);
    return { weights, rates: weights.map(() => DISTRIBUTIONS[name]!(chance) / DAY) };
  };
  const run = (pages: Pages, policy: "freshness" | "uniform" | "proportional") =>
    simulate(pages, { policy, days: 60, visitsPerDay: VISITS, seed: 1, tickMs: DAY / 12 });

  it("of equal importance are kept within a tenth of what is possible, and better than by the other policies", async () => {
    const pages = pagesOf("the Web of 2000", Array(PAGES).fill(1));
    const [best, equal, proportional] = [
      await run(pages, "freshness"),
      await run(pages, "uniform"),
      await run(pages, "proportional"),
    ];
    const possible = optimum(pages, VISITS).freshness;
    assert.ok(best.freshness > 0.9 * possible, `${best.freshness} of ${possible}`);
    assert.ok(best.freshnessLater > equal.freshnessLater, `${best.freshnessLater} ${equal.freshnessLater}`);
    assert.ok(equal.freshness > 1.2 * proportional.freshness, `${equal.freshness} ${proportional.freshness}`);
    assert.ok(best.rankCorrelation > 0.85, `rank correlation ${best.rankCorrelation}`);
    assert.ok(Math.abs(best.visitsPerDay / VISITS - 1) < 0.05, `${best.visitsPerDay} visits a day`);
  });

  it("are kept 1.25 times as fresh as by uniform visits where that is possible: where few are important, and many too fast", async () => {
    const pages = pagesOf("live", zipf(PAGES));
    const [best, equal] = [await run(pages, "freshness"), await run(pages, "uniform")];
    assert.ok(best.freshness > 1.25 * equal.freshness, `${best.freshness} ${equal.freshness}`);
  });
});
