import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { budgetLine, budgetsOf, domainLines } from "../../../../src/app/inspect/report/budgets.ts";
import { type HostKey, newHostState } from "../../../../src/model/host.ts";
import { memoryBackend } from "../../../../src/store/memory/backend.ts";
import { TestClock, url } from "../../../conformance/frontier-world.ts";

const RULES = { budget: 200, domainBudget: 1_000, maxPerHost: 500, maxPerDomain: null } as const;

/** Each host has had so many pages, and has one URL that waits. */
async function stateOf(had: Readonly<Record<string, number>>) {
  const state = memoryBackend({ clock: new TestClock() });
  await state.add(Object.keys(had).map((name) => url(name, "1")));
  const hosts = Object.entries(had).map(([name, requests]) => ({
    ...newHostState(`http://${name}` as HostKey),
    requests,
  }));
  await state.commit({ settled: [], hosts, robots: [], marks: [] });
  return state;
}

describe("what hosts and domains have had of their budgets", () => {
  it("is told of domains as all their hosts together, the largest first", async () => {
    const state = await stateOf({
      "a.big.test": 900,
      "b.big.test": 99,
      "me.github.io": 200,
      "you.github.io": 3,
      "x.test": 0,
    });
    const budgets = await budgetsOf(state, { ...RULES, maxPerDomain: 999 }, null);
    assert.deepEqual(budgets.over, { hosts: 2, domains: 0 });
    assert.deepEqual(budgets.full, { hosts: 1, domains: 1 });
    assert.deepEqual(domainLines(budgets), [
      "Domains with most pages:",
      "  999  big.test, 2 hosts, 2 URLs pending",
      "  200  me.github.io, 1 host, 1 URL pending",
      "    3  you.github.io, 1 host, 1 URL pending",
    ]);
    assert.equal(
      budgetLine(budgets),
      "  budgets    2 hosts over budget (--budget 200, --domain-budget 1,000); 1 host and 1 domain with all their pages (--max-per-host 500, --max-per-domain 999)",
    );
  });

  it("is one line where all are within them, and a domain alone is not listed", async () => {
    const budgets = await budgetsOf(await stateOf({ "a.big.test": 199, "b.big.test": 9 }), RULES, null);
    assert.equal(budgetLine(budgets), "  budgets    nobody over budget (--budget 200, --domain-budget 1,000)");
    assert.deepEqual(domainLines(budgets), []);
  });

  it("of a domain is what crawlers have counted, where they have", async () => {
    const counts = { of: async (domains: readonly string[]) => domains.map(() => 1_000) };
    const budgets = await budgetsOf(await stateOf({ "a.big.test": 3 }), RULES, counts);
    assert.deepEqual([budgets.over.domains, budgets.domains[0]?.pages], [1, 1_000]);
  });

  it("counts a domain over its budget though no host is", async () => {
    const hosts = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`h${n}.big.test`, 100]));
    const budgets = await budgetsOf(await stateOf(hosts), RULES, null);
    assert.match(budgetLine(budgets), / 1 domain over budget /);
  });
});
