/** Links met lately: told once, and again when their number has doubled. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecentLinks } from "../../src/dedup/recent.ts";

/** What it says to one link on each of `pages` pages. */
function onPages(recent: RecentLinks, pages: number): number[] {
  return Array.from({ length: pages }, () => {
    recent.nextPage();
    return recent.met(7, 9);
  });
}

describe("links met lately", () => {
  it("are told at the first page that has them, and at the 2nd, 4th, 8th ... 128th", () => {
    const told = onPages(new RecentLinks(), 2_000);
    assert.deepEqual(
      told.flatMap((count, i) => (count > 0 ? [[i + 1, count]] : [])),
      [1, 2, 4, 8, 16, 32, 64, 128].map((n) => [n, n]),
    );
  });

  it("count once a page, however often the page has them", () => {
    const recent = new RecentLinks();
    for (let page = 0; page < 3; page++) {
      recent.nextPage();
      const said = [recent.met(1, 2), recent.met(1, 2), recent.met(1, 2)];
      assert.deepEqual(
        said,
        [
          [1, 0, 0],
          [2, 0, 0],
          [0, 0, 0],
        ][page],
      );
    }
  });

  it("count for each fingerprint on its own, the one of zeros too", () => {
    const recent = new RecentLinks();
    assert.deepEqual([recent.met(0, 0), recent.met(1, 1), recent.met(1, 2), recent.met(0, 0)], [1, 1, 1, 0]);
  });

  it("are forgotten when another takes their place, and are told anew", () => {
    const recent = new RecentLinks(2);
    assert.deepEqual([recent.met(1, 0), recent.met(2, 2), recent.met(1, 0)], [1, 1, 1]);
  });

  it("are forgotten when told so", () => {
    const recent = new RecentLinks();
    onPages(recent, 5);
    recent.clear();
    assert.deepEqual(onPages(recent, 3), [1, 2, 0]);
  });
});
