import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { HintTrust } from "../../src/model/listed.ts";
import { around, rateOf } from "../../src/policy/change-rate.ts";
import { afterDated, believable, isTrusted, priorWith, saysChanged } from "../../src/policy/hints.ts";

const DAY = 86_400_000;
const HOUR = DAY / 24;
const NOW = Date.UTC(2026, 10, 30, 15);
const TODAY = Date.UTC(2026, 10, 30);

const believed = (dates: readonly number[]): number[] => dates.filter(believable(dates, NOW));
const listed = (lastmod: number | null) => ({ lastmod, changefreq: null });

describe("which dates of a sitemap say anything", () => {
  it("are not those to come, but for a clock or a zone that is off", () => {
    assert.deepEqual(believed([NOW - DAY, NOW + 9 * HOUR, NOW + 30 * DAY]), [NOW - DAY, NOW + 9 * HOUR]);
  });
  it("are none when nearly all are the time at which it was made", () => {
    const madeNow = Array.from({ length: 20 }, (_, i) => NOW - i * 100);
    assert.deepEqual(believed(madeNow), []);
    assert.deepEqual(believed([...madeNow, NOW - 40 * DAY]), [], "a page that is dated by hand saves no others");
    assert.deepEqual(believed(Array(20).fill(TODAY)), [], "by the day");
    assert.deepEqual(believed(Array(20).fill(NOW + 5 * DAY)), [], "or all to come");
  });
  it("are all when they are of one time long past, few, or of times of their own", () => {
    const deployed = Array(20).fill(NOW - 10 * DAY);
    assert.deepEqual(believed(deployed), deployed);
    assert.deepEqual(believed([NOW, NOW]), [NOW, NOW]);
    const news = Array.from({ length: 20 }, (_, i) => NOW - i * 20 * 60_000);
    assert.deepEqual(believed(news), news);
  });
});

describe("a page is said to have changed", () => {
  it("when its date is after our last look", () => {
    const seen = { seenAt: NOW, listed: null };
    assert.ok(saysChanged(listed(NOW + 1), seen));
    assert.ok(!saysChanged(listed(NOW - 1), seen));
    assert.ok(!saysChanged(listed(null), seen));
  });
  it("by a day that had not ended at our last look, unless that day was named already then", () => {
    assert.ok(saysChanged(listed(TODAY), { seenAt: NOW, listed: listed(TODAY - 3 * DAY) }));
    assert.ok(!saysChanged(listed(TODAY), { seenAt: NOW, listed: listed(TODAY) }));
    assert.ok(!saysChanged(listed(TODAY - DAY), { seenAt: NOW, listed: null }));
  });
  it("not again by what was said at our last look, though it was to come then", () => {
    assert.ok(!saysChanged(listed(NOW + HOUR), { seenAt: NOW, listed: listed(NOW + HOUR) }));
  });
});

/** Trust after looks of which the first `called` were called for by a date; of these `hits` found a change, of the others none. */
function after(looks: number, called: number, hits: number, chance: number): HintTrust | null {
  let trust: HintTrust | null = null;
  for (let i = 0; i < looks; i++) trust = afterDated(trust, { called: i < called, changed: i < hits, chance });
  return trust;
}

describe("a host's dates are trusted", () => {
  it("once looks that they called for found changes, more than the rates of the pages would have", () => {
    assert.ok(isTrusted(after(12, 4, 4, 0.3)));
    assert.ok(isTrusted(after(100, 30, 27, 0.3)));
  });
  it("not before anything was proved, nor when they find what would have been found anyway, nor nothing", () => {
    assert.ok(!isTrusted(null));
    assert.ok(!isTrusted(after(9, 1, 1, 0.1)));
    assert.ok(!isTrusted(after(100, 50, 10, 0.2)));
    assert.ok(!isTrusted(after(40, 20, 0, 0.1)));
  });
  it("never when they always call, however wrong the rates are", () => {
    for (const chance of [0.01, 0.3, 0.9])
      for (const hits of [1, 20, 60, 99, 100])
        assert.ok(!isTrusted(after(100, 100, hits, chance)), `${hits} by ${chance}`);
  });
  it("no longer, when they cease to be right", () => {
    let trust = after(400, 100, 95, 0.25);
    assert.ok(isTrusted(trust));
    for (let i = 0; i < 400; i++) trust = afterDated(trust, { called: i % 2 === 0, changed: i % 8 < 2, chance: 0.25 });
    assert.ok(!isTrusted(trust));
  });
  it("by counts that stay small and in proportion, whatever is found", () => {
    const look = fc.record({
      called: fc.boolean(),
      changed: fc.boolean(),
      chance: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 2_000 }), (looks) => {
        const trust = looks.reduce<HintTrust | null>(afterDated, null);
        if (trust === null) return;
        assert.ok(trust.all.looks <= 200 && trust.called.looks <= trust.all.looks);
        for (const { looks: all, found, expected } of [trust.all, trust.called])
          assert.ok(found <= all && expected <= all + 1e-9);
      }),
    );
  });
});

describe("the change frequency that a sitemap gives a new page", () => {
  const wide = around(1 / (100 * DAY), 3);
  it("moves what is believed towards it, and more so the less was known", () => {
    const daily = rateOf(priorWith("daily", wide));
    assert.ok(daily > rateOf(wide) && daily < 1 / DAY);
    assert.ok(rateOf(priorWith("daily", around(1 / (100 * DAY), 0.5))) < daily);
    assert.ok(rateOf(priorWith("never", wide)) < rateOf(wide));
  });
  it("leaves it as it was, where nothing is said", () => {
    assert.equal(priorWith(null, wide), wide);
  });
});
