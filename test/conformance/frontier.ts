/** What every back end must prove: each promise of ports/frontier.ts, on a clock that the test owns. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import fc from "fast-check";
import type { HostKey } from "../../src/model/host.ts";
import { newHostState } from "../../src/model/host.ts";
import type { Lease, Verdict } from "../../src/model/lease.ts";
import type { PageInfo } from "../../src/model/page.ts";
import type { RobotsCopy } from "../../src/model/robots-copy.ts";
import type { Href } from "../../src/model/url.ts";
import {
  again,
  ended,
  pathOf,
  recordOf,
  type Store,
  type StoreOptions,
  settled,
  url,
  World,
} from "./frontier-world.ts";

const LEASE_MS = 60_000;
const A = "http://a.test" as HostKey;

const PAGE: PageInfo = {
  mediaType: "text/html",
  charset: "UTF-8",
  title: null,
  language: null,
  description: null,
  canonical: null,
  noindex: false,
  nofollow: false,
  handler: "html",
  width: null,
  height: null,
  openGraph: null,
  jsonLd: null,
  linksFound: 12,
  readError: null,
  simhash: null,
};

const noSuite = (_name: string, _tests: () => void): void => {};

/** `countsLinks`: whether the back end makes promise 8, which one without ids does not. */
export function frontierConformance(name: string, makeStore: () => Store, { countsLinks = true } = {}): void {
  describe(`frontier: ${name}`, () => {
    let world: World;
    const begin = (options: Omit<StoreOptions, "clock"> = {}): World => {
      world = new World(makeStore(), { leaseMs: LEASE_MS, ...options });
      return world;
    };
    afterEach(() => world.close());

    describe("1. admission", () => {
      it("admits a key once, for ever", async () => {
        const { backend } = begin();
        assert.equal(await backend.add([url("a.test", "1"), url("a.test", "2"), url("a.test", "1")]), 2);
        assert.equal(await backend.add([url("a.test", "2"), url("a.test", "3")]), 1);
        await world.drain();
        assert.equal(await backend.add([url("a.test", "1")]), 0);
        await world.reopen();
        assert.equal(await world.backend.add([url("a.test", "1"), url("a.test", "4")]), 1);
      });

      it("takes the fingerprint for the key, whatever the fetch form", async () => {
        const { backend } = begin();
        const first = url("a.test", "1");
        assert.equal(await backend.add([first, { ...first, href: "http://a.test/1?utm_source=x" as Href }]), 1);
        assert.equal((await world.leaseOne()).url.href, first.href);
      });

      it("tells apart fingerprints that differ in one word only", async () => {
        const { backend } = begin();
        const base = url("a.test", "1");
        const low = { ...base, fpLo: 0xffffffff, fpHi: 0 };
        const high = { ...base, fpLo: 0, fpHi: 0xffffffff };
        assert.equal(await backend.add([low, high, { ...base, fpLo: 0, fpHi: 0 }, low, high]), 3);
        assert.equal(backend.find(0xffffffff, 0)?.id, 2);
      });

      it("hands out what it was given", async () => {
        const { backend } = begin();
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
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("b.test", "1")]);
        await world.reopen();
        await world.backend.add([url("a.test", "2")]);
        assert.deepEqual(
          [...world.backend.urls()].map(({ id, href }) => [id, href]),
          [
            [1, "http://a.test/1"],
            [2, "http://b.test/1"],
            [3, "http://a.test/2"],
          ],
        );
      });

      it("records a dropped URL as ended at once and never queues it", async () => {
        const { backend } = begin();
        const drop = { reason: "scope", detail: "other host" } as const;
        assert.equal(await backend.add([url("b.test", "x", { drop }), url("a.test", "1")]), 1);
        assert.deepEqual(await world.leasePaths(9), ["1"]);
        const record = backend.byId(1)!;
        assert.equal(record.state, "ended");
        assert.equal(record.visit?.end, "scope");
        assert.equal(record.visit?.detail, "other host");
        assert.equal(record.visit?.attempt, 0);
        assert.equal(await backend.add([url("b.test", "x", { drop })]), 0);
        assert.deepEqual([...backend.endCounts()], [["scope", 1]]);
      });

      it("admits what was only dropped when it comes again without a drop, and forgets the drop", async () => {
        const { backend } = begin();
        const dropped = url("a.test", "x", { drop: { reason: "depth" } });
        await backend.add([dropped]);
        assert.equal(await backend.add([dropped, url("a.test", "x", { drop: { reason: "scope" } })]), 0);
        assert.equal(backend.endCounts().get("depth"), 1);
        assert.equal(await backend.add([url("a.test", "x"), url("a.test", "x")]), 1);
        assert.equal(backend.endCounts().size, 0);
        assert.equal([...backend.urls()].length, 1);
        await world.reopen();
        assert.equal(world.backend.pending().queued, 1);
        assert.equal(await world.backend.add([url("a.test", "x"), dropped]), 0);
        const lease = await world.leaseOne();
        assert.equal(lease.url.href, dropped.href);
        assert.equal(world.backend.find(dropped.fpHi, dropped.fpLo)?.id, lease.url.id);
        await world.backend.commit({
          settled: [settled(lease, ended("fetched"), world.clock.time)],
          hosts: [],
          robots: [],
          marks: [],
        });
        assert.equal(await world.backend.add([url("a.test", "x")]), 0);
        await world.reopen();
        assert.deepEqual([...world.backend.endCounts()], [["fetched", 1]]);
      });

      it("admits again what a lease has ended as dropped", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2")]);
        const first = await world.leaseOne();
        await world.settle(first, { kind: "end", end: "scope", dropped: true });
        const second = await world.leaseOne();
        await world.settle(second, { kind: "end", end: "scope" });
        assert.equal(backend.endCounts().get("scope"), 2);
        await world.reopen();
        assert.equal(await world.backend.add([url("a.test", "1"), url("a.test", "2")]), 1);
        assert.deepEqual([...world.backend.endCounts()], [["scope", 1]]);
        assert.equal((await world.leaseOne()).url.href, first.url.href);
      });

      it("admits in one commit what the same commit has dropped before", async () => {
        const { backend } = begin();
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
        assert.equal(world.backend.pending().queued, 1);
        assert.deepEqual([...world.backend.endCounts()], [["fetched", 1]]);
      });

      it("counts what a commit admits and what it drops", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1")]);
        const links = [url("a.test", "1"), url("a.test", "2"), url("a.test", "3", { drop: { reason: "trap" } })];
        const report = await world.settle(await world.leaseOne(), ended(), { links });
        assert.deepEqual(report, { current: [true], admitted: 1, dropped: 1, robotsIds: [] });
      });
    });

    describe("2. politeness", () => {
      it("opens one lease a host", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2"), url("b.test", "3")]);
        assert.deepEqual(await world.leasePaths(9), ["1", "3"]);
        assert.deepEqual(await world.leasePaths(9), []);
      });

      it("opens as many leases a host as it is told", async () => {
        const { backend } = begin({ hostConcurrency: 2 });
        await backend.add(["1", "2", "3"].map((path) => url("a.test", path)));
        const leases = await backend.lease(9);
        assert.equal(leases.length, 2);
        await world.settle(leases[1]!, ended());
        assert.deepEqual(await world.leasePaths(9), ["3"]);
      });

      it("leases nothing before the host is ready, and something as soon as it is", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2")]);
        const readyAt = world.clock.time + 1000.5;
        await world.settle(await world.leaseOne(), ended(), { hostReadyAt: readyAt });
        world.clock.time = readyAt - 0.25;
        assert.deepEqual(await world.leasePaths(9), []);
        world.clock.time = readyAt;
        assert.deepEqual(await world.leasePaths(9), ["2"]);
      });

      it("never moves a host's ready time back", async () => {
        const { backend } = begin({ hostConcurrency: 2 });
        await backend.add(["1", "2", "3"].map((path) => url("a.test", path)));
        const [first, second] = (await backend.lease(2)) as [Lease, Lease];
        await world.settle(first, ended(), { hostReadyAt: world.clock.time + 500 });
        await world.settle(second, ended(), { hostReadyAt: world.clock.time + 100 });
        assert.equal(backend.nextReadyAt(), world.clock.time + 500);
      });

      it("keeps a host's ready time when the host goes quiet, and across restarts", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1")]);
        const hostReadyAt = world.clock.time + 500;
        await world.settle(await world.leaseOne(), ended(), { hostReadyAt });
        await backend.add([url("a.test", "2")]);
        assert.equal(backend.nextReadyAt(), hostReadyAt);
        await world.crash();
        assert.equal(world.backend.nextReadyAt(), hostReadyAt);
        assert.deepEqual(await world.leasePaths(9), []);
      });

      it("leaves a host alone that was set aside, until it is opened again; its URLs stay queued", async () => {
        const { backend } = begin({ hostConcurrency: 2 });
        await backend.add([url("a.test", "1"), url("a.test", "2"), url("b.test", "3")]);
        const [one, two] = await backend.lease(2);
        backend.release([{ lease: two!, hostReadyAt: Number.POSITIVE_INFINITY }]);
        await world.settle(one!, { kind: "retry", at: world.clock.time + 10, reason: "timeout" });
        assert.deepEqual(await world.leasePaths(9), ["3"]);
        world.clock.time += 1_000;
        assert.deepEqual(await world.leasePaths(9), []);
        assert.equal(backend.nextReadyAt(), null);
        assert.equal(backend.pending().queued, 2);
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
            const { backend, clock } = begin({ leaseMs: 500 });
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
              if (does === "release") backend.release([{ lease, hostReadyAt, hostTier: tier }]);
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
        begin();
      });

      it("gives a host no more than its share while others are due, and more when they are not", async () => {
        const { backend } = begin({ hostConcurrency: 4, hostShare: 2 });
        await backend.add([..."12345"].map((path) => url("a.test", path)));
        await backend.add([..."67"].map((path) => url("b.test", path)));
        assert.deepEqual(await world.leasePaths(4), ["1", "2", "6", "7"]);
        assert.deepEqual(await world.leasePaths(9), ["3", "4"], "nobody else waits, and four is the most");
      });

      it("says when the next lease can be had", async () => {
        const { backend } = begin();
        assert.equal(backend.nextReadyAt(), null);
        await backend.add([url("a.test", "1"), url("a.test", "2")]);
        assert.ok(backend.nextReadyAt()! <= world.clock.time);
        const lease = await world.leaseOne();
        assert.equal(backend.nextReadyAt(), null, "every host with work is at its concurrency");
        const at = world.clock.time + 300;
        await world.settle(lease, { kind: "retry", at, reason: "timeout" }, { hostReadyAt: at - 200 });
        assert.equal(backend.nextReadyAt(), at - 200, "the queued URL of the host");
        world.clock.time = at - 200;
        await world.settle(await world.leaseOne(), ended(), { hostReadyAt: at - 100 });
        assert.equal(backend.nextReadyAt(), at, "the delayed URL");
        await backend.add([url("a.test", "3")]);
        world.clock.time = at - 100;
        await world.settle(await world.leaseOne(), ended(), { hostReadyAt: at + 50 });
        assert.equal(backend.nextReadyAt(), at + 50, "the host, where it is later than the delayed URL");
      });
    });

    describe("3. leases", () => {
      it("hands an expired lease out again, one attempt older and before the others", async () => {
        const { backend } = begin();
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
        const { backend } = begin({ hostConcurrency: 3 });
        await backend.add(["1", "2", "3", "4"].map((path) => url("a.test", path)));
        await backend.lease(3);
        world.clock.time += LEASE_MS;
        assert.deepEqual(await world.leasePaths(3), ["1", "2", "3"]);
      });

      it("takes nothing of an expired lease", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1")]);
        const late = await world.leaseOne();
        world.clock.time += LEASE_MS;
        const report = await world.settle(late, ended(), { links: [url("b.test", "new")], hostReadyAt: 1e15 });
        assert.deepEqual(report, { current: [false], admitted: 0, dropped: 0, robotsIds: [] });
        assert.equal(backend.byId(1)?.visit, null);
        assert.equal(backend.byId(2), null);
        assert.deepEqual(await world.leasePaths(9), ["1"], "and the host's clock stands");
      });

      it("takes nothing of a lease that was settled, in the same commit or before", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1")]);
        const lease = await world.leaseOne();
        const twice = [settled(lease, ended(), 1), settled(lease, ended("dns"), 2)];
        assert.deepEqual((await world.commit({ settled: twice })).current, [true, false]);
        assert.deepEqual((await world.settle(lease, ended("dns"))).current, [false]);
        assert.deepEqual([...backend.endCounts()], [["fetched", 1]]);
      });

      it("takes nothing of an unknown token, nor of one from before a restart", async () => {
        const { backend } = begin();
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
        const { backend } = begin();
        await backend.add([url("a.test", "1")]);
        const old = await world.leaseOne();
        world.clock.time += LEASE_MS;
        await backend.add([url("b.test", "2")]);
        const leases = await backend.lease(2);
        const parts = [old, ...leases].map((lease) => settled(lease, ended(), world.clock.time));
        assert.deepEqual((await world.commit({ settled: parts })).current, [false, true, true]);
        assert.equal(backend.pending().hosts, 0);
      });

      it("puts a released URL back at the head, no older, and its host to the time given", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2")]);
        const lease = await world.leaseOne();
        backend.release([{ lease, hostReadyAt: world.clock.time + 10 }]);
        assert.deepEqual(backend.pending(), { queued: 2, leased: 0, delayed: 0, hosts: 1 });
        assert.equal(backend.nextReadyAt(), world.clock.time + 10);
        world.clock.time += 10;
        const next = await world.leaseOne();
        assert.deepEqual([next.url.id, next.attempt], [lease.url.id, 1]);
        backend.release([{ lease, hostReadyAt: 1e15 }]);
        assert.equal(backend.pending().leased, 1, "a lease is released once");
      });
    });

    describe("4. order", () => {
      it("leases on the host that was due first, of equals on the one known longest", async () => {
        const { backend } = begin();
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
        const { backend } = begin();
        const classes = [5, 0, 7, 0, 5, 3];
        await backend.add(classes.map((priority, i) => url("a.test", `${priority}.${i}`, { priority })));
        assert.deepEqual(await world.drain(), ["0.1", "0.3", "3.5", "5.0", "5.4", "7.2"]);
      });

      it("gives each class half the turns of the one before, so that the lowest still moves", async () => {
        const { backend } = begin();
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
        const { backend } = begin();
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
        const { backend } = begin();
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
        const { backend } = begin();
        await backend.add([url("a.test", "1", { priority: 4 }), url("a.test", "2", { priority: 4 })]);
        await world.settle(await world.leaseOne(), { kind: "again" }, { links: [url("a.test", "0", { priority: 0 })] });
        const next = await world.leaseOne();
        assert.deepEqual([next.url.href, next.attempt], ["http://a.test/1", 1]);
        assert.equal(backend.byId(1)?.visit, null);
      });

      it("puts a followed URL back at the head under its new form", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2")]);
        await world.settle(await world.leaseOne(), { kind: "follow", href: "http://a.test/1/" as Href, hops: 1 });
        const next = await world.leaseOne();
        assert.deepEqual([next.url.id, next.url.href, next.url.hops, next.attempt], [1, "http://a.test/1/", 1, 1]);
        assert.equal(backend.byId(1)?.visit?.end, "follow");
        assert.equal(backend.byId(1)?.visit?.href, "http://a.test/1");
        await world.crash();
        assert.equal((await world.leaseOne()).url.href, "http://a.test/1/");
      });

      it("gives a retried URL back when its time has come, one attempt older and before the queue", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2"), url("a.test", "3")]);
        const at = world.clock.time + 500;
        await world.settle(await world.leaseOne(), { kind: "retry", at, reason: "timeout" });
        assert.deepEqual(backend.pending(), { queued: 2, leased: 0, delayed: 1, hosts: 1 });
        assert.equal(backend.byId(1)?.state, "delayed");
        await world.settle(await world.leaseOne(), ended());
        world.clock.time = at;
        const next = await world.leaseOne();
        assert.deepEqual([next.url.id, next.attempt], [1, 2]);
        await world.settle(next, ended());
        assert.deepEqual(await world.drain(), ["3"]);
      });
    });

    describe("4. tiers", () => {
      it("leases on hosts of the lowest tier first, and on the others as soon as none of those is due", async () => {
        const { backend } = begin({ firstTier: (host) => (host === "http://a.test" ? 1 : 0) });
        await backend.add(
          ["a", "b", "c"].flatMap((host) => [url(`${host}.test`, `${host}1`), url(`${host}.test`, `${host}2`)]),
        );
        assert.deepEqual(await world.leasePaths(2), ["b1", "c1"]);
        assert.deepEqual(await world.leasePaths(2), ["a1"], "no place stays empty");
      });

      it("moves a host to the tier that a settlement or a release names, and leaves it there", async () => {
        const { backend } = begin();
        await backend.add(["a1", "a2", "a3", "b1", "b2", "b3"].map((path) => url(`${path[0]}.test`, path)));
        const first = await world.leaseOne();
        assert.equal(first.tier, 0);
        await world.settle(first, ended(), { hostTier: 2 });
        const second = await world.leaseOne();
        assert.equal(pathOf(second), "b1");
        backend.release([{ lease: second, hostReadyAt: 0, hostTier: 3 }]);
        const third = await world.leaseOne();
        assert.deepEqual([pathOf(third), third.tier], ["a2", 2]);
        await world.settle(third, ended());
        assert.equal(pathOf(await world.leaseOne()), "a3", "tier 2 is before 3");
        assert.equal(backend.nextReadyAt() !== null, true, "b waits in its tier");
        assert.deepEqual(await world.leasePaths(9), ["b1"]);
      });

      it("passes over a host that holds its share for one of a higher tier that does not", async () => {
        const { backend } = begin({ hostConcurrency: 3, hostShare: 1 });
        await backend.add(["a1", "a2", "a3", "b1"].map((path) => url(`${path[0]}.test`, path)));
        await world.settle((await backend.lease(2))[1]!, { kind: "again" }, { hostTier: 1 });
        assert.deepEqual(await world.leasePaths(9), ["b1", "a2", "a3"]);
      });

      it("knows no tiers any more when it is opened again", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "a1"), url("a.test", "a2"), url("b.test", "b1")]);
        await world.settle(await world.leaseOne(), ended(), { hostTier: 5 });
        await world.crash();
        assert.deepEqual(await world.leasePaths(1), ["a2"]);
      });
    });

    (countsLinks ? describe : noSuite)("8. links", () => {
      const RULES = { steps: [0, 0, 1, 1, 2, 2, 3, 3], highest: 1, foreign: 4 };
      /** Two hundred of class 4, so that most are on disk. */
      const many = Array.from({ length: 200 }, (_, i) => url("a.test", `p${i}`, { priority: 4, source: "link" }));
      const far = many[150]!;
      const onPage = async (links: Parameters<typeof settled>[3]): Promise<void> => {
        await world.settle(await world.leaseOne(), ended(), links);
      };

      it("raises what waits as links to it come, wherever it is in its queue, and gives it out once", async () => {
        const { backend } = begin({ links: RULES });
        await backend.add(many);
        await onPage({ linksAgain: again("a.test", [far]) });
        assert.equal(pathOf(await world.leaseOne()), "p1", "two links say little");
        await world.reopen();
        await onPage({ linksAgain: again("a.test", [far], 128) });
        assert.equal(pathOf(await world.leaseOne()), "p150");
        await world.crash();
        const paths = await world.drain();
        assert.deepEqual([paths.length, new Set(paths).size], [198, 198]);
      });

      it("counts a link that comes as a new URL, and one from another host for more", async () => {
        const { backend } = begin({ links: RULES });
        await backend.add([...many, url("b.test", "x"), url("b.test", "y")]);
        const [a, b] = await backend.lease(2);
        await world.settle(b!, ended(), { links: [{ ...far, via: b!.url.id }] });
        await world.settle(a!, ended(), { links: [{ ...many[151]!, via: a!.url.id }] });
        assert.deepEqual((await world.leasePaths(2)).sort(), ["p150", "y"]);
      });

      it("does not count what lists, embeds or drops a URL, nor a page's link to itself", async () => {
        const { backend } = begin({ links: RULES });
        await backend.add(many);
        const links = (["listed", "embed", "redirect"] as const).flatMap((source) =>
          Array.from({ length: 200 }, () => ({ ...far, source })),
        );
        const drops = Array.from({ length: 200 }, () => ({ ...far, drop: { reason: "depth" } as const }));
        await onPage({ links: [...links, ...drops], linksAgain: again("a.test", [many[0]!], 200) });
        assert.deepEqual((await world.drain()).slice(0, 2), ["p1", "p2"]);
      });

      it("raises no further than to the class that is the highest for links, and leaves what is before it", async () => {
        const { backend } = begin({ links: RULES });
        const seeds = ["s1", "s2"].map((path) => url("a.test", path, { priority: 0 }));
        await backend.add([...seeds, url("a.test", "c1", { priority: 1 }), url("a.test", "c2", { priority: 2 })]);
        await onPage({ linksAgain: again("b.test", many.concat(seeds, url("a.test", "c2")), 200) });
        assert.deepEqual(await world.drain(), ["s2", "c2", "c1"]);
      });

      it("lets what was raised and what was admitted to a class alternate", async () => {
        const { backend } = begin({ links: RULES });
        const own = Array.from({ length: 9 }, (_, i) => url("a.test", `own${i}`, { priority: 1, source: "link" }));
        await backend.add([...own, ...many]);
        await onPage({ linksAgain: again("a.test", many.slice(100, 103), 200) });
        const first = (await world.drain()).filter((path) => !/^p\d\d?$/.test(path)).slice(0, 7);
        assert.deepEqual(first, ["p100", "own1", "p101", "own2", "p102", "own3", "own4"]);
      });

      it("raises so many at once and no more, and leaves nobody out", async () => {
        const { backend } = begin({ links: RULES });
        await backend.add(many);
        await onPage({ linksAgain: again("a.test", many.slice(100), 200) });
        const paths = await world.drain();
        const raised = paths.slice(0, 64).filter((path) => Number(path.slice(1)) >= 100);
        assert.equal(raised.length, 32);
        assert.equal(new Set(paths).size, 199);
      });

      it("leaves alone what is leased, given back, delayed, or has ended", async () => {
        const { backend } = begin({ links: RULES, hostConcurrency: 5 });
        await backend.add(many);
        const [ends, back, later, open, page] = await backend.lease(5);
        await world.settle(ends!, ended());
        backend.release([{ lease: back!, hostReadyAt: 0 }]);
        await world.settle(later!, { kind: "retry", at: world.clock.time + 10, reason: "timeout" });
        await world.settle(page!, ended(), { linksAgain: again("a.test", many.slice(0, 4), 200) });
        assert.deepEqual(await world.leasePaths(2), ["p1", "p5"]);
        world.clock.time += 10;
        assert.deepEqual(await world.leasePaths(1), ["p2"]);
        await world.settle(open!, ended());
        assert.equal(new Set(await world.drain()).size, 200 - 6);
      });

      it("passes over links to what it does not know", async () => {
        const { backend } = begin({ links: RULES });
        await backend.add([url("a.test", "1")]);
        await onPage({ linksAgain: again("a.test", [url("a.test", "2"), url("z.test", "3")], 9) });
        assert.equal(backend.pending().queued, 0);
      });
    });

    describe("5. and 6. restarts", () => {
      it("keeps what was added and committed through a crash, and forgets open leases", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2"), url("b.test", "3"), url("c.test", "4")]);
        const [first] = await backend.lease(3);
        await world.settle(first!, ended(), { links: [url("a.test", "5")] });
        const before = [...backend.urls()];
        await world.crash();
        assert.deepEqual(world.backend.pending(), { queued: 4, leased: 0, delayed: 0, hosts: 3 });
        assert.deepEqual(
          [...world.backend.urls()],
          before.map((record) => (record.state === "leased" ? { ...record, state: "queued" } : record)),
        );
        assert.deepEqual(await world.leasePaths(9), ["2", "3", "4"]);
      });

      it("queues the URLs of lost leases at the head of their hosts", async () => {
        const { backend } = begin({ hostConcurrency: 3 });
        await backend.add(Array.from({ length: 200 }, (_, i) => url("a.test", String(i))));
        const leases = await backend.lease(3);
        await world.settle(leases[1]!, ended());
        await world.crash();
        assert.deepEqual(await world.leasePaths(3), ["0", "2", "3"]);
      });

      it("keeps retry times and attempts", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1"), url("a.test", "2")]);
        const at = world.clock.time + 500;
        await world.settle(await world.leaseOne(), { kind: "retry", at, reason: "timeout" });
        await world.crash();
        assert.deepEqual(world.backend.pending(), { queued: 1, leased: 0, delayed: 1, hosts: 1 });
        assert.deepEqual(await world.drain(), ["2"]);
        assert.equal(world.backend.nextReadyAt(), at);
        world.clock.time = at;
        assert.equal((await world.leaseOne()).attempt, 2);
      });

      it("reopens empty, and finished", async () => {
        begin();
        await world.reopen();
        await world.crash();
        await world.backend.add([url("a.test", "1")]);
        await world.drain();
        await world.reopen();
        assert.deepEqual(world.backend.pending(), { queued: 0, leased: 0, delayed: 0, hosts: 0 });
        assert.equal(world.backend.nextReadyAt(), null);
        assert.deepEqual(await world.leasePaths(9), []);
      });
    });

    describe("7. counts", () => {
      it("counts queued, leased and delayed exactly, leases that have expired included", async () => {
        const { backend } = begin();
        const is = (queued: number, leased: number, delayed: number, hosts: number) =>
          assert.deepEqual(backend.pending(), { queued, leased, delayed, hosts });
        is(0, 0, 0, 0);
        await backend.add([url("a.test", "1"), url("b.test", "2"), url("b.test", "3")]);
        is(3, 0, 0, 2);
        const [a, b] = (await backend.lease(2)) as [Lease, Lease];
        is(1, 2, 0, 2);
        await world.settle(a, { kind: "retry", at: world.clock.time + 10, reason: "timeout" });
        is(1, 1, 1, 2);
        await world.settle(b, ended());
        is(1, 0, 1, 2);
        world.clock.time += 10;
        is(2, 0, 0, 2);
        await backend.lease(2);
        is(0, 2, 0, 2);
        world.clock.time += LEASE_MS;
        is(2, 0, 0, 2);
        await world.drain();
        is(0, 0, 0, 0);
      });

      it("counts ends by reason, across restarts", async () => {
        const { backend } = begin();
        await backend.add([url("a", "1"), url("b", "2"), url("c", "3"), url("d", "4", { drop: { reason: "trap" } })]);
        const [a, b, c] = (await backend.lease(3)) as [Lease, Lease, Lease];
        await world.settle(a, ended());
        await world.settle(b, ended());
        await world.settle(c, ended("http-4xx"));
        const counts = { fetched: 2, "http-4xx": 1, trap: 1 };
        assert.deepEqual(Object.fromEntries(backend.endCounts()), counts);
        await world.crash();
        assert.deepEqual(Object.fromEntries(world.backend.endCounts()), counts);
      });
    });

    describe("records", () => {
      it("gives back a visit as it was recorded", async () => {
        const { backend } = begin();
        await backend.add([url("a.test", "1")]);
        const lease = await world.leaseOne();
        const visit = {
          ...recordOf(lease, "fetched", 123.5),
          endedAt: 456.75,
          detail: "a detail",
          redirectTo: "http://a.test/x" as Href,
          etag: 'W/"1"',
          lastModified: "Thu, 01 Jan 1970 00:00:00 GMT",
          robotsId: 4,
          duplicateOf: 2 ** 32 - 1,
          nearDuplicateOf: 5,
          capture: {
            response: { file: "x-1.warc.gz", offset: 2 ** 33, length: 99 },
            at: 124,
            digest: "sha1:ABC",
            truncated: "length",
          },
          page: {
            ...PAGE,
            title: "Žluťoučký 🐎",
            description: "",
            noindex: true,
            simhash: "8123456789abcdef",
          },
        } as const;
        await world.settle(lease, ended(), { record: visit });
        assert.deepEqual(backend.byId(1)?.visit, visit);
        assert.deepEqual([...backend.captures()], [visit]);
        await world.reopen();
        assert.deepEqual(world.backend.byId(1)?.visit, visit);
      });

      it("lists the contents that were new, and whole, for those that come later to be compared with", async () => {
        const { backend } = begin();
        const simhash = "8123456789abcdef";
        const page = { ...PAGE, simhash };
        const capture = { response: { file: "x", offset: 1, length: 9 }, at: 1, digest: "sha1:A", truncated: null };
        const changes = [
          { page, capture },
          { page, capture, duplicateOf: 1 },
          { page, capture: { ...capture, digest: "sha1:B" }, nearDuplicateOf: 1 },
          { page: PAGE, capture: { ...capture, digest: "sha1:C" } },
          { page, capture: { ...capture, truncated: "length" } },
          { page, capture, bytes: 0 },
          { page: null, capture },
          { page: null, capture: null },
          { page, capture, end: "http-4xx" },
        ] as const;
        await backend.add(changes.map((_, nth) => url(`${nth}.test`, "/")));
        for (const change of changes) {
          const lease = await world.leaseOne();
          await world.settle(lease, ended(), { record: { ...recordOf(lease, "fetched", 1), ...change } });
        }
        const expected = [
          { urlId: 1, digest: "sha1:A", simhash },
          { urlId: 3, digest: "sha1:B", simhash: null },
          { urlId: 4, digest: "sha1:C", simhash: null },
        ];
        assert.deepEqual([...backend.contents()], expected);
        await world.reopen();
        assert.deepEqual([...world.backend.contents()], expected);
      });

      it("finds a URL by fingerprint and by id, with its state and its latest visit", async () => {
        const { backend } = begin();
        const first = url("a.test", "1");
        await backend.add([first, url("a.test", "2")]);
        assert.equal(backend.find(first.fpHi, first.fpLo)?.state, "queued");
        const lease = await world.leaseOne();
        assert.equal(backend.byId(1)?.state, "leased");
        await world.settle(lease, { kind: "retry", at: world.clock.time, reason: "timeout" });
        assert.equal(backend.byId(1)?.visit?.end, "retry");
        await world.settle(await world.leaseOne(), ended("dns"));
        assert.equal(backend.byId(1)?.state, "ended");
        assert.equal(backend.byId(1)?.visit?.end, "dns");
        assert.equal(backend.byId(1)?.visit?.attempt, 2);
        assert.equal(backend.find(1, 1), null);
        assert.equal(backend.byId(99), null);
      });

      it("streams URLs in order of admission, from any id, ended ones only if asked", async () => {
        const { backend } = begin();
        await backend.add(Array.from({ length: 1201 }, (_, i) => url(`h${i % 7}.test`, String(i))));
        const leases = await backend.lease(5);
        await world.commit({ settled: leases.map((lease) => settled(lease, ended(), 1)) });
        assert.deepEqual(
          [...backend.urls()].map(({ id }) => id),
          Array.from({ length: 1201 }, (_, i) => i + 1),
        );
        assert.equal([...backend.urls({ afterId: 1000 })][0]?.id, 1001);
        const done = [...backend.urls({ endedOnly: true })];
        assert.deepEqual(
          done.map(({ id }) => id),
          leases.map(({ url: { id } }) => id),
        );
        assert.ok(done.every(({ visit }) => visit?.end === "fetched"));
        assert.deepEqual([...backend.urls({ endedOnly: true, afterId: 5 })], []);
      });

      it("keeps host states, the latest of each", async () => {
        const { backend } = begin();
        assert.equal(backend.host(A), null);
        await backend.add([url("a.test", "1")]);
        assert.equal(backend.host(A), null);
        const state = {
          ...newHostState(A),
          readyAt: 5.5,
          slowed: true,
          address: "192.0.2.7",
          requests: 3,
          smoothedMs: 1.25,
        };
        await world.commit({
          hosts: [{ ...state, requests: 1 }, state, { ...newHostState("http://z" as HostKey), dead: "dns" }],
        });
        assert.deepEqual(backend.host(A), state);
        await world.crash();
        assert.deepEqual(world.backend.host(A), state);
        assert.equal(world.backend.host("http://z" as HostKey)?.dead, "dns");
      });

      it("names the hosts with most requests, and what is pending there", async () => {
        const { backend } = begin();
        await backend.add([url("a", "1"), url("b", "2"), url("b", "3"), url("c", "4")]);
        const state = (host: string, requests: number) => ({ ...newHostState(`http://${host}` as HostKey), requests });
        await world.settle(await world.leaseOne(), ended());
        await world.commit({ hosts: [state("a", 2), state("b", 7)] });
        assert.deepEqual(backend.topHosts(2), [
          { host: "http://b", requests: 7, pending: 2 },
          { host: "http://a", requests: 2, pending: 0 },
        ]);
        assert.equal(backend.topHosts(9).length, 3);
      });

      it("keeps every copy of a robots.txt and answers with the newest", async () => {
        const { backend } = begin();
        assert.equal(backend.robots(A), null);
        const copy: RobotsCopy = {
          id: 0,
          host: A,
          fetchedAt: 1.5,
          expiresAt: 2,
          access: "rules",
          status: 200,
          failure: null,
          body: "User-agent: *\nDisallow: /ž\n",
          href: "http://a.test/robots.txt" as Href,
          capture: { response: { file: "f", offset: 0, length: 7 }, at: 1.5, digest: "sha1:X", truncated: null },
        };
        const failed: RobotsCopy = {
          ...copy,
          access: "unreachable",
          status: 0,
          failure: "dns",
          body: "",
          capture: null,
        };
        const { robotsIds } = await world.commit({ robots: [copy, failed, { ...copy, host: "http://b" as HostKey }] });
        assert.deepEqual(robotsIds, [1, 2, 3]);
        await world.crash();
        assert.deepEqual(world.backend.robots(A), { ...failed, id: 2 });
        assert.deepEqual(world.backend.robotsReached(A), { ...copy, id: 1 });
        assert.deepEqual((await world.commit({ robots: [copy] })).robotsIds, [4]);
        assert.equal(world.backend.robots(A)?.id, 4);
      });

      it("tells every request that was made, visits and others, in order of their start", async () => {
        const { backend } = begin();
        await backend.add([url("a", "1"), url("b", "2")]);
        const [one, two] = await backend.lease(2);
        const at = (startedAt: number) => ({ startedAt, endedAt: startedAt + 5, status: 200 });
        const robots = { host: "http://c" as HostKey, href: "http://c/robots.txt" as Href, address: "192.0.2.9" };
        await world.commit({
          settled: [
            settled(one!, ended(), 0, { record: { ...recordOf(one!, "fetched", 0), ...at(30) } }),
            settled(two!, ended("dns"), 0, { record: { ...recordOf(two!, "dns", 0), address: null } }),
          ],
          requests: [
            { ...robots, ...at(40) },
            { ...robots, ...at(10), status: null },
          ],
        });
        await world.crash();
        const visit = { host: "http://a" as HostKey, href: "http://a/1" as Href, address: "192.0.2.1" };
        assert.deepEqual(
          [...world.backend.requests()],
          [
            { ...robots, ...at(10), status: null },
            { ...visit, ...at(30) },
            { ...robots, ...at(40) },
          ],
        );
      });

      it("tells all that ended in one way, with the detail, and what is dropped and then wanted no longer", async () => {
        const { backend } = begin();
        const trap = (detail: string) => ({ reason: "trap", detail }) as const;
        await backend.add([
          { ...url("a", "1"), drop: trap("calendar: 2051/03") },
          url("a", "2"),
          { ...url("a", "3"), drop: trap("facets: a b") },
          { ...url("a", "4"), drop: { reason: "scope" } },
        ]);
        await backend.add([url("a", "3")]);
        const [lease] = await backend.lease(1);
        const end = { kind: "end", end: "trap", detail: "feedback: /{n}", dropped: true } as const;
        const record = { ...recordOf(lease!, "trap", 0), detail: "feedback: /{n}", attempt: 0 };
        await world.commit({ settled: [settled(lease!, end, 0, { record })] });
        await world.crash();
        assert.deepEqual(
          [...world.backend.endedAs("trap")],
          [
            { href: "http://a/1", detail: "calendar: 2051/03" },
            { href: lease!.url.href, detail: "feedback: /{n}" },
          ],
        );
        assert.deepEqual([...world.backend.endedAs("scope")], [{ href: "http://a/4", detail: null }]);
        assert.deepEqual([...world.backend.endedAs("dns")], []);
      });

      it("keeps marks by file and facts by name, the latest of each", async () => {
        const { backend } = begin();
        await world.commit({
          marks: [
            { file: "a", bytes: 2 ** 40 },
            { file: "b", bytes: 1 },
            { file: "b", bytes: 2 },
          ],
        });
        backend.setFact("startedAt", "1");
        backend.setFact("startedAt", "2");
        await world.crash();
        assert.deepEqual(Object.fromEntries(world.backend.marks()), { a: 2 ** 40, b: 2 });
        assert.equal(world.backend.fact("startedAt"), "2");
        assert.equal(world.backend.fact("none"), null);
      });
    });
  });
}
