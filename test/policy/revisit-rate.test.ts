import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  age,
  Demand,
  freshness,
  REVISIT_POLICIES,
  type RevisitPolicy,
  revisitAfter,
  visitsWorth,
} from "../../src/policy/revisit-rate.ts";

const DAY = 86_400_000;
const rate = fc.double({ min: 1e-4, max: 100, noNaN: true }).map((perDay) => perDay / DAY);

/** From a change in three hundred days to a hundred a day, evenly over the magnitudes. */
const RATES = Array.from({ length: 2_000 }, (_, at) => 10 ** (2 - (4.5 * at) / 2_000) / DAY);

function shares(rates: readonly number[], visits: number, policy: RevisitPolicy): number[] {
  const demand = new Demand();
  for (const one of rates) demand.add(one, 1);
  const all = { visits, price: demand.price(visits) };
  return rates.map((one) => demand.visits(one, 1, all, policy));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const fresh = (rates: readonly number[], visits: readonly number[]) =>
  sum(rates.map((one, at) => freshness(one, visits[at]!))) / rates.length;

describe("freshness and age", () => {
  it("are the paper's: looked at as often as it changes, a page is fresh 1 - 1/e of the time", () => {
    assert.ok(Math.abs(freshness(1 / DAY, 1 / DAY) - (1 - Math.exp(-1))) < 1e-12);
    assert.ok(Math.abs(age(1 / DAY, 1 / DAY) / DAY - (0.5 - 1 + (1 - Math.exp(-1)))) < 1e-12);
  });

  it("get better with every visit more", () => {
    fc.assert(
      fc.property(rate, rate, (changes, visits) => {
        assert.ok(freshness(changes, visits * 1.5) >= freshness(changes, visits));
        assert.ok(age(changes, visits * 1.5) <= age(changes, visits) * (1 + 1e-6));
      }),
    );
  });
});

describe("the shares of visits", () => {
  it("add up to what can be paid for, by each policy", () => {
    for (const policy of REVISIT_POLICIES) {
      const total = sum(shares(RATES, 400 / DAY, policy)) * DAY;
      assert.ok(Math.abs(total / 400 - 1) < 0.03, `${policy}: ${total}`);
    }
  });

  it("keep more pages fresh than equal shares, and these more than proportional ones", () => {
    const [best, uniform, proportional] = REVISIT_POLICIES.map((policy) =>
      fresh(RATES, shares(RATES, 100 / DAY, policy)),
    );
    assert.ok(best! > 1.15 * uniform! && uniform! > proportional!, `${best} ${uniform} ${proportional}`);
  });

  it("give less, and in the end nothing, to what changes too fast to follow", () => {
    const visits = shares(RATES, 400 / DAY, "freshness");
    assert.equal(visits[0], 0, "a hundred changes a day");
    const most = Math.max(...visits);
    assert.ok(most > visits[RATES.length - 1]! && visits[RATES.length - 1]! > 0);
  });

  it("cannot be bettered by moving a visit from one page to another", () => {
    const visits = shares(RATES, 400 / DAY, "freshness");
    const before = fresh(RATES, visits);
    const step = 0.02 / DAY;
    const index = fc.nat(RATES.length - 1);
    fc.assert(
      fc.property(index, index, (from, to) => {
        if (visits[from]! < step || from === to) return;
        const moved = [...visits];
        moved[from]! -= step;
        moved[to]! += step;
        assert.ok(fresh(RATES, moved) < before + 2e-6);
      }),
    );
  });

  it("grow with the weight of a page", () => {
    fc.assert(
      fc.property(rate, rate, (changes, price) => {
        const visits = visitsWorth(changes, 1, price * DAY * DAY);
        assert.ok(visitsWorth(changes, 4, price * DAY * DAY) >= visits);
      }),
    );
  });

  it("follow pages that come and go", () => {
    const demand = new Demand();
    for (const one of RATES) demand.add(one, 1);
    const price = demand.price(400 / DAY);
    for (const one of RATES) demand.add(one * 3, 1);
    assert.ok(demand.price(400 / DAY) > price);
    for (const one of RATES) demand.remove(one * 3, 1);
    assert.ok(Math.abs(demand.price(400 / DAY) / price - 1) < 1e-6);
  });
});

describe("when a page is due again", () => {
  it("is within its bounds, and at the latest when no visit is worth it", () => {
    const bounds = { minMs: DAY, maxMs: 30 * DAY };
    assert.equal(revisitAfter(0, bounds), 30 * DAY);
    assert.equal(revisitAfter(24 / DAY, bounds), DAY);
    assert.equal(revisitAfter(0.1 / DAY, bounds), 10 * DAY);
  });
});
