/** Bodies that one crawler has found are known to the others. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { clusterBodies } from "../../../../src/store/cluster/crew/bodies.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

it("a body is the page's that was told first, in each crawl for itself", async () => {
  const [one, other] = ["one", "two"].map((name) => clusterBodies(bench.connection, name)) as [Bodies, Bodies];
  assert.equal(await one.first("sha1:A"), null);
  await one.keep([
    { urlId: 1_024, digest: "sha1:A", simhash: null },
    { urlId: 2 ** 40, digest: "sha1:B", simhash: null },
  ]);
  await clusterBodies(bench.connection, "one").keep([{ urlId: 7, digest: "sha1:A", simhash: null }]);
  assert.deepEqual([await one.first("sha1:A"), await one.first("sha1:B")], [1_024, 2 ** 40]);
  assert.equal(await other.first("sha1:A"), null);
});

it("bodies of a billion pages stay compact by the settings of deploy/redis.conf", async () => {
  const { connection } = bench;
  await clusterBodies(connection, "large").keep([{ urlId: 1, digest: "sha1:A", simhash: null }]);
  const keys = await Promise.all(bench.redis.nodes.slice(0, 3).map((node) => bench.redis.ask(node, "--scan")));
  const key = keys.flatMap((text) => text.split("\n")).find((one) => one.startsWith("trawl:{large:body:"))!;
  // 238 in the mean in each of 4 million, and four times their standard deviation.
  const most = 238 + 4 * 15;
  const numbers = Array.from({ length: most - 1 }, (_, n) => [String(2n ** 62n + BigInt(n)), String(3e9 + n)]);
  await connection.command(key, ["HSET", key, ...numbers.flat()]);
  assert.equal(await connection.command(key, ["OBJECT", "ENCODING", key]), "listpack");
  assert.ok(Number(await connection.command(key, ["MEMORY", "USAGE", key])) < 21 * most);
});

type Bodies = ReturnType<typeof clusterBodies>;
