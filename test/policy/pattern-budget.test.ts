/** What a pattern of URLs is still worth: budgets that shrink and recover. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { afterPage, isClosed, isProven, letThrough, newBudget } from "../../src/policy/pattern-budget.ts";

const CREDIT = 30;

/** Leases so many URLs of a pattern one after another; those that were asked for. `useful` says what a page brings. */
function crawl(urls: number, useful: (nth: number) => boolean): number[] {
  let budget = newBudget(CREDIT);
  const asked: number[] = [];
  for (let id = 1; id <= urls; id++) {
    let pass = true;
    if (isClosed(budget)) [pass, budget] = letThrough(budget, id);
    if (!pass) continue;
    asked.push(id);
    budget = afterPage(budget, id, useful(id) ? 0 : 1, CREDIT);
  }
  return asked;
}

describe("a pattern's budget", () => {
  it("is never used up where one page in three is worth something", () => {
    assert.equal(crawl(10_000, (id) => id % 3 === 0).length, 10_000);
  });

  it("ends a trap: its credit, and the logarithm of its URLs", () => {
    assert.equal(crawl(29, () => false).length, 29);
    const asked = crawl(1_000_000, () => false);
    assert.ok(asked.length > CREDIT && asked.length <= CREDIT + 20, String(asked.length));
  });

  it("recovers, when the pages are worth something again", () => {
    const asked = crawl(10_000, (id) => id > 200);
    const lost = 10_000 - 200 - asked.filter((id) => id > 200).length;
    assert.ok(lost < 200, `${lost} good pages were left out`);
  });

  it("shrinks again sooner than at first", () => {
    const first = crawl(1_000, () => false).length;
    const asked = crawl(2_000, (id) => id > 1_000 && id <= 1_100);
    const before = asked.filter((id) => id <= 1_000).length;
    assert.equal(before, first);
    assert.ok(asked.filter((id) => id > 1_100).length <= first + 10);
  });

  it("tells a URL the same again, when its turn comes a second time", () => {
    let budget = newBudget(0);
    const asked = [1, 2, 3, 4, 4, 5, 4].map((id) => {
      const [pass, after] = letThrough(budget, id);
      budget = after;
      return pass;
    });
    assert.deepEqual(asked, [false, false, false, true, true, false, true]);
  });

  it("waits for the page of a trial before the next, but not for ever", () => {
    let budget = newBudget(0);
    const passed: number[] = [];
    for (let id = 1; id <= 40; id++) {
      const [pass, after] = letThrough(budget, id);
      budget = after;
      if (pass) passed.push(id);
    }
    assert.deepEqual(passed, [4, 20, 36]);
  });

  it("lets more through after a good page, and fewer after each useless trial", () => {
    const closed = { credit: 0, useful: 0, gap: 64, refused: 9, probe: 7 };
    assert.deepEqual(afterPage(closed, 7, 0, CREDIT), { credit: 2, useful: 1, gap: 32, refused: 0, probe: 0 });
    assert.deepEqual(afterPage(closed, 7, 1, CREDIT), { ...closed, gap: 128, probe: 0 });
    assert.deepEqual(afterPage(closed, 8, 1, CREDIT), closed, "one that was on its way says nothing new");
  });

  it("is proven by pages of use, as long as it has credit", () => {
    let budget = newBudget(CREDIT);
    for (let id = 1; id <= 5; id++) budget = afterPage(budget, id, 0, CREDIT);
    assert.ok(isProven(budget));
    assert.ok(!isProven({ ...budget, credit: 0 }));
  });

  it("never has more than it had at first, and never less than nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 0.5, 1), { maxLength: 300 }), (pages) => {
        let budget = newBudget(CREDIT);
        for (const [id, cost] of pages.entries()) {
          budget = afterPage(budget, id + 1, cost, CREDIT);
          assert.ok(budget.credit >= 0 && budget.credit <= CREDIT && budget.gap >= 4);
        }
      }),
    );
  });
});
