import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Hosts } from "../../src/crawl/hosts.ts";
import { type HostKey, newHostState } from "../../src/model/host.ts";
import type { RobotsCopy } from "../../src/model/robots-copy.ts";
import type { Href } from "../../src/model/url.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { TestClock, url } from "../conformance/frontier-world.ts";

const HOST = "http://a.test" as HostKey;

const COPY: RobotsCopy = {
  ...{ id: 0, host: HOST, fetchedAt: 1, expiresAt: 1e9, access: "rules", status: 200, failure: null },
  ...{ body: "User-agent: *\nDisallow: /", href: `${HOST}/robots.txt` as Href, capture: null },
};

/** A host that two crawlers know, each by its own memory, and a state that the other of them has written to. */
async function world() {
  const backend = memoryBackend({ clock: new TestClock() });
  await backend.add([url("a.test", "1")]);
  const [lease] = await backend.lease(1);
  const mine = await Hosts.open(backend, "trawlbot");
  await mine.loadLeased([lease!]);
  const elsewhere = (requests: number) =>
    backend.commit({ settled: [], hosts: [{ ...newHostState(HOST), requests }], robots: [COPY], marks: [] });
  return { mine, lease: lease!, elsewhere };
}

describe("what a crawler remembers of a host", () => {
  it("is read anew when others have had leases on it since", async () => {
    const { mine, lease, elsewhere } = await world();
    await elsewhere(7);
    await mine.loadLeased([{ ...lease, hostMoved: true }]);
    const { state, robots } = mine.get(HOST);
    assert.equal(state.requests, 7);
    assert.equal(robots?.history.latest.id, 1);
  });

  it("stands when the lease before was its own, and while something is open on it", async () => {
    for (const [hostMoved, open] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const { mine, lease, elsewhere } = await world();
      const entry = mine.get(HOST);
      entry.open = open;
      entry.state = { ...entry.state, requests: 3 };
      await elsewhere(7);
      await mine.loadLeased([{ ...lease, hostMoved }]);
      assert.equal(mine.get(HOST).state.requests, 3);
    }
  });
});
