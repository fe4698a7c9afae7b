/** Budgets put hosts off, tier by tier, and weights move them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { firstTier, SMALL_SITE, tierOf, untilNext, weightOf } from "../../src/policy/budget.ts";

const rules = { perHost: 1_000, perDomain: 5_000 };
const tier = (host: number, domain: number | null = host, weight = 1) => tierOf({ host, domain }, weight, rules);

describe("the tier of a host", () => {
  it("is 0 within its budget, and one more at the budget, at twice and at four times that", () => {
    assert.deepEqual(
      [0, 999, 1_000, 1_999, 2_000, 3_999, 4_000].map((pages) => tier(pages)),
      [0, 0, 1, 1, 2, 2, 3],
    );
  });

  it("is that of its domain, where that is further over its own", () => {
    assert.deepEqual([tier(1, 4_999), tier(1, 5_000), tier(1, 10_000), tier(4_000, 5_000)], [0, 1, 2, 3]);
    assert.equal(tier(1, null), 0);
  });

  it("is 0 where there is no budget, and for a site's first hundred pages whatever the budget", () => {
    assert.equal(tierOf({ host: 1e9, domain: 1e9 }, 1, { perHost: null, perDomain: null }), 0);
    assert.equal(tierOf({ host: SMALL_SITE - 1, domain: SMALL_SITE - 1 }, 1, { perHost: 1, perDomain: 1 }), 0);
  });

  it("moves by one for each factor of two of the weight, as the budget would", () => {
    assert.deepEqual([firstTier(1), firstTier(2), firstTier(4), firstTier(0.5)], [0, -1, -2, 1]);
    assert.equal(tier(4_000, 0, 4), tier(1_000, 0));
  });

  it("never falls as pages come, and stays between two ends", () => {
    const pages = fc.nat(1e9);
    fc.assert(
      fc.property(
        pages,
        pages,
        pages,
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (host, more, others, weight) => {
          const [before, after] = [tier(host, host + others, weight), tier(host + more, host + more + others, weight)];
          assert.ok(before <= after && before >= -4 && after <= 8);
        },
      ),
    );
  });
});

describe("what is left of a domain until something changes for its hosts", () => {
  it("are pages up to its next tier, or up to all that it may have; nothing more does when it has had them", () => {
    assert.deepEqual(
      [0, 4_999, 5_000, 9_999, 10_000, 11_000, 11_999].map((pages) => untilNext(pages, rules, 12_000)),
      [5_000, 1, 5_000, 1, 2_000, 1_000, 1],
    );
    assert.equal(untilNext(12_000, rules, 12_000), Number.POSITIVE_INFINITY);
    assert.equal(untilNext(12_000, { perDomain: null }, null), Number.POSITIVE_INFINITY);
  });

  it("ends where the tier is another", () => {
    const pages = fc.nat(200_000);
    fc.assert(
      fc.property(pages, (had) => {
        const left = untilNext(had, rules, null);
        assert.equal(tier(0, had + left - 1), tier(0, had));
        assert.equal(tier(0, had + left), tier(0, had) + 1);
      }),
    );
  });
});

describe("the weight of a host", () => {
  const weights = new Map([
    ["gov", 2],
    ["nasa.gov", 4],
  ]);

  it("is that of the longest domain that it is, or is below", () => {
    assert.deepEqual(
      ["gov", "epa.gov", "nasa.gov", "a.b.nasa.gov", "xnasa.gov", "gov.uk", "[::1]", "127.0.0.1"].map((name) =>
        weightOf(name, weights),
      ),
      [2, 2, 4, 4, 2, 1, 1, 1],
    );
  });
});
