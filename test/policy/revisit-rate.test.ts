import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { around, type Belief, RATES } from "../../src/policy/change-rate.ts";
import { age, Demand, freshness, visitsBelieved, visitsWorth } from "../../src/policy/revisit-rate.ts";

const DAY = 86_400_000;
const rate = fc.double({ min: 1e-4, max: 100, noNaN: true }).map((perDay) => perDay / DAY);

const BOUNDS = { minMs: DAY / 24, maxMs: 2_000 * DAY };

/** All rates that a belief speaks of, from a change in three hundred days to a hundred a day, in equal parts. */
const KNOWN_RATES = [...RATES].filter((one) => one * DAY > 1 / 300 && one * DAY < 100);
const sure = (rate: number): Belief => RATES.map((one) => (one === rate ? 1 : 0));

/** Shares when the rates are known. */
function shares(rates: readonly number[], visits: number): number[] {
  const demand = new Demand(BOUNDS);
  for (const one of rates) demand.add(sure(one), 1);
  const price = demand.price(visits);
  return rates.map((one) => visitsBelieved(sure(one), 1, price, BOUNDS));
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
  const rates = Array.from({ length: 50 }, () => KNOWN_RATES).flat();

  it("add up to what can be paid for", () => {
    for (const a of [0.05, 0.2, 1]) {
      const total = sum(shares(rates, (a * rates.length) / DAY)) * DAY;
      assert.ok(Math.abs(total / (a * rates.length) - 1) < 0.02, String(total));
    }
  });

  it("add up to it, too, when no rate is known", () => {
    const beliefs = rates.map((one) => around(one, 1.5));
    const demand = new Demand(BOUNDS);
    for (const belief of beliefs) demand.add(belief, 1);
    const price = demand.price(200 / DAY);
    const total = sum(beliefs.map((belief) => visitsBelieved(belief, 1, price, BOUNDS))) * DAY;
    assert.ok(Math.abs(total / 200 - 1) < 0.02, String(total));
  });

  it("keep more pages fresh than equal shares, and these more than proportional ones", () => {
    const all = (0.05 * rates.length) / DAY;
    const best = fresh(rates, shares(rates, all));
    const uniform = fresh(
      rates,
      rates.map(() => all / rates.length),
    );
    const proportional = fresh(
      rates,
      rates.map((one) => (all * one) / sum(rates)),
    );
    assert.ok(best > 1.15 * uniform && uniform > proportional, `${best} ${uniform} ${proportional}`);
  });

  it("give less, and in the end nothing but the last look, to what changes too fast to follow", () => {
    const visits = shares(KNOWN_RATES, 0.2 * (KNOWN_RATES.length / DAY));
    assert.equal(visits.at(-1), 1 / BOUNDS.maxMs, "a hundred changes a day");
    const most = Math.max(...visits);
    assert.ok(most > visits[0]! && visits[0]! > 1 / BOUNDS.maxMs);
  });

  it("cannot be bettered by moving a visit from one page to another", () => {
    const visits = shares(KNOWN_RATES, (0.2 * KNOWN_RATES.length) / DAY);
    const before = fresh(KNOWN_RATES, visits);
    const step = 0.002 / DAY;
    const index = fc.nat(KNOWN_RATES.length - 1);
    fc.assert(
      fc.property(index, index, (from, to) => {
        if (visits[from]! < step || from === to) return;
        const moved = [...visits];
        moved[from]! -= step;
        moved[to]! += step;
        assert.ok(fresh(KNOWN_RATES, moved) < before + 1e-5);
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
    const demand = new Demand(BOUNDS);
    for (const one of KNOWN_RATES) demand.add(sure(one), 1);
    const price = demand.price(4 / DAY);
    for (const one of KNOWN_RATES) demand.add(around(one * 3, 1), 2);
    assert.ok(demand.price(4 / DAY) > price);
    for (const one of KNOWN_RATES) demand.remove(around(one * 3, 1), 2);
    assert.ok(Math.abs(demand.price(4 / DAY) / price - 1) < 1e-6);
  });
});
