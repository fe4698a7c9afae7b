/** Promises 5 and 6: what survives, and what does not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Begin, ended, url } from "../frontier-world.ts";

export function restarts(begin: Begin): void {
  describe("5. and 6. restarts", () => {
    it("keeps what was added and committed through a crash, and forgets open leases", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2"), url("b.test", "3"), url("c.test", "4")]);
      const [first] = await backend.lease(3);
      await world.settle(first!, ended(), { links: [url("a.test", "5")] });
      const before = await Array.fromAsync(backend.urls());
      await world.crash();
      assert.deepEqual(await world.backend.pending(), { queued: 4, leased: 0, delayed: 0, hosts: 3 });
      assert.deepEqual(
        await Array.fromAsync(world.backend.urls()),
        before.map((record) => (record.state === "leased" ? { ...record, state: "queued" } : record)),
      );
      assert.deepEqual(await world.leasePaths(9), ["2", "3", "4"]);
    });

    it("queues the URLs of lost leases at the head of their hosts", async () => {
      const world = await begin({ hostConcurrency: 3 });
      const { backend } = world;
      await backend.add(Array.from({ length: 200 }, (_, i) => url("a.test", String(i))));
      const leases = await backend.lease(3);
      await world.settle(leases[1]!, ended());
      await world.crash();
      assert.deepEqual(await world.leasePaths(3), ["0", "2", "3"]);
    });

    it("keeps retry times and attempts", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2")]);
      const at = world.clock.time + 500;
      await world.settle(await world.leaseOne(), { kind: "retry", at, reason: "timeout" });
      await world.crash();
      assert.deepEqual(await world.backend.pending(), { queued: 1, leased: 0, delayed: 1, hosts: 1 });
      assert.deepEqual(await world.drain(), ["2"]);
      assert.equal(await world.backend.nextReadyAt(), at);
      world.clock.time = at;
      assert.equal((await world.leaseOne()).attempt, 2);
    });

    it("reopens empty, and finished", async () => {
      const world = await begin();
      await world.reopen();
      await world.crash();
      await world.backend.add([url("a.test", "1")]);
      await world.drain();
      await world.reopen();
      assert.deepEqual(await world.backend.pending(), { queued: 0, leased: 0, delayed: 0, hosts: 0 });
      assert.equal(await world.backend.nextReadyAt(), null);
      assert.deepEqual(await world.leasePaths(9), []);
    });
  });
}
