import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Domains, type SharedDomains } from "../../src/crawl/domains.ts";
import type { DomainCounts } from "../../src/ports/domain-counts.ts";
import { TestClock } from "../conformance/frontier-world.ts";

/** What all have counted, and which domains were asked about. */
function counted(start: Readonly<Record<string, number>> = {}) {
  const sums = new Map(Object.entries(start));
  const asked: string[] = [];
  const counts: DomainCounts = {
    async of(domains) {
      asked.push(...domains);
      return domains.map((domain) => sums.get(domain) ?? 0);
    },
    async add(pages) {
      return pages.map(({ domain, pages: some }) => {
        sums.set(domain, (sums.get(domain) ?? 0) + some);
        return sums.get(domain)!;
      });
    },
  };
  return { sums, asked, counts };
}

const shared = (counts: DomainCounts, clock: TestClock, untilNext = 100_000): SharedDomains => ({
  ...{ counts, clock },
  crawlers: () => 2,
  untilNext: () => untilNext,
});

describe("what a domain has had", () => {
  it("is what others have counted, and what was counted here and is not told yet", async () => {
    const { sums, counts } = counted({ "big.test": 7 });
    const domains = new Domains(10, shared(counts, new TestClock()));
    await domains.hear(["a.big.test", "b.big.test"]);
    const entry = domains.hold("a.big.test");
    assert.equal(domains.hold("b.big.test"), entry);
    domains.count("a.big.test", 2);
    assert.deepEqual([entry.requests, sums.get("big.test")], [9, 7]);
    sums.set("big.test", 20);
    await domains.tell();
    await domains.tell();
    assert.deepEqual([entry.requests, sums.get("big.test")], [22, 22]);
  });

  it("stands when what was asked before is answered after it", async () => {
    const { counts } = counted();
    const late = Promise.withResolvers<void>();
    const slow: DomainCounts = {
      ...counts,
      async of(domains) {
        const sums = await counts.of(domains);
        await late.promise;
        return sums;
      },
    };
    const domains = new Domains(10, shared(slow, new TestClock()));
    const hearing = domains.hear(["a.test"]);
    const entry = domains.hold("a.test");
    domains.count("a.test", 3);
    await domains.tell();
    late.resolve();
    await hearing;
    assert.equal(entry.requests, 3);
  });

  it("is asked about anew the sooner, the less it may have", async () => {
    for (const [untilNext, holdsMs] of [
      [1, 500],
      [2_000, 2_000],
      [Number.POSITIVE_INFINITY, 60_000],
    ] as const) {
      const [{ asked, counts }, clock] = [counted(), new TestClock()];
      const domains = new Domains(10, shared(counts, clock, untilNext));
      await domains.hear(["a.test"]);
      clock.time += holdsMs - 1;
      await domains.hear(["a.test"]);
      assert.equal(asked.length, 1, String(untilNext));
      clock.time += 1;
      await domains.hear(["a.test"]);
      assert.equal(asked.length, 2, String(untilNext));
    }
  });

  it("is kept for hosts in memory and for what is not told, however many others come", async () => {
    const { sums, counts } = counted();
    const domains = new Domains(3, shared(counts, new TestClock()));
    const held = domains.hold("held.test");
    domains.count("held.test", 1);
    domains.count("untold.test", 5);
    for (let nth = 0; nth < 50; nth++) domains.hold(`d${nth}.test`);
    assert.equal(domains.hold("held.test"), held);
    assert.equal(held.requests, 1);
    await domains.tell();
    assert.equal(sums.get("untold.test"), 5);
  });
});
