/** Rows that are not needed soon are in the object store: Redis stays small, and nobody can tell the difference. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { openCluster } from "../../../../src/store/cluster/backend.ts";
import { assertAlike, MODEL_OPTIONS } from "../../../conformance/frontier-model.ts";
import { allOperations, FullPlayer } from "../../../conformance/frontier-returns.ts";
import { again, ended, type Store, settled, TestClock, url, World } from "../../../conformance/frontier-world.ts";
import { memoryStore } from "../../stores.ts";
import { type ClusterBench, clusterBench, clusterStore } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

let crawls = 0;

describe("rows in the object store", () => {
  it("make no difference to what is answered", async () => {
    await fc.assert(
      fc.asyncProperty(allOperations(12), async (ops) => {
        const play = async (store: Store) => new FullPlayer(await World.open(store, MODEL_OPTIONS));
        const spilling = clusterStore(() => bench, { rowsInRedis: 64 });
        await assertAlike([await play(spilling), await play(memoryStore())], ops, 60);
      }),
      { seed: 2, numRuns: 6, endOnFailure: true },
    );
  });

  it("let a backlog be larger than what Redis may hold, and lose nothing of it", async () => {
    const name = `spill-${++crawls}`;
    const clock = new TestClock();
    const options = { clock, name, blobs: bench.blobs(name), shards: 2, rowsInRedis: 256 };
    const firstCash = () => 0;
    await using backend = await openCluster(bench.connection, { ...options, firstCash });
    const all = Array.from({ length: 2_000 }, (_, n) =>
      url(`h${n % 5}.test`, String(n), { priority: n % 3, source: "link" }),
    );
    for (let n = 0; n < all.length; n += 500) await backend.add(all.slice(n, n + 500));
    assert.ok((await rowsIn(name, 2)) <= 640, `${await rowsIn(name, 2)} rows are in Redis`);
    assert.equal((await backend.pending()).queued, all.length);
    assert.equal(await backend.add(all.slice(1_000, 1_500)), 0, "they are known");
    const visited = new Set<string>();
    const visit = async (linksAgain = again("h0.test", [])) => {
      const leases = await backend.lease(50);
      for (const { url: one } of leases) visited.add(one.href);
      const parts = leases.map((lease) => settled(lease, ended(), clock.time, { linksAgain }));
      await backend.commit({ settled: parts, hosts: [], robots: [], marks: [] });
      return leases;
    };
    const far = all.filter(({ host }) => host === "http://h0.test").at(-60)!;
    await visit(again("h1.test", [far, far, far, far]));
    const next = (await Promise.all([visit(), visit(), visit()])).flat();
    assert.ok(
      next.some(({ url: { href } }) => href === far.href),
      "cash brings forward what is spilled",
    );
    for (let empty = 0; empty < 2; ) empty = (await visit()).length === 0 ? empty + 1 : 0;
    assert.deepEqual([...visited].sort(), all.map(({ href }) => href as string).sort());
    assert.ok((await rowsIn(name, 2)) <= 640, `${await rowsIn(name, 2)} rows are in Redis`);
    const records = await Array.fromAsync(backend.urls());
    assert.equal(records.length, all.length);
    assert.ok(records.every(({ state, visit }) => state === "ended" && visit?.end === "fetched"));
    const first = records[0]!;
    assert.equal(await backend.revisit([{ id: first.id, priority: 0 }]), 1);
    assert.equal((await backend.lease(9))[0]?.previous?.href, first.href);
  });

  it("are not taken out of Redis while a URL among them is leased, nor when they are not what was written", async () => {
    const name = `spill-${++crawls}`;
    const clock = new TestClock();
    await using backend = await openCluster(bench.connection, { clock, name, blobs: bench.blobs(name), shards: 1 });
    await backend.add(Array.from({ length: 64 }, (_, n) => url("a.test", String(n))));
    const key = `trawl:{${name}:0}`;
    const rows = async () =>
      Buffer.concat((await bench.connection.bytes(key, ["LRANGE", `${key}:u:0`, "0", "-1"])) as Buffer[]);
    const goes = async (written: Buffer, begun = Date.now()) => {
      const where = `0/${begun.toString(36)}-x:0:9`;
      const words = ["0", createHash("sha1").update(written).digest("hex"), where];
      const head = [String(clock.time), "", String(Math.random()), "0", "1", "1", ""];
      const [[told]] = (await bench.connection.run("spill", key, [...head, ...words])) as [[number]];
      return told === 1;
    };
    const before = await rows();
    const leases = await backend.lease(1);
    assert.equal(await goes(before), false, "it has changed since");
    assert.equal(await goes(await rows()), false, "a URL is leased");
    await backend.commit({
      settled: [settled(leases[0]!, ended(), clock.time)],
      hosts: [],
      robots: [],
      marks: [],
    });
    // Who has slept since he wrote it comes too late: it may be gone.
    assert.equal(await goes(await rows(), Date.now() - 660_000), false);
    assert.equal(await goes(await rows()), true);
  });
});

/** Rows of URLs that Redis holds. */
async function rowsIn(name: string, shards: number): Promise<number> {
  let rows = 0;
  for (let shard = 0; shard < shards; shard++) {
    for (let chunk = 0; chunk < 64; chunk++) {
      const key = `trawl:{${name}:${shard}}:u:${chunk}`;
      rows += Number(await bench.connection.command(key, ["LLEN", key]));
    }
  }
  return rows;
}
