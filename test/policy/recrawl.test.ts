import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DROP_REASONS, VISIT_REASONS } from "../../src/model/end.ts";
import { around, believed, NO_POOL } from "../../src/policy/change-rate.ts";
import {
  afterFirst,
  afterRevisit,
  budgetOf,
  type Economy,
  filled,
  hasTurn,
  laterMs,
  NO_TURNS,
  nextLook,
  type RecrawlRules,
  returnOf,
  spare,
} from "../../src/policy/recrawl.ts";

const DAY = 86_400_000;
const HOUR = DAY / 24;
const RULES: RecrawlRules = {
  policy: "freshness",
  everyMs: 7 * DAY,
  budget: null,
  bounds: { minMs: HOUR, maxMs: 90 * DAY },
  share: 0.5,
};
/** A visit more is worth it for pages that change less than twice a day. */
const ECONOMY: Economy = { visits: 100 / DAY, pages: 700, changes: 70 / DAY, price: DAY / 2, soundings: 0 };

describe("the next look", () => {
  it("is within the bounds, whatever is believed, by each policy", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-5, max: 1e4, noNaN: true }),
        fc.double({ min: 0.1, max: 3, noNaN: true }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.constantFrom("freshness", "uniform", "proportional"),
        (perDay, spread, weight, policy) => {
          const { afterMs } = nextLook(around(perDay / DAY, spread), weight, ECONOMY, { ...RULES, policy });
          assert.ok(afterMs >= HOUR * 0.999 && afterMs <= 90 * DAY * 1.001, String(afterMs));
        },
      ),
    );
  });

  it("is at the same time for all pages by uniform, and the sooner the faster a page changes by proportional", () => {
    const after = (perDay: number, policy: RecrawlRules["policy"]) =>
      nextLook(around(perDay / DAY, 0.3), 1, ECONOMY, { ...RULES, policy }).afterMs;
    assert.equal(after(0.01, "uniform"), after(10, "uniform"));
    assert.ok(Math.abs(after(10, "uniform") / (7 * DAY) - 1) < 1e-9);
    assert.ok(Math.abs(after(0.2, "proportional") / after(2, "proportional") - 10) < 0.01);
  });

  it("is late for what changes too fast to follow, later for what never changes, soon for what lies between", () => {
    const after = (perDay: number) => nextLook(around(perDay / DAY, 0.3), 1, ECONOMY, RULES).afterMs;
    assert.ok(after(1) < after(0.1) && after(0.1) < after(0.001));
    assert.ok(after(100) > 80 * DAY);
  });

  it("is soon where nobody knows whether a page changes too fast, as long as such looks take but half of all visits", () => {
    // Five looks, a week apart, all found it changed.
    const looks = { spans: Array(5).fill(7 * 86_400), olderPool: NO_POOL };
    const belief = believed(looks, around(1 / (7 * DAY), 2.5));
    const { afterMs, soundings } = nextLook(belief, 1, ECONOMY, RULES);
    assert.ok(Math.abs(afterMs / (DAY / 2) - 1) < 1e-9 && soundings > 0);
    const spent = nextLook(belief, 1, { ...ECONOMY, soundings: 51 / DAY }, RULES);
    assert.ok(spent.afterMs > afterMs && spent.soundings === 0);
    // After what a few soon looks have told there is no doubt left.
    const faster = believed(
      { ...looks, spans: [...looks.spans, ...Array(6).fill(43_200)] },
      around(1 / (7 * DAY), 2.5),
    );
    assert.equal(nextLook(faster, 1, ECONOMY, RULES).soundings, 0);
    assert.ok(nextLook(faster, 1, ECONOMY, RULES).afterMs > 10 * DAY);
  });
});

describe("what could not be had", () => {
  it("is tried again after twice as long each time, up to the longest", () => {
    assert.equal(laterMs(null, RULES), 7 * DAY);
    assert.equal(laterMs(7 * DAY, RULES), 14 * DAY);
    assert.equal(laterMs(60 * DAY, RULES), 90 * DAY);
    assert.equal(laterMs(1, RULES), HOUR);
  });

  it("comes back, and what a rule of the crawl left out does not", () => {
    const never = [...DROP_REASONS, ...VISIT_REASONS].filter((end) => returnOf(end) === "never");
    assert.deepEqual(never, ["scope", "trap", "depth", "budget", "too-long", "refused-address"]);
    assert.equal(returnOf("robots"), "later");
    for (const end of ["http-4xx", "redirected", "dns"] as const) assert.equal(returnOf(end), "later");
    assert.equal(returnOf("not-modified"), "by-rate");
  });
});

describe("the budget", () => {
  it("grows with time, is kept for a day at most, and what an hour did not need is for what is due next", () => {
    const budget = 240 / DAY;
    let purse = { visits: 0, at: 0 };
    purse = filled(purse, HOUR, budget);
    assert.ok(Math.abs(purse.visits - 10) < 1e-9);
    assert.equal(spare(purse, budget), 0);
    assert.equal(spare(filled(purse, 2.5 * HOUR, budget), budget), 15);
    assert.ok(Math.abs(filled(purse, 30 * DAY, budget).visits - 240) < 1e-9);
  });

  it("of less than a visit a day comes to one all the same", () => {
    const purse = filled({ visits: 0, at: 0 }, 30 * DAY, 0.1 / DAY);
    assert.equal(purse.visits, 1);
    assert.equal(spare(purse, 0.1 / DAY), 0);
  });
});

describe("revisits beside discovery", () => {
  it("are as many as their share, while URLs are fetched for the first time", () => {
    for (const share of [0, 0.2, 0.5, 0.8]) {
      let turns = NO_TURNS;
      let revisits = 0;
      for (let first = 0; first < 1_000; first++) {
        turns = afterFirst(turns, first, share);
        while (hasTurn(turns, first)) {
          revisits++;
          turns = afterRevisit(turns);
        }
      }
      assert.ok(Math.abs(revisits / (1_000 + revisits) - share) < 0.01, `${revisits} for ${share}`);
    }
  });

  it("have all turns when nothing was fetched for the first time for a minute, or ever", () => {
    assert.ok(hasTurn(NO_TURNS, 0));
    const turns = afterFirst(NO_TURNS, 0, 0);
    assert.ok(!hasTurn(turns, 60_000) && hasTurn(turns, 60_001));
    assert.ok(hasTurn(turns, -1), "the clock was set back");
  });
});

describe("a budget that crawlers divide", () => {
  const crawlers = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 40 });
  const rules = { ...RULES, budget: 1 / 700 };
  const parts = (pages: readonly number[]): number[] => {
    const all = pages.reduce((sum, one) => sum + one, 0);
    return pages.map((own) => budgetOf(own, rules, all - own));
  };
  const sum = (all: readonly number[]): number => all.reduce((before, one) => before + one, 0);

  it("comes to the whole, in parts like their pages, and the part of one who is gone to the others", () =>
    fc.assert(
      fc.property(crawlers, fc.nat(), (pages, gone) => {
        fc.pre(sum(pages) > 0);
        assert.ok(Math.abs(sum(parts(pages)) * 700 - 1) < 1e-9);
        const left = pages.filter((_, nth) => nth !== gone % pages.length);
        if (sum(left) > 0) assert.ok(Math.abs(sum(parts(left)) * 700 - 1) < 1e-9);
        for (const [nth, part] of parts(pages).entries())
          assert.ok(Math.abs(part * 700 - pages[nth]! / sum(pages)) < 1e-9);
      }),
    ));

  it("is never more than the whole when others are believed to have more than they have, as while one takes in pages", () =>
    fc.assert(
      fc.property(crawlers, fc.nat(1_000), (pages, more) => {
        const all = sum(pages);
        fc.pre(all > 0);
        assert.ok(sum(pages.map((own) => budgetOf(own, rules, all - own + more))) * 700 <= 1 + 1e-9);
      }),
    ));

  it("is as many as the pages ask for where there is none for all", () => {
    assert.equal(budgetOf(70, { ...RULES, budget: null, everyMs: 7 }, 1_000), 10);
  });
});
