/** Memory is bounded by active hosts: what has nothing to visit any more is on disk alone. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { HostKey } from "../../../src/model/host.ts";
import type { LeasedUrl } from "../../../src/model/lease.ts";
import type { Backend } from "../../../src/ports/frontier.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import type { ChunkStore } from "../../../src/store/embedded/queues.ts";
import { Schedule } from "../../../src/store/embedded/schedule.ts";
import { UrlStates } from "../../../src/store/embedded/url-states.ts";
import { firstCash } from "../../conformance/frontier/links.ts";
import { again, ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";

/** Nothing is so long that it goes to disk. */
const nowhere: ChunkStore = {
  take: () => assert.fail("nothing is on disk"),
  write: () => assert.fail("nothing goes to disk"),
  returnsAfter: () => assert.fail("nothing comes back"),
};

/** All clocks are on disk. */
const onDisk = { waits: () => false };

describe("the frontier in memory", () => {
  const states = new UrlStates();
  const urlOf = (id: number, host: HostKey): LeasedUrl => ({
    ...{ id, href: url("h", "x").href, host, depth: 0, hops: 0, via: 0, source: "seed", priority: 0, admittedAt: 0 },
  });
  const nameOf = (n: number) => `http://h${n}` as HostKey;
  const start = () =>
    new Schedule({ leaseMs: 1e6, hostConcurrency: 1, hostShare: 1, firstTier: () => 0, firstToken: 1 });
  let id = 1;
  function admit(schedule: Schedule, n: number): void {
    const host = schedule.host(nameOf(n)) ?? schedule.activate(n, nameOf(n), 0);
    states.admit(id, 0);
    schedule.admit(host);
    host.push(id++, 0);
    schedule.place(host);
  }
  /** Visits one URL of whichever host is next; false when there is none. */
  function visit(schedule: Schedule): boolean {
    const next = schedule.next(0, nowhere, states);
    if (next === null) return false;
    const lease = schedule.lease(next, { url: urlOf(next.id, next.host.name), previous: null, importance: 0 }, 0);
    schedule.end(schedule.current(lease.token)!, 0, undefined);
    states.end(next.id);
    return true;
  }

  it("lets go of a host that goes quiet, and of all that its queues held", () => {
    const schedule = start();
    for (let n = 0; n < 5_000; n++) admit(schedule, n);
    while (visit(schedule));
    assert.deepEqual(schedule.held, { hosts: 5_000, blocks: 0 });
    admit(schedule, 7);
    schedule.forgetQuietHosts(nowhere, onDisk);
    assert.deepEqual(schedule.held, { hosts: 1, blocks: 1 });
    assert.equal(schedule.host(nameOf(8)), undefined);
    assert.equal(schedule.host(nameOf(7))!.pending, 1);
  });

  it("keeps a quiet host whose clock is not on disk yet", () => {
    const schedule = start();
    for (let n = 0; n < 5_000; n++) admit(schedule, n);
    while (visit(schedule));
    schedule.forgetQuietHosts(nowhere, { waits: ({ id }) => id === 3 });
    assert.equal(schedule.held.hosts, 1);
    assert.equal(schedule.host(nameOf(3))!.pending, 0);
  });

  it("is bounded by active hosts, however many there were", () => {
    const schedule = start();
    const ACTIVE = 40;
    let most = 0;
    for (let n = 0; n < 50_000; n++) {
      for (let page = 0; page < 3; page++) admit(schedule, n);
      while (schedule.counts().hosts > ACTIVE) visit(schedule);
      schedule.forgetQuietHosts(nowhere, onDisk);
      most = Math.max(most, schedule.held.hosts);
      assert.ok(schedule.held.blocks <= ACTIVE, "a block of ids for each active host");
    }
    assert.ok(most <= ACTIVE * 1.5 + 1_000, `${most} hosts in memory`);
  });
});

describe("a host that was quiet", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "trawl-quiet-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const clock = new TestClock();
  const old = Array.from({ length: 192 }, (_, i) => url("a", `old${i}`, { priority: 4, source: "link" }));
  const others = Array.from({ length: 1_200 }, (_, i) => url(`h${i}`, "x"));

  async function visitAll(backend: Backend): Promise<string[]> {
    const hrefs: string[] = [];
    for (;;) {
      clock.time += 20_000; // brings the table of hosts up to date, so that quiet ones may go
      const leases = await backend.lease(5_000);
      if (leases.length === 0) return hrefs;
      hrefs.push(...leases.map((lease) => lease.url.href));
      const parts = leases.map((lease) => settled(lease, ended(), clock.time));
      await backend.commit({ settled: parts, hosts: [], robots: [], marks: [] });
    }
  }

  const visitOne = async (backend: Backend, more = {}): Promise<void> => {
    const [lease] = await backend.lease(1);
    const parts = [settled(lease!, ended(), clock.time, more)];
    await backend.commit({ settled: parts, hosts: [], robots: [], marks: [] });
  };

  /** All but the first 64, the head of the queue, are brought forward from their chunks, and the chunks are never read. */
  async function leaveChunks(backend: Backend): Promise<void> {
    await backend.add(old);
    for (let from = 64; from < old.length; from += 16) {
      await backend.add([url("a", `rich${from}`)]);
      await visitOne(backend, { linksAgain: again("a", old.slice(from, from + 16)) });
      // Sixteen of the short list, in two turns of three.
      for (let i = 0; i < 23; i++) await visitOne(backend);
    }
  }

  for (const crash of [false, true])
    it(`begins anew, though places that all have left were on disk${crash ? ", also after a restart" : ""}`, async () => {
      const more = Array.from({ length: 300 }, (_, i) => url("a", `new${i}`, { priority: 4, source: "link" }));
      {
        await using backend = openEmbedded(dir, { clock, firstCash });
        await leaveChunks(backend);
        await visitAll(backend);
        if (!crash) {
          await backend.add(others);
          await visitAll(backend);
          await backend.add(more);
          assert.deepEqual((await visitAll(backend)).sort(), more.map(({ href }) => href).sort());
        }
      }
      await using backend = openEmbedded(dir, { clock, firstCash });
      if (crash) {
        await backend.add(more);
        assert.deepEqual((await visitAll(backend)).sort(), more.map(({ href }) => href).sort());
      }
      assert.equal((await backend.pending()).queued, 0);
    });
});
