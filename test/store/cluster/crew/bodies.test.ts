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

type Bodies = ReturnType<typeof clusterBodies>;
