/** Promises 9 and 10: what has ended is queued again, and is due again. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { History } from "../../../src/model/history.ts";
import type { NewUrl } from "../../../src/model/link.ts";
import type { Href } from "../../../src/model/url.ts";
import type { Backend } from "../../../src/ports/frontier.ts";
import { again, type Begin, ended, LEASE_MS, pathOf, recordOf, url, type World } from "../frontier-world.ts";
import { firstCash } from "./links.ts";

const paths = (from: number, to: number): NewUrl[] =>
  Array.from({ length: to - from }, (_, i) => url("a.test", String(from + i)));

/** Adds these and ends them; ids are given from 1. */
async function visitAll(world: World<Backend>, urls: readonly NewUrl[]): Promise<void> {
  await world.backend.add(urls);
  await world.drain();
}

/** Queues these again, all in one class. */
const revisit = ({ backend }: World<Backend>, ids: readonly number[], priority = 0): Promise<number> =>
  backend.revisit(ids.map((id) => ({ id, priority })));

export function revisits(begin: Begin<Backend>): void {
  describe("9. what comes back", () => {
    it("is queued behind what waits in its class, and before what comes later", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 4));
      await world.backend.add(paths(4, 6));
      assert.equal(await revisit(world, [3, 1]), 2);
      await world.backend.add(paths(6, 7));
      await revisit(world, [2]);
      assert.deepEqual(await world.drain(), ["4", "5", "3", "1", "6", "2"]);
    });

    it("waits in the class that is named", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 3));
      await world.backend.add([url("a.test", "x", { priority: 2 }), url("a.test", "y", { priority: 2 })]);
      await revisit(world, [1], 3);
      await revisit(world, [2], 0);
      assert.deepEqual(await world.drain(), ["2", "x", "y", "1"]);
    });

    it("is pending like any other, and no end any more", async () => {
      const world = await begin();
      const { backend } = world;
      await visitAll(world, [url("a.test", "1"), url("b.test", "2")]);
      await revisit(world, [1]);
      assert.deepEqual(await backend.pending(), { queued: 1, leased: 0, delayed: 0, hosts: 1 });
      assert.deepEqual([...(await backend.endCounts())], [["fetched", 1]]);
      assert.deepEqual((await Array.fromAsync(backend.endedAs("fetched"))).length, 1);
      assert.deepEqual(
        (await Array.fromAsync(backend.urls())).map(({ state }) => state),
        ["queued", "ended"],
      );
      assert.deepEqual(
        (await Array.fromAsync(backend.urls({ endedOnly: true }))).map(({ id }) => id),
        [2],
      );
      const lease = await world.leaseOne();
      assert.equal((await backend.byId(1))?.state, "leased");
      assert.equal(await backend.add([url("a.test", "1")]), 0, "it is known");
      await world.settle(lease, ended("http-4xx"));
      assert.deepEqual(await backend.pending(), { queued: 0, leased: 0, delayed: 0, hosts: 0 });
      assert.deepEqual(Object.fromEntries(await backend.endCounts()), { fetched: 1, "http-4xx": 1 });
      await world.crash();
      assert.deepEqual(Object.fromEntries(await world.backend.endCounts()), { fetched: 1, "http-4xx": 1 });
      assert.deepEqual(
        (await world.backend.visitsOf(1)).map(({ end }) => end),
        ["fetched", "http-4xx"],
      );
    });

    it("has ended and was not dropped: all else is passed over", async () => {
      const world = await begin();
      await visitAll(world, [url("a.test", "1"), url("a.test", "2", { drop: { reason: "trap" } })]);
      await world.backend.add(paths(3, 6));
      const [leased] = await world.backend.lease(1);
      await world.settle(leased!, { kind: "end", end: "trap", dropped: true });
      await world.settle(await world.leaseOne(), { kind: "retry", at: world.clock.time + 50, reason: "timeout" });
      assert.equal(await revisit(world, [0, 1, 2, 3, 4, 5, 6, 1, 99]), 1);
      await world.crash();
      assert.deepEqual(await world.backend.pending(), { queued: 2, leased: 0, delayed: 1, hosts: 1 });
      assert.equal(await revisit(world, [1]), 0, "it waits already");
    });

    it("brings the record with which it ended last, whatever attempts came before and after", async () => {
      const world = await begin();
      await world.backend.add([url("a.test", "1")]);
      const first = await world.leaseOne();
      assert.equal(first.previous, null);
      await world.settle(first, { kind: "retry", at: world.clock.time, reason: "timeout" });
      const second = await world.leaseOne();
      assert.deepEqual([second.previous, second.attempt], [null, 2]);
      const record = { ...recordOf(second, "fetched", 7), etag: '"a"' };
      await world.settle(second, ended(), { record });
      await revisit(world, [1]);
      const back = await world.leaseOne();
      assert.deepEqual([back.previous, back.attempt], [record, 1]);
      await world.settle(back, { kind: "retry", at: world.clock.time, reason: "timeout" });
      await world.crash();
      const later = await world.leaseOne();
      assert.deepEqual([later.previous, later.attempt], [record, 2]);
      const next = recordOf(later, "http-4xx", 9);
      await world.settle(later, ended("http-4xx"), { record: next });
      await revisit(world, [1]);
      assert.deepEqual((await world.leaseOne()).previous, next);
    });

    it("waits in its class and place again after a restart, until it ends", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 5));
      await world.backend.add(paths(5, 6));
      await revisit(world, [4, 3], 0);
      await revisit(world, [1], 2);
      await world.backend.add(paths(6, 7));
      assert.deepEqual(await world.leasePaths(1), ["5"]);
      await world.crash();
      assert.equal(pathOf(await world.leaseOne()), "5");
      world.clock.time += LEASE_MS;
      await world.reopen();
      assert.deepEqual(await world.backend.pending(), { queued: 5, leased: 0, delayed: 0, hosts: 1 });
      const drained = await world.drain();
      assert.deepEqual(
        drained.filter((path) => path !== "1"),
        ["5", "4", "3", "6"],
      );
      assert.ok(drained.includes("1"));
    });

    it("is before what comes back after a restart", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 5));
      await revisit(world, [4, 2]);
      await world.crash();
      await revisit(world, [3, 1]);
      assert.deepEqual(await world.drain(), ["4", "2", "3", "1"]);
    });

    it("comes by the hundreds, among others of its class, each in its place, through crashes", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 301));
      const expected: string[] = [];
      for (let round = 0; round < 6; round++) {
        const fresh = paths(1000 + round * 40, 1040 + round * 40);
        await world.backend.add(fresh);
        const back = Array.from({ length: 50 }, (_, i) => round * 50 + ((i * 7) % 50) + 1);
        assert.equal(await revisit(world, back), 50);
        expected.push(...fresh.map(({ href }) => href.slice("http://a.test/".length)), ...back.map(String));
      }
      const got: string[] = [];
      for (const crash of [true, false, true, false]) {
        got.push(...(await world.drain(110)));
        if (crash) await world.crash();
        // Those that came back first have ended by now: here they come once more.
        const back = Array.from({ length: 3 }, (_, i) => (got.length / 110) * 3 + i);
        assert.equal(await revisit(world, back), 3);
        expected.push(...back.map(String));
      }
      got.push(...(await world.drain()));
      assert.deepEqual(got, expected);
      assert.deepEqual([...(await world.backend.endCounts())], [["fetched", 540]]);
    });

    it("is put off like any other, and keeps its retry time", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 4));
      await revisit(world, [2, 3]);
      const at = world.clock.time + 500;
      await world.settle(await world.leaseOne(), { kind: "retry", at, reason: "timeout" });
      await world.crash();
      assert.deepEqual(await world.backend.pending(), { queued: 1, leased: 0, delayed: 1, hosts: 1 });
      assert.deepEqual(await world.drain(), ["3"]);
      world.clock.time = at;
      assert.deepEqual(await world.drain(), ["2"]);
      await world.crash();
      assert.equal(await revisit(world, [2]), 1);
      assert.deepEqual(await world.drain(), ["2"]);
    });

    it("ends where another would be dropped, and so keeps what is known of it", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 2));
      await revisit(world, [1]);
      await world.settle(await world.leaseOne(), { kind: "end", end: "trap", dropped: true });
      assert.equal(await world.backend.add(paths(1, 2)), 0);
      await world.crash();
      assert.equal(await world.backend.add(paths(1, 2)), 0);
      assert.deepEqual([...(await world.backend.endCounts())], [["trap", 1]]);
      assert.equal((await world.backend.visitsOf(1)).length, 2);
      assert.equal(await revisit(world, [1]), 1);
    });

    it("is given cash, which does not bring it forward", async () => {
      const world = await begin({ firstCash });
      await visitAll(world, paths(1, 3));
      await world.backend.add([url("a.test", "page"), ...paths(3, 9).map((one) => ({ ...one, priority: 4 }))]);
      await revisit(world, [1], 4);
      const linksAgain = again("a.test", paths(1, 3));
      await world.settle(await world.leaseOne(), ended(), {
        linksAgain,
        links: [url("a.test", "1", { source: "link" })],
      });
      await world.crash();
      assert.deepEqual(await world.drain(), ["3", "4", "5", "6", "7", "8", "1"]);
    });

    it("has a history, which is kept as it is", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 2));
      await revisit(world, [1]);
      const history: History = {
        checks: 3,
        changes: 1,
        spans: [86400.5, -60, -3600],
        olderPool: { changes: 1, changedMs: 5, unchangedMs: 7.25 },
        seenAt: 12,
        changedAt: 11.5,
        digest: "sha1:A",
        simhash: "0123456789abcdef",
        etag: 'W/"\u00e4"',
        lastModified: null,
        unread: 2,
        body: { urlId: 1, href: "http://a.test/1" as Href, at: 4 },
        away: { why: "gone", since: 5, looks: 2 },
        listed: { lastmod: 3, changefreq: "daily" },
      };
      const lease = await world.leaseOne();
      await world.settle(lease, ended("not-modified"), { record: { ...recordOf(lease, "not-modified", 9), history } });
      await world.crash();
      assert.deepEqual((await world.backend.byId(1))?.visit?.history, history);
      await revisit(world, [1]);
      assert.deepEqual((await world.leaseOne()).previous?.history, history);
    });
  });

  describe("10. when it is due", () => {
    const due = async (
      { backend }: World<Backend>,
      until = Number.POSITIVE_INFINITY,
      max = 99,
    ): Promise<[number, number][]> => (await backend.due(until, max)).map(({ id, dueAt }) => [id, dueAt]);

    it("is said by its end, and only by one that counts", async () => {
      const world = await begin();
      await world.backend.add([url("a.test", "1"), url("b.test", "2"), url("c.test", "3")]);
      const [a, b, c] = await world.backend.lease(3);
      await world.settle(a!, ended(), { dueAt: 70.5 });
      await world.settle(a!, ended(), { dueAt: 60 });
      await world.settle(b!, ended(), { dueAt: null });
      await world.settle(c!, { kind: "end", end: "trap", dropped: true }, { dueAt: 50 });
      await world.crash();
      assert.deepEqual(await due(world), [[1, 70.5]]);
      assert.deepEqual(
        (await Array.fromAsync(world.backend.urls())).map(({ dueAt }) => dueAt),
        [70.5, null, null],
      );
      assert.equal((await world.backend.byId(1))?.dueAt, 70.5);
    });

    it("is asked for in order, up to a time and a number", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 6));
      assert.equal(await world.backend.nextDueAt(), null);
      await world.backend.schedule([5, 4, 3, 2, 1].map((id) => ({ id, dueAt: id === 4 ? 20 : 100 - id })));
      assert.equal(await world.backend.nextDueAt(), 20);
      assert.deepEqual(await due(world, 97), [
        [4, 20],
        [5, 95],
        [3, 97],
      ]);
      assert.deepEqual(await due(world, 97, 2), [
        [4, 20],
        [5, 95],
      ]);
      assert.deepEqual(await due(world, 19), []);
      await world.backend.schedule([{ id: 1, dueAt: 97 }]);
      assert.deepEqual((await due(world, 97)).slice(-2), [
        [1, 97],
        [3, 97],
      ]);
    });

    it("rests when nothing is pending and nothing is due by a time", async () => {
      const world = await begin();
      const { backend } = world;
      assert.equal(await backend.rests(10), true);
      await backend.add(paths(1, 3));
      assert.equal(await backend.rests(10), false);
      await world.drain();
      await backend.schedule([{ id: 2, dueAt: 10 }]);
      assert.deepEqual([await backend.rests(9), await backend.rests(10)], [true, false]);
      await revisit(world, [2]);
      assert.equal(await backend.rests(9), false);
      await world.settle(await world.leaseOne(), ended("not-modified"), { dueAt: 30 });
      assert.deepEqual([await backend.rests(29), await backend.rests(30)], [true, false]);
    });

    it("can be set, changed and taken away, for what has ended and was not dropped", async () => {
      const world = await begin();
      await visitAll(world, [...paths(1, 3), url("a.test", "x", { drop: { reason: "trap" } })]);
      await world.backend.add(paths(4, 5));
      await world.backend.schedule([0, 1, 2, 3, 4, 99].map((id) => ({ id, dueAt: id })));
      assert.deepEqual(await due(world), [
        [1, 1],
        [2, 2],
      ]);
      await world.backend.schedule([
        { id: 1, dueAt: 9 },
        { id: 2, dueAt: null },
      ]);
      await world.crash();
      assert.deepEqual(await due(world), [[1, 9]]);
      assert.equal(await world.backend.nextDueAt(), 9);
    });

    it("is no more once it is queued again, until it is scheduled again", async () => {
      const world = await begin();
      await visitAll(world, paths(1, 3));
      await world.backend.schedule([1, 2].map((id) => ({ id, dueAt: 10 })));
      await revisit(world, [1]);
      assert.deepEqual(await due(world), [[2, 10]]);
      await world.backend.schedule([{ id: 1, dueAt: 5 }]);
      await world.crash();
      assert.deepEqual(await due(world), [[2, 10]]);
      await world.settle(await world.leaseOne(), ended("not-modified"), { dueAt: 30 });
      assert.deepEqual(await due(world), [
        [2, 10],
        [1, 30],
      ]);
    });
  });
}
