import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { around, rateOf } from "../../src/policy/change-rate.ts";
import { Panel, type Panellist } from "../../src/policy/panel.ts";

const DAY = 86_400_000;
const BOUNDS = { minMs: DAY / 24, maxMs: 90 * DAY };
const FIRST = around(1 / (30 * DAY), 2.5);

const page = (perDay: number, more: Partial<Panellist> = {}): Panellist => ({
  belief: around(perDay / DAY, 0.3),
  weight: 1,
  host: "http://a.test",
  pattern: "/",
  soundings: 0,
  ...more,
});

describe("the panel", () => {
  it("is all pages as long as they are few, and then as many as it may hold, whose price is that of all", () => {
    const many = new Panel(FIRST, BOUNDS, 500);
    const all = new Panel(FIRST, BOUNDS);
    for (let id = 1; id <= 400; id++) many.put(id, page(1));
    assert.deepEqual([many.pages, many.scale], [400, 1]);
    for (let id = 1; id <= 10_000; id++) {
      const one = page(10 ** ((id % 40) / 10 - 3));
      many.put(id, one);
      all.put(id, one);
    }
    assert.ok([...many.ids].length <= 500 && many.scale >= 16);
    assert.ok(Math.abs(many.pages / 10_000 - 1) < 0.15, String(many.pages));
    const visits = 2_000 / DAY;
    const ratio = many.demand.price(visits / many.scale) / all.demand.price(visits);
    assert.ok(Math.abs(Math.log(ratio)) < 0.25, String(ratio));
  });

  it("counts a page once, as it is known last, and forgets one that is taken away", () => {
    const panel = new Panel(FIRST, BOUNDS);
    panel.put(1, page(1, { soundings: 2 }));
    panel.put(1, page(4, { soundings: 0.5 }));
    assert.deepEqual([panel.pages, panel.soundings], [1, 0.5]);
    assert.ok(panel.demand.changes * DAY > 3);
    panel.remove(1);
    panel.remove(1);
    assert.deepEqual([panel.pages, panel.soundings], [0, 0]);
  });

  it("believes of a new page what its pattern's pages do, else its host's, else all", () => {
    const panel = new Panel(FIRST, BOUNDS);
    for (let id = 1; id <= 200; id++)
      panel.put(id, id <= 100 ? page(0.01, { pattern: "/about/*" }) : page(5, { pattern: "/news/*" }));
    for (let id = 201; id <= 600; id++) panel.put(id, page(0.05, { host: "http://b.test" }));
    const perDay = (host: string, pattern: string) => rateOf(panel.prior(host, pattern)) * DAY;
    assert.ok(perDay("http://a.test", "/about/*") < 0.03);
    assert.ok(perDay("http://a.test", "/news/*") > 2);
    const ofHost = perDay("http://a.test", "/other");
    assert.ok(ofHost > 0.05 && ofHost < 1, String(ofHost));
    assert.ok(Math.abs(Math.log(perDay("http://b.test", "/other") / 0.05)) < 0.5);
    assert.ok(perDay("http://c.test", "/") < ofHost);
  });

  it("believes what it was told first, until pages say otherwise", () => {
    const panel = new Panel(FIRST, BOUNDS);
    assert.ok(Math.abs(rateOf(panel.prior("http://a.test", "/")) / rateOf(FIRST) - 1) < 1e-9);
    panel.put(1, page(5));
    assert.ok(rateOf(panel.prior("http://b.test", "/")) / rateOf(FIRST) < 1.3);
  });
});
