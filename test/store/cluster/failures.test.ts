/** What a cluster and several crawlers add to the promises of the port: fences, fail-overs, and what is refused when it is opened. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newHostState } from "../../../src/model/host.ts";
import type { Lease } from "../../../src/model/lease.ts";
import type { FrontierState } from "../../../src/ports/frontier.ts";
import { type ClusterOptions, openCluster } from "../../../src/store/cluster/backend.ts";
import { Connection } from "../../../src/store/cluster/redis/connection.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";
import { movingSlot } from "../../services/moving-slot.ts";
import type { RedisCluster } from "../../services/redis-cluster.ts";
import { type ClusterBench, clusterBench } from "./store.ts";

let bench: ClusterBench;
let cluster: RedisCluster;
before(async () => {
  bench = await clusterBench();
  cluster = bench.redis;
});
after(() => bench[Symbol.asyncDispose]());

let crawls = 0;
const newName = () => `failures-${++crawls}`;
const LEASE_MS = 60_000;

function open(
  name: string,
  clock: TestClock,
  { connection = bench.connection, ...more }: Partial<ClusterOptions> & { readonly connection?: Connection } = {},
): Promise<FrontierState> {
  return openCluster(connection, { name, clock, blobs: bench.blobs(name), shards: 8, leaseMs: LEASE_MS, ...more });
}

const commit = (
  backend: FrontierState,
  clock: TestClock,
  leases: readonly Lease[],
  links: ReturnType<typeof url>[] = [],
) =>
  backend.commit({
    settled: leases.map((lease) => settled(lease, ended(), clock.time, { links, hostReadyAt: clock.time })),
    hosts: [],
    robots: [],
    marks: [],
  });

describe("two crawlers", () => {
  it("share what waits: no URL is leased to both, and no host", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using one = await open(name, clock);
    await using two = await open(name, clock, { joins: true });
    await one.add(Array.from({ length: 40 }, (_, n) => url(`h${n % 20}.test`, String(n))));
    const leases = (await Promise.all([one.lease(15), two.lease(15)])).flat();
    assert.equal(new Set(leases.map(({ token }) => token)).size, leases.length);
    assert.equal(new Set(leases.map(({ url: { host } }) => host)).size, leases.length, "one lease a host");
    assert.equal(leases.length, 20);
  });

  it("cannot settle, admit or move a clock by a lease that has passed to the other", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using late = await open(name, clock, { owner: "late" });
    await late.add([url("a.test", "1")]);
    const [stale] = await late.lease(1);
    await using other = await open(name, clock, { joins: true, owner: "other" });
    clock.time += LEASE_MS;
    const [lease] = await other.lease(1);
    assert.deepEqual([lease?.url.id, lease?.attempt], [stale?.url.id, 2]);
    const more = { links: [url("b.test", "2")], hostReadyAt: 1e15 };
    const host = stale!.url.host;
    const hosts = [{ ...newHostState(host), requests: 99 }];
    const batch = { settled: [settled(stale!, ended("dns"), clock.time, more)], hosts, robots: [], marks: [] };
    assert.deepEqual(await late.commit(batch), { current: [false], admitted: 0, dropped: 0, robotsIds: [] });
    await late.release([{ lease: stale!, hostReadyAt: 1e15 }]);
    assert.equal(await other.host(host), null, "nor say what is known of a host");
    assert.deepEqual(await late.pending(), { queued: 0, leased: 1, delayed: 0, hosts: 1 });
    assert.deepEqual((await commit(other, clock, [lease!], [url("a.test", "3")])).current, [true]);
    assert.equal((await other.lease(1))[0]?.url.href, "http://a.test/3", "the clock stands");
  });

  it("are told when the other has had leases on a host since their own last one", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using one = await open(name, clock, { owner: "one" });
    await using two = await open(name, clock, { owner: "two", joins: true });
    await one.add(Array.from({ length: 5 }, (_, n) => url("a.test", String(n))));
    const moved: boolean[] = [];
    for (const crawler of [one, one, two, two, one]) {
      clock.time += 1_000; // so long at most each goes by what it remembers of a shard
      const [lease] = await crawler.lease(1);
      moved.push(lease!.hostMoved ?? false);
      await commit(crawler, clock, [lease!]);
    }
    assert.deepEqual(moved, [true, false, true, false, true]);
  });

  it("has at once what it had leased before it died, one attempt older, and nothing of the other's", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using one = await open(name, clock, { owner: "one" });
    await using two = await open(name, clock, { owner: "two", joins: true });
    await one.add([url("a.test", "1"), url("b.test", "2")]);
    const [first] = await one.lease(1);
    clock.time += 1_000; // by then the other has looked
    const [second] = await two.lease(1);
    await using back = await open(name, clock, { owner: "one", joins: true });
    const leases = await back.lease(9);
    assert.deepEqual(
      leases.map(({ url: { id }, attempt }) => [id, attempt]),
      [[first!.url.id, 2]],
    );
    assert.deepEqual((await commit(one, clock, [first!])).current, [false]);
    assert.deepEqual((await commit(two, clock, [second!])).current, [true]);
  });

  it("leaves the leases of others alone when it joins, and ends none of its own when it leaves", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using one = await open(name, clock);
    await one.add([url("a.test", "1")]);
    const [lease] = await one.lease(1);
    const two = await open(name, clock, { joins: true });
    assert.deepEqual(await two.lease(1), []);
    await two[Symbol.asyncDispose]();
    assert.deepEqual((await commit(one, clock, [lease!])).current, [true]);
  });
});

describe("a master that is killed", () => {
  it("takes nothing along that was acknowledged, and the crawl goes on by itself", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using backend = await open(name, clock);
    const admitted = new Set<string>();
    const visited = new Map<string, number>();
    const seeds = Array.from({ length: 30 }, (_, n) => url(`h${n}.test`, "0"));
    await backend.add(seeds);
    for (const { href } of seeds) admitted.add(href);
    let killed: Promise<void> | null = null;
    for (let round = 0; ; round++) {
      clock.time += 10;
      const leases = await backend.lease(10);
      if (leases.length === 0) {
        const { queued, leased } = await backend.pending();
        if (queued + leased === 0) break;
        clock.time += LEASE_MS; // a lease whose answer was lost comes back
        continue;
      }
      const links =
        round > 40 ? [] : Array.from({ length: 5 }, (_, n) => url(`h${(round * 7 + n) % 30}.test`, `${round}.${n}`));
      if (round === 5) killed = cluster.kill(cluster.nodes[1]!);
      const report = await commit(backend, clock, leases, links);
      for (const { href } of links) admitted.add(href);
      for (const [nth, lease] of leases.entries())
        if (report.current[nth]) visited.set(lease.url.href, (visited.get(lease.url.href) ?? 0) + 1);
    }
    await killed;
    assert.deepEqual([...visited.keys()].sort(), [...admitted].sort(), "each was visited, and nothing else");
    assert.ok(
      [...visited.values()].every((times) => times === 1),
      "and settled once",
    );
    assert.deepEqual([...(await backend.endCounts())], [["fetched", admitted.size]]);
    await cluster.start(cluster.nodes[1]!);
  });

  it("acknowledges nothing while its replica is there and does not follow", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using connection = await Connection.open({ nodes: cluster.nodes, patienceMs: 500 });
    await using backend = await open(name, clock, { connection });
    const everywhere = Array.from({ length: 40 }, (_, n) => url(`h${n}.test`, "1")); // so that each master has some
    const replica = cluster.nodes[3]!;
    cluster.pause(replica);
    try {
      await assert.rejects(backend.add(everywhere), {
        code: "frontier-away",
        message: /replicas of 127\.[\d.]+:\d+ do not keep up/,
      });
    } finally {
      cluster.resume(replica);
    }
    assert.equal(await backend.add([...everywhere, url("a.test", "2")]), 1, "it was there all the same");
  });

  it("has a page's links with replicas before it settles the page, and that before it acknowledges it", async () => {
    for (const verb of ["admit", "settle"]) {
      const [name, clock] = [newName(), new TestClock()];
      await using impatient = await Connection.open({ nodes: cluster.nodes, patienceMs: 500 });
      const roles = await Promise.all(cluster.nodes.map((node) => cluster.ask(node, "ROLE")));
      const replicas = cluster.nodes.filter((_, nth) => roles[nth]!.startsWith("slave"));
      let at = "";
      const connection = new Proxy(impatient, {
        get(target, property) {
          const value = Reflect.get(target, property, target);
          if (typeof value !== "function") return value;
          if (property !== "run") return value.bind(target);
          return (...call: Parameters<Connection["run"]>) => {
            if (call[0] === at) for (const replica of replicas) cluster.pause(replica);
            return target.run(...call);
          };
        },
      });
      await using backend = await open(name, clock, { connection });
      await backend.add([url("a.test", "1")]);
      const leases = await backend.lease(1);
      at = verb;
      try {
        await assert.rejects(commit(backend, clock, leases, [url("a.test", "2")]), { code: "frontier-away" }, verb);
      } finally {
        for (const replica of replicas) cluster.resume(replica);
      }
      const { queued, leased } = await backend.pending();
      assert.deepEqual([queued, leased], [1, verb === "admit" ? 1 : 0], verb);
    }
  });
});

describe("a crawl", () => {
  it("is refused when the crawl was created with other shards", async () => {
    const name = newName();
    await (await open(name, new TestClock()))[Symbol.asyncDispose]();
    await assert.rejects(open(name, new TestClock(), { shards: 16 }), {
      code: "frontier-foreign",
      message: /was created with shards 8, not 16; give it what it has, or choose another name$/,
    });
  });

  it("is refused, and not misread, when a Trawl with another layout of keys has created it", async () => {
    const name = newName();
    await (await open(name, new TestClock()))[Symbol.asyncDispose]();
    await bench.connection.command(`trawl:{${name}}`, ["HSET", `trawl:{${name}}`, "layout", "2"]);
    await assert.rejects(open(name, new TestClock()), {
      code: "frontier-foreign",
      message: /was created by another version of Trawl \(layout 2, not \d+\); go on with that one, or choose/,
    });
  });
});

describe("a shard whose slot is on its way to another master", () => {
  for (const first of [true, false])
    it(`is left alone until all of it is there, when its record goes ${first ? "first" : "last"}`, async () => {
      const [name, clock] = [newName(), new TestClock()];
      await using backend = await open(name, clock, { shards: 1 });
      await backend.add(Array.from({ length: 30 }, (_, n) => url(`h${n % 10}.test`, String(n))));
      const [lease] = await backend.lease(1);
      const slot = await movingSlot(cluster, `trawl:{${name}:0}`);
      const keys = await slot.left();
      await slot.move(first ? keys.slice(0, keys.length / 2) : keys.slice(keys.length / 2));
      let answers = 0;
      const asked = <T>(answer: Promise<T>): Promise<T> => answer.finally(() => answers++);
      const leased = asked(backend.lease(5));
      const added = asked(backend.add([url("h3.test", "3"), url("h3.test", "new")]));
      const committed = asked(commit(backend, clock, [lease!], [url("new.test", "1")]));
      await sleep(300);
      assert.equal(answers, 0);
      await slot.finish();
      assert.equal((await leased).length, 5);
      await added;
      assert.deepEqual((await committed).current, [true]);
      const { queued, leased: held } = await backend.pending();
      assert.deepEqual([queued, held], [30 + 1 + 1 - 1 - 5, 5]);
    });
});
