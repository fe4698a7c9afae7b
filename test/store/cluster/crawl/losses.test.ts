/** What Redis loses of a crawl for ever is noticed, and said: it does not look like work that is done. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ClusterOptions } from "../../../../src/store/cluster/backend.ts";
import { openCluster } from "../../../../src/store/cluster/backend.ts";
import { removeCrawl } from "../../../../src/store/cluster/crawl/crawl.ts";
import { crawlKey } from "../../../../src/store/cluster/crawl/facts.ts";
import { shardOf } from "../../../../src/store/cluster/shards/shard-of.ts";
import { ended, settled, TestClock, url } from "../../../conformance/frontier-world.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

const SHARDS = 8;
const HOSTS = Array.from({ length: 40 }, (_, n) => `h${n}.test`);

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

let crawls = 0;
const newName = () => `losses-${++crawls}`;
const open = (name: string, clock: TestClock, more: Partial<ClusterOptions> = {}) =>
  openCluster(bench.connection, { name, clock, blobs: bench.blobs(name), shards: SHARDS, ...more });

/** The first host of each shard. */
const hostIn = (shard: number) => HOSTS.find((host) => shardOf(url(host, "1").host, SHARDS) === shard)!;

/** As the disks of a master and of its replicas do. */
const loseShards = async (name: string, shards: readonly number[]) => {
  for (const shard of shards) await bench.connection.remove(`trawl:{${name}:${shard}}*`);
};

/** A key as it is now, to be put back later: what an old copy of the disks has. */
async function copyOf(key: string): Promise<() => Promise<unknown>> {
  const { connection } = bench;
  await connection.command(key, ["COPY", key, `copy:${key}`]);
  return () => connection.command(key, ["COPY", `copy:${key}`, key, "REPLACE"]);
}

describe("a shard that is gone", () => {
  const SAYS = {
    code: "frontier-lost",
    message:
      /^Redis has lost a part of the crawl losses-\d+: 2 of its 8 shards are gone; put back what its nodes had, .*trawl migrate/,
  };

  it("is no shard without work: who is at the crawl is told, whatever is asked", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using backend = await open(name, clock);
    await backend.add(HOSTS.map((host) => url(host, "1")));
    const leases = await backend.lease(20);
    await loseShards(name, [2, 5]);
    clock.time += 10_000;
    await assert.rejects(backend.pending(), SAYS);
    await assert.rejects(backend.nextReadyAt(), SAYS);
    await assert.rejects(backend.lease(40), SAYS);
    await assert.rejects(backend.add([url(hostIn(5), "2")]), SAYS);
    const verdicts = leases.map((lease) => settled(lease, ended(), clock.time));
    await assert.rejects(backend.commit({ settled: verdicts, hosts: [], robots: [], marks: [] }), SAYS);
  });

  it("is told to who opens the crawl, alone or not, and not made anew", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await (await open(name, clock))[Symbol.asyncDispose]();
    await loseShards(name, [2, 5]);
    for (const joins of [true, false]) await assert.rejects(open(name, clock, { joins, owner: "a" }), SAYS);
  });

  it("leaves the others to be looked at", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using backend = await open(name, clock);
    await backend.add(HOSTS.map((host) => url(host, "1")));
    await loseShards(name, [2, 5]);
    await using view = await open(name, clock, { looks: true });
    const left = HOSTS.filter((host) => ![2, 5].includes(shardOf(url(host, "1").host, SHARDS)));
    assert.equal((await Array.fromAsync(view.urls())).length, left.length);
    assert.equal((await view.pending()).queued, left.length);
    await assert.rejects(backend.add([url(hostIn(2), "2")]), SAYS, "looking has made none");
  });

  it("with all the others is a crawl that was emptied", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using backend = await open(name, clock);
    await removeCrawl(bench.connection, name);
    clock.time += 10_000;
    await assert.rejects(backend.pending(), {
      code: "frontier-lost",
      message: /is in Redis no longer: it was emptied/,
    });
  });
});

describe("shards of a crawl of which all else is gone", () => {
  const behead = (name: string) => bench.connection.remove(`${crawlKey(name)}*`);

  it("are not the beginning of another that is called alike", async () => {
    const [name, clock] = [newName(), new TestClock()];
    const backend = await open(name, clock);
    await backend.add([url(hostIn(2), "1"), url(hostIn(5), "1")]);
    await backend[Symbol.asyncDispose]();
    await behead(name);
    const says = {
      code: "frontier-lost",
      message: /^Redis has URLs in 2 of the 8 shards of a crawl losses-\d+, and has lost .*choose another name/,
    };
    for (const joins of [true, false, true]) await assert.rejects(open(name, clock, { joins, owner: "a" }), says);
  });

  it("are, where nothing has come to them yet", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await (await open(name, clock))[Symbol.asyncDispose]();
    await behead(name);
    await using backend = await open(name, clock);
    assert.equal(await backend.add([url(hostIn(2), "1")]), 1);
  });
});

describe("a shard that has gone back to an old copy", () => {
  const SAYS = { code: "frontier-lost", message: /its shard 3 knows of 1 URLs, and knew of 3;/ };

  it("is noticed by who is at the crawl", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using backend = await open(name, clock);
    await backend.add([url(hostIn(3), "1")]);
    const putBack = await copyOf(`trawl:{${name}:3}`);
    await backend.add([url(hostIn(3), "2"), url(hostIn(3), "3")]);
    for (let minute = 0; minute < 3; minute++) {
      clock.time += 61_000;
      await backend.commit({ settled: [], hosts: [], robots: [], marks: [] });
      await backend.pending();
    }
    await putBack();
    clock.time += 5_000;
    await backend.pending(); // it may be told by a master that another has taken the place of
    clock.time += 11_000;
    await assert.rejects(backend.pending(), SAYS);
  });

  it("is noticed by who opens the crawl", async () => {
    const [name, clock] = [newName(), new TestClock()];
    const backend = await open(name, clock);
    await backend.add([url(hostIn(3), "1")]);
    const putBack = await copyOf(`trawl:{${name}:3}`);
    await backend.add([url(hostIn(3), "2"), url(hostIn(3), "3")]);
    await backend.sync();
    await putBack();
    for (const joins of [true, false]) await assert.rejects(open(name, clock, { joins }), SAYS);
  });
});

describe("numbers of records that have gone back to an old copy", () => {
  const commitOne = async (backend: Awaited<ReturnType<typeof open>>, clock: TestClock) => {
    const leases = await backend.lease(1);
    const verdicts = leases.map((lease) => settled(lease, ended(), clock.time, { hostReadyAt: clock.time }));
    return backend.commit({ settled: verdicts, hosts: [], robots: [], marks: [] });
  };

  it("are given to nobody a second time: nothing of the store is written over", async () => {
    const [name, clock] = [newName(), new TestClock()];
    const backend = await open(name, clock);
    await backend.add(["1", "2", "3", "4"].map((path) => url("a.test", path)));
    await commitOne(backend, clock);
    const putBack = await copyOf(`${crawlKey(name)}:segments`);
    await commitOne(backend, clock);
    await commitOne(backend, clock);
    await putBack();
    await assert.rejects(commitOne(backend, clock), {
      code: "frontier-lost",
      message: /gives out the number 2 for records, and has given out 3/,
    });
    await putBack();
    await using again = await open(name, clock);
    assert.deepEqual((await commitOne(again, clock)).current, [true]);
    const recorded = await Array.fromAsync(again.urls({ endedOnly: true }));
    assert.equal(recorded.length, 4);
    assert.deepEqual(
      new Set(recorded.map(({ href, visit }) => href === visit?.href)),
      new Set([true]),
      "each has its own record",
    );
  });

  it("are missed when they are gone", async () => {
    const [name, clock] = [newName(), new TestClock()];
    await using backend = await open(name, clock);
    await backend.add([url("a.test", "1")]);
    await bench.connection.remove(`${crawlKey(name)}*`);
    await assert.rejects(commitOne(backend, clock), { code: "frontier-lost", message: /is in Redis no longer/ });
  });
});
