/** Links met lately: told once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecentLinks } from "../../src/dedup/recent.ts";

describe("links met lately", () => {
  it("are new at first, each fingerprint on its own, the one of zeros too", () => {
    const recent = new RecentLinks();
    const met = [recent.met(0, 0), recent.met(1, 1), recent.met(1, 2), recent.met(0, 0), recent.met(1, 2)];
    assert.deepEqual(met, [false, false, false, true, true]);
  });

  it("are forgotten when another takes their place, and are told anew", () => {
    const recent = new RecentLinks(2);
    assert.deepEqual([recent.met(1, 0), recent.met(2, 2), recent.met(1, 0)], [false, false, false]);
  });

  it("are forgotten when told so", () => {
    const recent = new RecentLinks();
    recent.met(7, 9);
    recent.clear();
    assert.deepEqual([recent.met(7, 9), recent.met(7, 9)], [false, true]);
  });
});
