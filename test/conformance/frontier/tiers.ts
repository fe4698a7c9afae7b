/** Promise 4: which host comes first. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Begin, ended, pathOf, url } from "../frontier-world.ts";

export function tiers(begin: Begin): void {
  describe("4. tiers", () => {
    it("leases on hosts of the lowest tier first, and on the others as soon as none of those is due", async () => {
      const world = await begin({ firstTier: (host) => (host === "http://a.test" ? 1 : 0) });
      const { backend } = world;
      await backend.add(
        ["a", "b", "c"].flatMap((host) => [url(`${host}.test`, `${host}1`), url(`${host}.test`, `${host}2`)]),
      );
      assert.deepEqual(await world.leasePaths(2), ["b1", "c1"]);
      assert.deepEqual(await world.leasePaths(2), ["a1"], "no place stays empty");
    });

    it("moves a host to the tier that a settlement or a release names, and leaves it there", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add(["a1", "a2", "a3", "b1", "b2", "b3"].map((path) => url(`${path[0]}.test`, path)));
      const first = await world.leaseOne();
      assert.equal(first.tier, 0);
      await world.settle(first, ended(), { hostTier: 2 });
      const second = await world.leaseOne();
      assert.equal(pathOf(second), "b1");
      await backend.release([{ lease: second, hostReadyAt: 0, hostTier: 3 }]);
      const third = await world.leaseOne();
      assert.deepEqual([pathOf(third), third.tier], ["a2", 2]);
      await world.settle(third, ended());
      assert.equal(pathOf(await world.leaseOne()), "a3", "tier 2 is before 3");
      assert.equal((await backend.nextReadyAt()) !== null, true, "b waits in its tier");
      assert.deepEqual(await world.leasePaths(9), ["b1"]);
    });

    it("passes over a host that holds its share for one of a higher tier that does not", async () => {
      const world = await begin({ hostConcurrency: 3, hostShare: 1 });
      const { backend } = world;
      await backend.add(["a1", "a2", "a3", "b1"].map((path) => url(`${path[0]}.test`, path)));
      await world.settle((await backend.lease(2))[1]!, { kind: "again" }, { hostTier: 1 });
      assert.deepEqual(await world.leasePaths(9), ["b1", "a2", "a3"]);
    });

    it("knows no tiers any more when it is opened again", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "a1"), url("a.test", "a2"), url("b.test", "b1")]);
      await world.settle(await world.leaseOne(), ended(), { hostTier: 5 });
      await world.crash();
      assert.deepEqual(await world.leasePaths(1), ["a2"]);
    });
  });
}
