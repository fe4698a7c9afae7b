/** Promise 3: what becomes of leases. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Begin, ended, LEASE_MS, settled, url } from "../frontier-world.ts";

export function leases(begin: Begin): void {
  describe("3. leases", () => {
    it("hands an expired lease out again, one attempt older and before the others", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2")]);
      const lost = await world.leaseOne();
      assert.equal(lost.attempt, 1);
      assert.equal(lost.expiresAt, world.clock.time + LEASE_MS);
      world.clock.time += LEASE_MS - 1;
      assert.deepEqual(await world.leasePaths(1), []);
      world.clock.time += 1;
      const again = await world.leaseOne();
      assert.equal(again.url.id, lost.url.id);
      assert.equal(again.attempt, 2);
      assert.notEqual(again.token, lost.token);
    });

    it("keeps the order of leases that expire together", async () => {
      const world = await begin({ hostConcurrency: 3 });
      const { backend } = world;
      await backend.add(["1", "2", "3", "4"].map((path) => url("a.test", path)));
      await backend.lease(3);
      world.clock.time += LEASE_MS;
      assert.deepEqual(await world.leasePaths(3), ["1", "2", "3"]);
    });

    it("takes nothing of an expired lease", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const late = await world.leaseOne();
      world.clock.time += LEASE_MS;
      const report = await world.settle(late, ended(), { links: [url("b.test", "new")], hostReadyAt: 1e15 });
      assert.deepEqual(report, { current: [false], admitted: 0, dropped: 0, robotsIds: [] });
      assert.equal((await backend.byId(1))?.visit, null);
      assert.equal(await backend.byId(2), null);
      assert.deepEqual(await world.leasePaths(9), ["1"], "and the host's clock stands");
    });

    it("takes nothing of a lease that was settled, in the same commit or before", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const lease = await world.leaseOne();
      const twice = [settled(lease, ended(), 1), settled(lease, ended("dns"), 2)];
      assert.deepEqual((await world.commit({ settled: twice })).current, [true, false]);
      assert.deepEqual((await world.settle(lease, ended("dns"))).current, [false]);
      assert.deepEqual([...(await backend.endCounts())], [["fetched", 1]]);
    });

    it("takes nothing of an unknown token, nor of one from before a restart", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const lease = await world.leaseOne();
      assert.deepEqual((await world.settle({ ...lease, token: lease.token + 1 }, ended())).current, [false]);
      await world.crash();
      const next = await world.leaseOne();
      assert.notEqual(next.token, lease.token);
      assert.deepEqual((await world.settle(lease, ended())).current, [false]);
      assert.deepEqual((await world.settle(next, ended())).current, [true]);
    });

    it("takes the current part of a commit and leaves the rest", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const old = await world.leaseOne();
      world.clock.time += LEASE_MS;
      await backend.add([url("b.test", "2")]);
      const leases = await backend.lease(2);
      const parts = [old, ...leases].map((lease) => settled(lease, ended(), world.clock.time));
      assert.deepEqual((await world.commit({ settled: parts })).current, [false, true, true]);
      assert.equal((await backend.pending()).hosts, 0);
    });

    it("puts a released URL back at the head, no older, and its host to the time given", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2")]);
      const lease = await world.leaseOne();
      await backend.release([{ lease, hostReadyAt: world.clock.time + 10 }]);
      assert.deepEqual(await backend.pending(), { queued: 2, leased: 0, delayed: 0, hosts: 1 });
      assert.equal(await backend.nextReadyAt(), world.clock.time + 10);
      world.clock.time += 10;
      const next = await world.leaseOne();
      assert.deepEqual([next.url.id, next.attempt], [lease.url.id, 1]);
      await backend.release([{ lease, hostReadyAt: 1e15 }]);
      assert.equal((await backend.pending()).leased, 1, "a lease is released once");
    });
  });
}
