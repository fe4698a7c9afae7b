/** Objects that held rows which have come back go when nothing can point to them any more, and not before. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Blobs } from "../../../../src/ports/blobs.ts";
import { openCluster } from "../../../../src/store/cluster/backend.ts";
import { Shards } from "../../../../src/store/cluster/shards/shards.ts";
import {
  objectKey,
  objectName,
  ROUND_MS,
  SpilledObjects,
} from "../../../../src/store/cluster/shards/spilled-objects.ts";
import { ended, settled, TestClock, url } from "../../../conformance/frontier-world.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

const SHARDS = 2;
const keysIn = async (blobs: Blobs) => (await Array.fromAsync(blobs.list("urls/"))).map(({ key }) => key);

/** A crawl of which some rows have been to the store and back, and some are there. */
async function spilled(name: string) {
  const clock = new TestClock();
  const blobs = bench.blobs(name);
  const backend = await openCluster(bench.connection, { clock, name, blobs, shards: SHARDS, rowsInRedis: 256 });
  const all = Array.from({ length: 2_000 }, (_, n) => url(`h${n % 5}.test`, String(n), { priority: n % 3 }));
  for (let n = 0; n < all.length; n += 500) await backend.add(all.slice(n, n + 500));
  for (let n = 0; n < 150; n++) {
    const leases = await backend.lease(50);
    const parts = leases.map((lease) => settled(lease, ended(), clock.time));
    await backend.commit({ settled: parts, hosts: [], robots: [], marks: [] });
  }
  const none = async () => (await Array.fromAsync(backend.unpointed())).map(({ key }) => key);
  return { blobs, backend, none, count: all.length };
}

/** Looks at the objects of a crawl as one of its crawlers does, at a time that the test says. */
function sweeper(name: string, blobs: Blobs) {
  let ahead = 0;
  let there = true;
  const time = { now: () => bench.connection.time.now() + ahead, sleep: async () => {} };
  const rules = {
    owner: "",
    hostConcurrency: 1,
    hostShare: 1,
    keepsCash: false,
    clock: time,
    prefers: () => true,
    looks: true,
  };
  const shards = new Shards(bench.connection, { name, count: SHARDS, ...rules });
  const objects = new SpilledObjects({ shards, blobs, time, isThere: async () => there });
  objects.sweep(); // begins to count the time
  return {
    time,
    forget: () => {
      there = false;
    },
    async rounds(n: number): Promise<void> {
      for (let look = 0; look < n * SHARDS; look++) {
        ahead += ROUND_MS / SHARDS + 1;
        objects.sweep();
        await objects.idle();
      }
    },
  };
}

describe("objects that nothing points to", () => {
  it("go after two looks, and rows that are in the store stay", async () => {
    const name = "objects-1";
    const { blobs, backend, none, count } = await spilled(name);
    const [all, dead] = [await keysIn(blobs), await none()];
    assert.ok(dead.length > 0 && dead.length < all.length, `${dead.length} of ${all.length}`);
    const { rounds } = sweeper(name, blobs);
    await rounds(1.5);
    assert.deepEqual(await keysIn(blobs), all, "one look is not enough");
    await rounds(1);
    assert.deepEqual(
      await keysIn(blobs),
      all.filter((key) => !dead.includes(key)),
    );
    assert.deepEqual(await none(), []);
    assert.equal((await Array.fromAsync(backend.urls())).length, count, "every row can be read");
    await backend[Symbol.asyncDispose]();
  });

  it("stay while they are young: what is just being written is pointed to soon", async () => {
    const name = "objects-2";
    const { blobs, backend } = await spilled(name);
    const { time, rounds } = sweeper(name, blobs);
    await rounds(3);
    const young = objectKey(objectName(1, time.now() + ROUND_MS, "x", 1));
    await blobs.put(young, Buffer.from("x"));
    await rounds(2);
    assert.ok((await keysIn(blobs)).includes(young), "who wrote it may say so yet");
    await rounds(2);
    assert.ok(!(await keysIn(blobs)).includes(young));
    await backend[Symbol.asyncDispose]();
  });

  it("stay where Redis knows nothing of the crawl, or of the shard, any more", async () => {
    const name = "objects-3";
    const { blobs, backend, none } = await spilled(name);
    const dead = await none();
    const { forget, rounds } = sweeper(name, blobs);
    forget();
    await rounds(4);
    assert.deepEqual(await none(), dead);
    const elsewhere = sweeper("objects-that-never-were", blobs);
    const all = await keysIn(blobs);
    await elsewhere.rounds(4);
    assert.deepEqual(await keysIn(blobs), all);
    await backend[Symbol.asyncDispose]();
  });
});
