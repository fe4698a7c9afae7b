import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RowCalls } from "../../../../src/store/cluster/shards/row-calls.ts";

function calls() {
  const made: string[] = [];
  const rows = new RowCalls<string>(async (shard, locals) => {
    made.push(`${shard}: ${locals.length > 9 ? locals.length : locals}`);
    return new Map(locals.flatMap((local) => (local > 0 ? [[local, `row ${local} of ${shard}`] as const] : [])));
  });
  return { made, rows };
}

describe("rows", () => {
  it("that are asked for together are one call a shard, each to who has asked", async () => {
    const { made, rows } = calls();
    const asked = [1, 2, 0, 1].map(async (local) => [await rows.row(3, local), await rows.row(4, local)]);
    assert.deepEqual(await Promise.all(asked), [
      ["row 1 of 3", "row 1 of 4"],
      ["row 2 of 3", "row 2 of 4"],
      [null, null],
      ["row 1 of 3", "row 1 of 4"],
    ]);
    assert.deepEqual(made, ["3: 1,2,0,1", "4: 1,2,0,1"]);
  });

  it("are asked for anew each time", async () => {
    const { made, rows } = calls();
    for (const local of [7, 7]) assert.equal(await rows.row(1, local), `row ${local} of 1`);
    assert.deepEqual(made, ["1: 7", "1: 7"]);
  });

  it("are no more than a script should take at once", async () => {
    const { made, rows } = calls();
    await Promise.all(Array.from({ length: 1_100 }, (_, nth) => rows.row(1, nth + 1)));
    assert.deepEqual(made, ["1: 500", "1: 500", "1: 100"]);
  });

  it("that cannot be had are refused to all who have asked, and not to who asks next", async () => {
    let fails = true;
    const rows = new RowCalls<string>(async () => {
      if (fails) throw new Error("away");
      return new Map([[1, "one"]]);
    });
    const both = await Promise.allSettled([rows.row(1, 1), rows.row(1, 2)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    fails = false;
    assert.equal(await rows.row(1, 1), "one");
  });
});
