/** How the cluster's back end gives cash, beyond what every back end promises of it. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { firstCash } from "../../../src/policy/priority.ts";
import { again, ended, url, World } from "../../conformance/frontier-world.ts";
import { type ClusterBench, clusterBench, clusterStore } from "./store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

it("of many links that stand for more than themselves four stand for all, others for each page", async () => {
  const world = await World.open(
    clusterStore(() => bench),
    { firstCash },
  );
  const menu = Array.from({ length: 12 }, (_, n) => url("menu.test", `${n}`, { source: "link" }));
  await world.backend.add(menu);
  const given = new Set<number>();
  for (let page = 0; page < 20; page++) {
    const before = await Promise.all(menu.map((one) => importanceOf(one)));
    await world.backend.add([url(`page-${page}.test`, "")]);
    const leases = await world.backend.lease(9);
    const lease = leases.find(({ url: { source } }) => source === "seed")!;
    await world.settle(lease, ended(), { linksAgain: again(`page-${page}.test`, menu, 120) });
    await world.backend.release(leases.filter((one) => one !== lease).map((one) => ({ lease: one, hostReadyAt: 0 })));
    const after = await Promise.all(menu.map((one) => importanceOf(one)));
    const richer = menu.flatMap((_, nth) => (after[nth]! > before[nth]! ? [nth] : []));
    // Between two levels chance decides, so that of four that are given a quarter some may not be seen to have more.
    assert.ok(richer.length <= 4, `${richer} have more`);
    if (page === 0)
      assert.deepEqual([richer.length, richer.map((nth) => after[nth]! >= 0.25)], [4, [true, true, true, true]]);
    for (const nth of richer) given.add(nth);
  }
  assert.equal(given.size, menu.length, "each has its turn");
  await world.close();

  async function importanceOf(one: (typeof menu)[number]): Promise<number> {
    return world.backend.importance((await world.backend.find(one))!.id);
  }
});
