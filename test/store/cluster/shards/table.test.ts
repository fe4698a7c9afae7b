/** The table of what was seen exactly: it grows bucket by bucket, forgets nothing on the way, and keeps no byte that a bucket's number tells. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { openCluster } from "../../../../src/store/cluster/backend.ts";
import { TestClock, url } from "../../../conformance/frontier-world.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

/** In 300 buckets: of 256 and more the number tells the first byte. */
const URLS = 3_600;
const AT_ONCE = 300;

it("a table of more than 256 buckets keeps a byte less of each fingerprint, and knows all under their ids", async () => {
  const name = "table";
  const clock = new TestClock();
  const parts = { name, shards: 1, clock, blobs: bench.blobs(name) };
  await using backend = await openCluster(bench.connection, parts);
  const all = Array.from({ length: URLS }, (_, n) =>
    url(`h${n % 7}`, String(n), n % 9 === 0 ? { drop: { reason: "depth" } } : {}),
  );
  const key = `trawl:{${name}:0}`;
  /** How many bytes each URL takes in a bucket, whose number is that of `divided` buckets, and of how many URLs. */
  const bytesEach = async (bucket: number, divided: number, known: number) => {
    const there = all.slice(0, known).filter(({ fpLo }) => fpLo % divided === bucket).length;
    const number = Buffer.alloc(4);
    number.writeUInt32LE(bucket);
    const words = ["HSTRLEN", `${key}:seen`, number] as unknown as string[];
    return Number(await bench.connection.command(key, words)) / there;
  };
  for (let at = 0; at < URLS; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    await backend.add(some);
    if (at + AT_ONCE === URLS / 2) {
      // Of 128 buckets the first have been divided by then, into what 256 will be.
      assert.equal(await bytesEach(0, 256, URLS / 2), 12);
      assert.equal(await bytesEach(100, 128, URLS / 2), 13);
    }
    const before = all.slice(0, at + AT_ONCE).filter((_, nth) => nth % 61 === 0);
    assert.equal(await backend.add(before.map((one) => ({ ...one, drop: { reason: "depth" } }))), 0);
  }
  for (const [bucket, divided] of [
    [0, 512],
    [100, 256],
    [290, 512],
  ] as const)
    assert.equal(await bytesEach(bucket, divided, URLS), 12);
  const ids = await backend.idsOf(all);
  assert.deepEqual(
    ids,
    Array.from({ length: URLS }, (_, nth) => nth + 1),
  );
  const wanted = all.map(({ drop: _, ...one }) => one);
  let admitted = 0;
  for (let at = 0; at < URLS; at += AT_ONCE) admitted += await backend.add(wanted.slice(at, at + AT_ONCE));
  assert.equal(admitted, Math.ceil(URLS / 9), "what was dropped comes in, and nothing else");
});
