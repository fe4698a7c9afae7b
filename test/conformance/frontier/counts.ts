/** Promise 7: what is pending and what has ended is counted exactly. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease } from "../../../src/model/lease.ts";
import { type Begin, ended, LEASE_MS, url } from "../frontier-world.ts";

export function counts(begin: Begin): void {
  describe("7. counts", () => {
    it("counts queued, leased and delayed exactly, leases that have expired included", async () => {
      const world = await begin();
      const { backend } = world;
      const is = async (queued: number, leased: number, delayed: number, hosts: number) =>
        assert.deepEqual(await backend.pending(), { queued, leased, delayed, hosts });
      await is(0, 0, 0, 0);
      await backend.add([url("a.test", "1"), url("b.test", "2"), url("b.test", "3")]);
      await is(3, 0, 0, 2);
      const [a, b] = (await backend.lease(2)) as [Lease, Lease];
      await is(1, 2, 0, 2);
      await world.settle(a, { kind: "retry", at: world.clock.time + 10, reason: "timeout" });
      await is(1, 1, 1, 2);
      await world.settle(b, ended());
      await is(1, 0, 1, 2);
      world.clock.time += 10;
      await is(2, 0, 0, 2);
      await backend.lease(2);
      await is(0, 2, 0, 2);
      world.clock.time += LEASE_MS;
      await is(2, 0, 0, 2);
      await world.drain();
      await is(0, 0, 0, 0);
    });

    it("counts ends by reason, across restarts", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a", "1"), url("b", "2"), url("c", "3"), url("d", "4", { drop: { reason: "trap" } })]);
      const [a, b, c] = (await backend.lease(3)) as [Lease, Lease, Lease];
      await world.settle(a, ended());
      await world.settle(b, ended());
      await world.settle(c, ended("http-4xx"));
      const counts = { fetched: 2, "http-4xx": 1, trap: 1 };
      assert.deepEqual(Object.fromEntries(await backend.endCounts()), counts);
      await world.crash();
      assert.deepEqual(Object.fromEntries(await world.backend.endCounts()), counts);
    });
  });
}
