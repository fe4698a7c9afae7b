/** Promise 1: a key is admitted once, for ever, and a drop is no admission. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Href } from "../../../src/model/url.ts";
import { type Begin, ended, settled, url } from "../frontier-world.ts";

export function admission(begin: Begin): void {
  describe("1. admission", () => {
    it("admits a key once, for ever", async () => {
      const world = await begin();
      const { backend } = world;
      assert.equal(await backend.add([url("a.test", "1"), url("a.test", "2"), url("a.test", "1")]), 2);
      assert.equal(await backend.add([url("a.test", "2"), url("a.test", "3")]), 1);
      await world.drain();
      assert.equal(await backend.add([url("a.test", "1")]), 0);
      await world.reopen();
      assert.equal(await world.backend.add([url("a.test", "1"), url("a.test", "4")]), 1);
    });

    it("takes the fingerprint for the key, whatever the fetch form", async () => {
      const world = await begin();
      const { backend } = world;
      const first = url("a.test", "1");
      assert.equal(await backend.add([first, { ...first, href: "http://a.test/1?utm_source=x" as Href }]), 1);
      assert.equal((await world.leaseOne()).url.href, first.href);
    });

    it("keeps the time that a URL is told to have been admitted at, and that of a drop", async () => {
      const { backend, clock } = await begin();
      const drop = { reason: "scope" } as const;
      await backend.add([
        url("a.test", "then", { at: 5_000 }),
        url("a.test", "out", { at: 6_000, drop }),
        url("a.test", "now"),
      ]);
      const urls = await Array.fromAsync(backend.urls());
      assert.deepEqual(
        urls.map(({ admittedAt, visit }) => visit?.startedAt ?? admittedAt),
        [5_000, 6_000, clock.time],
      );
      assert.equal((await backend.lease(1))[0]?.url.admittedAt, 5_000);
    });

    it("tells apart fingerprints that differ in one word only", async () => {
      const { backend } = await begin();
      const base = url("a.test", "1");
      const low = { ...base, fpLo: 0xffffffff, fpHi: 0 };
      const high = { ...base, fpLo: 0, fpHi: 0xffffffff };
      assert.equal(await backend.add([low, high, { ...base, fpLo: 0, fpHi: 0 }, low, high]), 3);
      assert.equal((await backend.find({ fpHi: 0xffffffff, fpLo: 0 }))?.id, 2);
    });

    it("hands out what it was given", async () => {
      const world = await begin();
      const { backend } = world;
      const given = url("a.test", "1", { depth: 3, hops: 1, via: 7, source: "sitemap", priority: 2 });
      await backend.add([given]);
      const { href, host, depth, hops, via, source, priority } = given;
      const admittedAt = world.clock.time;
      assert.deepEqual((await world.leaseOne()).url, {
        id: 1,
        href,
        host,
        depth,
        hops,
        via,
        source,
        priority,
        admittedAt,
      });
    });

    it("gives ids that grow with admission, from 1, across restarts", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("b.test", "1")]);
      await world.reopen();
      await world.backend.add([url("a.test", "2")]);
      assert.deepEqual(
        (await Array.fromAsync(world.backend.urls())).map(({ id, href }) => [id, href]),
        [
          [1, "http://a.test/1"],
          [2, "http://b.test/1"],
          [3, "http://a.test/2"],
        ],
      );
    });

    it("records a dropped URL as ended at once and never queues it", async () => {
      const world = await begin();
      const { backend } = world;
      const drop = { reason: "scope", detail: "other host" } as const;
      assert.equal(await backend.add([url("b.test", "x", { drop }), url("a.test", "1")]), 1);
      assert.deepEqual(await world.leasePaths(9), ["1"]);
      const record = (await backend.byId(1))!;
      assert.equal(record.state, "ended");
      assert.equal(record.visit?.end, "scope");
      assert.equal(record.visit?.detail, "other host");
      assert.equal(record.visit?.attempt, 0);
      assert.equal(await backend.add([url("b.test", "x", { drop })]), 0);
      assert.deepEqual([...(await backend.endCounts())], [["scope", 1]]);
    });

    it("admits what was only dropped when it comes again without a drop, and forgets the drop", async () => {
      const world = await begin();
      const { backend } = world;
      const dropped = url("a.test", "x", { drop: { reason: "depth" } });
      await backend.add([dropped]);
      assert.equal(await backend.add([dropped, url("a.test", "x", { drop: { reason: "scope" } })]), 0);
      assert.equal((await backend.endCounts()).get("depth"), 1);
      assert.equal(await backend.add([url("a.test", "x"), url("a.test", "x")]), 1);
      assert.equal((await backend.endCounts()).size, 0);
      assert.equal((await Array.fromAsync(backend.urls())).length, 1);
      await world.reopen();
      assert.equal((await world.backend.pending()).queued, 1);
      assert.equal(await world.backend.add([url("a.test", "x"), dropped]), 0);
      const lease = await world.leaseOne();
      assert.equal(lease.url.href, dropped.href);
      assert.equal((await world.backend.find(dropped))?.id, lease.url.id);
      await world.backend.commit({
        settled: [settled(lease, ended("fetched"), world.clock.time)],
        hosts: [],
        robots: [],
        marks: [],
      });
      assert.equal(await world.backend.add([url("a.test", "x")]), 0);
      await world.reopen();
      assert.deepEqual([...(await world.backend.endCounts())], [["fetched", 1]]);
    });

    it("admits again what a lease has ended as dropped", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2")]);
      const first = await world.leaseOne();
      await world.settle(first, { kind: "end", end: "scope", dropped: true });
      const second = await world.leaseOne();
      await world.settle(second, { kind: "end", end: "scope" });
      assert.equal((await backend.endCounts()).get("scope"), 2);
      await world.reopen();
      assert.equal(await world.backend.add([url("a.test", "1"), url("a.test", "2")]), 1);
      assert.deepEqual([...(await world.backend.endCounts())], [["scope", 1]]);
      assert.equal((await world.leaseOne()).url.href, first.url.href);
    });

    it("admits in one commit what the same commit has dropped before", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const lease = await world.leaseOne();
      const links = [url("a.test", "2", { drop: { reason: "depth" } }), url("a.test", "2")];
      const report = await backend.commit({
        settled: [settled(lease, ended("fetched"), world.clock.time, { links })],
        hosts: [],
        robots: [],
        marks: [],
      });
      assert.equal(report.admitted, 1);
      await world.reopen();
      assert.equal((await world.backend.pending()).queued, 1);
      assert.deepEqual([...(await world.backend.endCounts())], [["fetched", 1]]);
    });

    it("counts what a commit admits and what it drops", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const links = [url("a.test", "1"), url("a.test", "2"), url("a.test", "3", { drop: { reason: "trap" } })];
      const report = await world.settle(await world.leaseOne(), ended(), { links });
      assert.deepEqual(report, { current: [true], admitted: 1, dropped: 1, robotsIds: [] });
    });
  });
}
