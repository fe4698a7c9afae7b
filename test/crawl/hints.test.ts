/** What sitemaps say, from when it is read until the look that it was said before; with the real scheduler and store. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Hints } from "../../src/crawl/hints.ts";
import { Hosts } from "../../src/crawl/hosts.ts";
import { Recrawl } from "../../src/crawl/recrawl.ts";
import type { HostKey } from "../../src/model/host.ts";
import { type Listed, listedWords } from "../../src/model/listed.ts";
import type { VisitRecord } from "../../src/model/record.ts";
import { isTrusted } from "../../src/policy/hints.ts";
import { afterLook, historyOf } from "../../src/policy/history.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { ended, recordOf, settled, TestClock, url } from "../conformance/frontier-world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOST = "http://a.test" as HostKey;

/** A host of some pages, all visited once, and what is needed to look at them again. */
async function world(pages = 1, most?: number) {
  const clock = new TestClock();
  clock.time = Date.UTC(2026, 10, 1, 12);
  const backend = memoryBackend({ clock, hostConcurrency: 100 });
  const hosts = await Hosts.open(backend, "trawlbot");
  await hosts.load([HOST]);
  const recrawl = new Recrawl(
    { frontier: backend, urls: backend, clock, random: () => 0.5, weightOf: () => 1, until: null },
    {
      policy: "freshness",
      everyMs: 30 * DAY,
      budget: null,
      bounds: { minMs: HOUR, maxMs: 90 * DAY },
      share: 1,
    },
  );
  const hints = new Hints({ urls: backend, hosts, recrawl, clock, ...(most !== undefined && { most }) });
  const urls = Array.from({ length: pages }, (_, i) => url("a.test", String(i)));
  await backend.add(urls);
  const hear = async (n: number, says: Partial<Listed>): Promise<void> => {
    const { fpHi, fpLo } = urls[n]!;
    hints.hear(Uint32Array.from([fpHi, fpLo, ...listedWords({ lastmod: null, changefreq: null, ...says })]));
    while (hints.isWaiting) await hints.take();
  };
  /** Looks at what is queued, and commits it. What came of the URLs, by id. */
  const look = async (hasChanged: (id: number) => boolean = () => false): Promise<VisitRecord[]> => {
    const now = clock.now();
    const records: VisitRecord[] = [];
    for (const lease of await backend.lease(100)) {
      const { previous } = lease;
      const changed = hasChanged(lease.url.id);
      const kind = previous === null ? "first" : changed ? "changed" : "same";
      const before = previous === null ? null : historyOf(previous);
      const content = { digest: `${now}`, body: null, simhash: null, etag: null, lastModified: null };
      const capture = { response: { file: "f", offset: 0, length: 1 }, at: now, digest: `${now}`, truncated: null };
      const plain = { ...recordOf(lease, "fetched", now), capture };
      const change = { kind, distance: null } as const;
      const row =
        before === null
          ? plain
          : { ...plain, history: afterLook(before, now, { kind: "content", change, ...content }) };
      const entry = hosts.get(HOST);
      if (previous !== null) {
        const again = hints.judged(entry.state.again, { ...lease.url, importance: 0 }, previous, { at: now, changed });
        entry.state = { ...entry.state, again };
      }
      const record = hints.noted(row);
      records.push(record);
      await backend.commit({
        ...{ hosts: [entry.state], robots: [], marks: [] },
        settled: [recrawl.settled(settled(lease, ended(), now, { record }))],
      });
    }
    return records;
  };
  const again = (n: number) => backend.revisit([{ id: n + 1, priority: 0 }]);
  const dueNow = async () => (await backend.due(clock.now(), 10)).map(({ id }) => id);
  return {
    clock,
    backend,
    hosts,
    hints,
    hear,
    look,
    again,
    dueNow,
    trust: () => hosts.get(HOST).state.again?.hints ?? null,
  };
}

describe("what a sitemap says of a page", () => {
  it("stands in the history of its next look, with what had been said before", async () => {
    const { clock, hear, look, again } = await world();
    const first = clock.now() - 9 * DAY;
    await hear(0, { lastmod: first, changefreq: "weekly" });
    const [record] = await look();
    assert.deepEqual(record!.history?.listed, { lastmod: first, changefreq: "weekly" });
    assert.equal(record!.history?.checks, 0);
    clock.time += DAY;
    const then = clock.now() - HOUR;
    await hear(0, { lastmod: then });
    await again(0);
    const [next] = await look(() => true);
    assert.deepEqual(
      next!.history?.listed,
      { lastmod: then, changefreq: "weekly" },
      "a feed says when, a sitemap how often",
    );
  });
  it("costs nothing where nothing is said", async () => {
    const { look } = await world();
    assert.equal((await look())[0]!.history, null);
  });
  it("waits for a look that sees the page", async () => {
    const { hints, hear, backend, clock } = await world();
    await hear(0, { changefreq: "daily" });
    const [lease] = await backend.lease(1);
    const failed = { ...recordOf(lease!, "timeout", clock.now()), status: null };
    assert.equal(hints.noted(failed), failed);
    const seen = {
      ...recordOf(lease!, "fetched", clock.now()),
      capture: { response: { file: "f", offset: 0, length: 1 }, at: 1, digest: "d", truncated: null },
    };
    assert.equal(hints.noted(seen).history?.listed?.changefreq, "daily");
  });
  it("is forgotten first of what was said first, when there is no more room", async () => {
    const { hear, look } = await world(3, 2);
    for (const n of [0, 1, 2]) await hear(n, { changefreq: "daily" });
    assert.deepEqual(
      (await look()).map(({ history }) => history?.listed?.changefreq),
      [undefined, "daily", "daily"],
    );
  });
});

describe("a date after our last look", () => {
  it("makes the page due at once when looks that such dates called for have found changes, and not before", async () => {
    const { clock, hear, look, again, dueNow, trust } = await world(21);
    for (let n = 0; n < 21; n++) await hear(n, { lastmod: clock.now() - 30 * DAY });
    await look();
    for (let n = 0; n < 10; n++) {
      clock.time += 2 * HOUR;
      await hear(n, { lastmod: clock.now() - HOUR });
      assert.deepEqual(await dueNow(), isTrusted(trust()) ? [n + 1] : [], `page ${n}`);
      await again(n);
      await again(10 + n); // of which nothing new is said, and nothing is new
      await look((id) => id === n + 1);
    }
    assert.ok(isTrusted(trust()));
    await hear(20, { lastmod: clock.now() - 21 * HOUR });
    assert.deepEqual(await dueNow(), [], "what was said of before our look was seen by it");
    await hear(20, { lastmod: clock.now() - 19 * HOUR });
    assert.deepEqual(await dueNow(), [21]);
  });
  it("does nothing where dates are always new and pages seldom are", async () => {
    const { clock, hear, look, again, dueNow, trust } = await world();
    await look();
    for (let round = 0; round < 20; round++) {
      clock.time += 2 * HOUR;
      await hear(0, { lastmod: clock.now() - 60_000 });
      assert.deepEqual(await dueNow(), []);
      await again(0);
      await look(() => round % 10 === 9);
    }
    assert.equal(trust()!.called.looks, 20);
  });
});
