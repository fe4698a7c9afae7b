/** Promise 2: how many leases a host has open, and from when. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Lease, Verdict } from "../../../src/model/lease.ts";
import type { Href } from "../../../src/model/url.ts";
import { type Begin, ended, url } from "../frontier-world.ts";

export function politeness(begin: Begin): void {
  describe("2. politeness", () => {
    it("opens one lease a host", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2"), url("b.test", "3")]);
      assert.deepEqual(await world.leasePaths(9), ["1", "3"]);
      assert.deepEqual(await world.leasePaths(9), []);
    });

    it("opens as many leases a host as it is told", async () => {
      const world = await begin({ hostConcurrency: 2 });
      const { backend } = world;
      await backend.add(["1", "2", "3"].map((path) => url("a.test", path)));
      const leases = await backend.lease(9);
      assert.equal(leases.length, 2);
      await world.settle(leases[1]!, ended());
      assert.deepEqual(await world.leasePaths(9), ["3"]);
    });

    it("leases nothing before the host is ready, and something as soon as it is", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2")]);
      const readyAt = world.clock.time + 1000.5;
      await world.settle(await world.leaseOne(), ended(), { hostReadyAt: readyAt });
      world.clock.time = readyAt - 0.25;
      assert.deepEqual(await world.leasePaths(9), []);
      world.clock.time = readyAt;
      assert.deepEqual(await world.leasePaths(9), ["2"]);
    });

    it("never moves a host's ready time back", async () => {
      const world = await begin({ hostConcurrency: 2 });
      const { backend } = world;
      await backend.add(["1", "2", "3"].map((path) => url("a.test", path)));
      const [first, second] = (await backend.lease(2)) as [Lease, Lease];
      await world.settle(first, ended(), { hostReadyAt: world.clock.time + 500 });
      await world.settle(second, ended(), { hostReadyAt: world.clock.time + 100 });
      assert.equal(await backend.nextReadyAt(), world.clock.time + 500);
    });

    it("keeps a host's ready time when the host goes quiet, and across restarts", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const hostReadyAt = world.clock.time + 500;
      await world.settle(await world.leaseOne(), ended(), { hostReadyAt });
      await backend.add([url("a.test", "2")]);
      assert.equal(await backend.nextReadyAt(), hostReadyAt);
      await world.crash();
      assert.equal(await world.backend.nextReadyAt(), hostReadyAt);
      assert.deepEqual(await world.leasePaths(9), []);
    });

    it("leaves a host alone that was set aside, until it is opened again; its URLs stay queued", async () => {
      const world = await begin({ hostConcurrency: 2 });
      const { backend } = world;
      await backend.add([url("a.test", "1"), url("a.test", "2"), url("b.test", "3")]);
      const [one, two] = await backend.lease(2);
      await backend.release([{ lease: two!, hostReadyAt: Number.POSITIVE_INFINITY }]);
      await world.settle(one!, { kind: "retry", at: world.clock.time + 10, reason: "timeout" });
      assert.deepEqual(await world.leasePaths(9), ["3"]);
      world.clock.time += 1_000;
      assert.deepEqual(await world.leasePaths(9), []);
      assert.equal(await backend.nextReadyAt(), null);
      assert.equal((await backend.pending()).queued, 2);
      await world.crash();
      assert.deepEqual((await world.leasePaths(9)).sort(), ["1", "2", "3"]);
    });

    it("gives no lease early and no more than one a host, whatever is settled, released, put off or left to expire", async () => {
      const step = fc.record({
        does: fc.constantFrom("end", "retry", "again", "follow", "release", "nothing"),
        readyIn: fc.integer({ min: -50, max: 400 }),
        wait: fc.nat(120),
        lease: fc.nat(4),
        tier: fc.constantFrom(undefined, 0, 2),
      });
      const urls = ["a", "b", "c"].flatMap((host) => [1, 2, 3, 4].map((n) => url(host, String(n))));
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
          const world = await begin({ leaseMs: 500 });
          const { backend, clock } = world;
          await backend.add(urls);
          const readyAt = new Map<string, number>();
          let open: Lease[] = [];
          for (const { does, readyIn, wait, lease: most, tier } of steps) {
            clock.time += wait;
            open = open.filter(({ expiresAt }) => expiresAt > clock.time);
            for (const lease of await backend.lease(most)) {
              const { host } = lease.url;
              assert.ok(!open.some((other) => other.url.host === host), `two leases on ${host}`);
              assert.ok(clock.time >= (readyAt.get(host) ?? 0), `a lease on ${host} before its time`);
              open.push(lease);
            }
            const lease = open[0];
            if (lease === undefined || does === "nothing") continue;
            open.shift();
            const hostReadyAt = clock.time + readyIn;
            readyAt.set(lease.url.host, Math.max(readyAt.get(lease.url.host) ?? 0, hostReadyAt));
            if (does === "release") await backend.release([{ lease, hostReadyAt, hostTier: tier }]);
            else {
              const verdict: Verdict =
                does === "end"
                  ? ended()
                  : does === "retry"
                    ? { kind: "retry", at: clock.time + 60, reason: "timeout" }
                    : does === "follow"
                      ? { kind: "follow", href: `${lease.url.href}/` as Href, hops: 1 }
                      : { kind: "again" };
              await world.settle(lease, verdict, { hostReadyAt, hostTier: tier });
            }
          }
          await world.close();
        }),
        { seed: 3, numRuns: 25 },
      );
      await begin();
    });

    it("gives a host no more than its share while others are due, and more when they are not", async () => {
      const world = await begin({ hostConcurrency: 4, hostShare: 2 });
      const { backend } = world;
      await backend.add([..."12345"].map((path) => url("a.test", path)));
      await backend.add([..."67"].map((path) => url("b.test", path)));
      assert.deepEqual(await world.leasePaths(4), ["1", "2", "6", "7"]);
      assert.deepEqual(await world.leasePaths(9), ["3", "4"], "nobody else waits, and four is the most");
    });

    it("says when the next lease can be had", async () => {
      const world = await begin();
      const { backend } = world;
      assert.equal(await backend.nextReadyAt(), null);
      await backend.add([url("a.test", "1"), url("a.test", "2")]);
      assert.ok((await backend.nextReadyAt())! <= world.clock.time);
      const lease = await world.leaseOne();
      assert.equal(await backend.nextReadyAt(), null, "every host with work is at its concurrency");
      const at = world.clock.time + 300;
      await world.settle(lease, { kind: "retry", at, reason: "timeout" }, { hostReadyAt: at - 200 });
      assert.equal(await backend.nextReadyAt(), at - 200, "the queued URL of the host");
      world.clock.time = at - 200;
      await world.settle(await world.leaseOne(), ended(), { hostReadyAt: at - 100 });
      assert.equal(await backend.nextReadyAt(), at, "the delayed URL");
      await backend.add([url("a.test", "3")]);
      world.clock.time = at - 100;
      await world.settle(await world.leaseOne(), ended(), { hostReadyAt: at + 50 });
      assert.equal(await backend.nextReadyAt(), at + 50, "the host, where it is later than the delayed URL");
    });
  });
}
