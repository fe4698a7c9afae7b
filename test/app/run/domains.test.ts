import assert from "node:assert/strict";
import { it } from "node:test";
import { countDomains } from "../../../src/app/run/domains.ts";
import { type HostKey, newHostState } from "../../../src/model/host.ts";
import type { DomainPages } from "../../../src/ports/domain-counts.ts";
import { memoryBackend } from "../../../src/store/memory/backend.ts";
import { TestClock, url } from "../../conformance/frontier-world.ts";

it("what hosts had before anybody counted is counted by domain, once", async () => {
  const state = memoryBackend({ clock: new TestClock() });
  const had = { "a.me.github.io": 3, "b.me.github.io": 4, "you.github.io": 5 };
  await state.add(Object.keys(had).map((name) => url(name, "1")));
  const hosts = Object.entries(had).map(([name, requests]) => ({
    ...newHostState(`http://${name}` as HostKey),
    requests,
  }));
  await state.commit({ settled: [], hosts, robots: [], marks: [] });
  const told: DomainPages[] = [];
  const counts = { atLeast: async (pages: readonly DomainPages[]) => void told.push(...pages) };
  await countDomains(state, counts);
  await countDomains(state, counts);
  assert.deepEqual(
    told.toSorted((a, b) => a.pages - b.pages),
    [
      { domain: "you.github.io", pages: 5 },
      { domain: "me.github.io", pages: 7 },
    ],
  );
});
