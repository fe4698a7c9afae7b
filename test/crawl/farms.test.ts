/** Domains whose hosts are copies of each other: how many of those that are not known yet are tried, and which are left. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Feedback } from "../../src/crawl/feedback.ts";
import type { HostKey } from "../../src/model/host.ts";
import type { Href } from "../../src/model/url.ts";
import type { Visited } from "../../src/model/visited.ts";

const BUDGET = 20;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe("unknown hosts of a domain that copies itself", () => {
  const lease = (id: number, host: string) => {
    const url = { id, href: `http://${host}/` as Href, host: `http://${host}` as HostKey, source: "link" } as const;
    return { ...url, depth: 1, hops: 0, via: 1, priority: 2, admittedAt: 0 };
  };
  /** After a copy of a.farm.test's page on b.farm.test. */
  const inDoubt = async (): Promise<Feedback> => {
    const feedback = new Feedback(async () => "http://a.farm.test" as HostKey, { patternBudget: BUDGET });
    const url = lease(2, "b.farm.test");
    const outcome = { kind: "answer", status: 200, bytes: 9_999 };
    const visited = { lease: { url }, outcome, page: { simhash: "0".repeat(16) }, links: [] } as unknown as Visited;
    await feedback.learn([{ visited, copy: { duplicateOf: 1, nearDuplicateOf: null } }]);
    return feedback;
  };

  it("are tried three at a time; another when one has ended, or has kept all waiting", async () => {
    const feedback = await inDoubt();
    const ask = (n: number, now = 0) => feedback.refusal(lease(10 + n, `f${n}.farm.test`), 0, now);
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((n) => ask(n)),
      [null, null, null, "later", "later"],
    );
    assert.equal(ask(2), null, "one that is tried goes on");
    feedback.ended(lease(11, "f1.farm.test"));
    assert.deepEqual([ask(4), ask(5)], [null, "later"]);
    assert.deepEqual([ask(5, 60_001), ask(6, 60_001)], [null, null]);
  });

  it("are left when their pages turn out to be those of an earlier host, though they had them first", async () => {
    const feedback = new Feedback(async (id) => `http://${id === 1 ? "a" : "b"}.farm.test` as HostKey, {
      patternBudget: BUDGET,
    });
    const learn = async (id: number, host: string, duplicateOf: number | null) => {
      const outcome = { kind: "answer", status: 200, bytes: 9_999 };
      const page = { simhash: "0".repeat(16) };
      const visited = { lease: { url: lease(id, host) }, outcome, page, links: [] } as unknown as Visited;
      await feedback.learn([{ visited, copy: { duplicateOf, nearDuplicateOf: null } }]);
    };
    await learn(2, "b.farm.test", 1);
    for (const n of numbers(12)) await learn(10 + n, "b.farm.test", null);
    for (const n of numbers(5)) await learn(30 + n, "a.farm.test", 10 + n);
    assert.equal(feedback.refusal(lease(50, "b.farm.test"), 20, 0), null, "the domain has credit");
    for (const n of numbers(2)) await learn(40 + n, "a.farm.test", 15 + n);
    assert.equal(feedback.refusal(lease(51, "b.farm.test"), 20, 0), "*.farm.test", "five are its own, eight are not");
  });

  it("are not those of another domain, nor hosts that have had ten requests without a copy", async () => {
    const feedback = await inDoubt();
    for (const n of numbers(10)) {
      assert.equal(feedback.refusal(lease(10 + n, `f${n}.other.test`), 0, 0), null);
      assert.equal(feedback.refusal(lease(30 + n, `g${n}.farm.test`), 10, 0), null);
    }
  });
});
