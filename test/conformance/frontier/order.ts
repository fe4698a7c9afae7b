/** Promise 4: which URL comes first. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease } from "../../../src/model/lease.ts";
import type { Href } from "../../../src/model/url.ts";
import { type Begin, ended, pathOf, url } from "../frontier-world.ts";

export function order(begin: Begin): void {
  describe("4. order", () => {
    it("leases on the host that was due first, of equals on the one known longest", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add(["a", "b", "c"].flatMap((host) => [url(host, `${host}1`), url(host, `${host}2`)]));
      const [a, b, c] = (await backend.lease(3)) as [Lease, Lease, Lease];
      assert.deepEqual(
        [a, b, c].map((lease) => lease.url.host),
        ["http://a", "http://b", "http://c"],
      );
      await world.settle(a, ended(), { hostReadyAt: world.clock.time + 30 });
      await world.settle(b, ended(), { hostReadyAt: world.clock.time + 10 });
      await world.settle(c, ended(), { hostReadyAt: world.clock.time + 20 });
      world.clock.time += 100;
      assert.deepEqual(await world.leasePaths(9), ["b2", "c2", "a2"]);
    });

    it("leases the lower class first, in a class the one admitted first", async () => {
      const world = await begin();
      const { backend } = world;
      const classes = [5, 0, 7, 0, 5, 3];
      await backend.add(classes.map((priority, i) => url("a.test", `${priority}.${i}`, { priority })));
      assert.deepEqual(await world.drain(), ["0.1", "0.3", "3.5", "5.0", "5.4", "7.2"]);
    });

    it("gives each class half the turns of the one before, so that the lowest still moves", async () => {
      const world = await begin();
      const { backend } = world;
      const many = (priority: number) =>
        Array.from({ length: 300 }, (_, i) => url("a.test", `${priority}.${i}`, { priority }));
      await backend.add([0, 1, 2, 7].flatMap(many));
      const order: string[] = [];
      for (let i = 0; i < 228; i++) {
        const lease = await world.leaseOne();
        order.push(pathOf(lease).split(".")[0]!);
        await world.settle(lease, ended());
      }
      assert.equal(order.slice(0, 14).join(""), "00100120010012");
      const turns = [0, 1, 2, 7].map((priority) => order.filter((one) => one === String(priority)).length);
      assert.deepEqual(turns, [130, 65, 32, 1]);
    });

    it("makes a class that gets its first URL wait its turn from then on", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add(Array.from({ length: 9 }, (_, i) => url("a.test", `low${i}`, { priority: 3 })));
      for (let i = 0; i < 3; i++) await world.settle(await world.leaseOne(), ended());
      await backend.add(Array.from({ length: 20 }, (_, i) => url("a.test", `high${i}`, { priority: 0 })));
      const paths = await world.drain();
      assert.deepEqual(
        paths.flatMap((path, i) => (path.startsWith("low") ? [i] : [])),
        [8, 17, 22, 23, 24, 25],
      );
    });

    it("keeps the order through queues of any length, whatever is on disk", async () => {
      const world = await begin();
      const { backend } = world;
      const paths = Array.from({ length: 1000 }, (_, i) => String(i));
      await backend.add(paths.slice(0, 300).map((path) => url("a.test", path, { priority: 1 })));
      const first = [await world.leaseOne(), ...[]];
      await world.settle(first[0]!, ended(), {
        links: paths.slice(300).map((path) => url("a.test", path, { priority: 1 })),
      });
      for (let i = 1; i < 500; i++) await world.settle(await world.leaseOne(), ended());
      await world.crash();
      for (let i = 500; i < 600; i++) {
        const lease = await world.leaseOne();
        assert.equal(lease.url.href, `http://a.test/${i}`);
        await world.settle(lease, ended());
      }
      await world.reopen();
      await world.backend.add([url("a.test", "last", { priority: 1 }), url("a.test", "first", { priority: 0 })]);
      assert.deepEqual(await world.drain(), ["first", ...paths.slice(600), "last"]);
    });

    it("puts a URL that was not asked for back at the head, no older", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1", { priority: 4 }), url("a.test", "2", { priority: 4 })]);
      await world.settle(await world.leaseOne(), { kind: "again" }, { links: [url("a.test", "0", { priority: 0 })] });
      const next = await world.leaseOne();
      assert.deepEqual([next.url.href, next.attempt], ["http://a.test/1", 1]);
      assert.equal((await backend.byId(1))?.visit, null);
    });

    it("puts a followed URL back at the head under its new form", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2")]);
      await world.settle(await world.leaseOne(), { kind: "follow", href: "http://a.test/1/" as Href, hops: 1 });
      const next = await world.leaseOne();
      assert.deepEqual([next.url.id, next.url.href, next.url.hops, next.attempt], [1, "http://a.test/1/", 1, 1]);
      assert.equal((await backend.byId(1))?.visit?.end, "follow");
      assert.equal((await backend.byId(1))?.visit?.href, "http://a.test/1");
      await world.crash();
      assert.equal((await world.leaseOne()).url.href, "http://a.test/1/");
    });

    it("gives a retried URL back when its time has come, one attempt older and before the queue", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2"), url("a.test", "3")]);
      const at = world.clock.time + 500;
      await world.settle(await world.leaseOne(), { kind: "retry", at, reason: "timeout" });
      assert.deepEqual(await backend.pending(), { queued: 2, leased: 0, delayed: 1, hosts: 1 });
      assert.equal((await backend.byId(1))?.state, "delayed");
      await world.settle(await world.leaseOne(), ended());
      world.clock.time = at;
      const next = await world.leaseOne();
      assert.deepEqual([next.url.id, next.attempt], [1, 2]);
      await world.settle(next, ended());
      assert.deepEqual(await world.drain(), ["3"]);
    });
  });
}
