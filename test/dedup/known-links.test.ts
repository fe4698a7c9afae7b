/** The table of links that are known elsewhere forgets, and never lies. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { KnownLinks } from "../../src/dedup/known-links.ts";

describe("known links", () => {
  it("are told with the level that was put last, or not at all, and not once they are removed", () => {
    const op = fc.record({
      does: fc.constantFrom("put", "put", "ask", "remove"),
      hi: fc.nat(2),
      lo: fc.nat(40),
      level: fc.nat(254),
    });
    fc.assert(
      fc.property(fc.array(op, { maxLength: 200 }), (ops) => {
        const table = new KnownLinks(16);
        const truth = new Map<string, number>();
        for (const { does, hi, lo, level } of ops) {
          const name = `${hi} ${lo}`;
          if (does === "put") {
            table.put(hi, lo, level);
            truth.set(name, level);
            assert.equal(table.level(hi, lo), level, "what was put last is there");
          } else if (does === "remove") {
            table.remove(hi, lo);
            truth.delete(name);
          }
          const told = table.level(hi, lo);
          if (told !== -1) assert.equal(told, truth.get(name));
        }
      }),
      { seed: 5 },
    );
  });

  it("keep of two in one place the one that was put last", () => {
    const table = new KnownLinks(2);
    for (const hi of [1, 2, 3]) table.put(hi, 0, hi);
    assert.deepEqual(
      [1, 2, 3].map((hi) => table.level(hi, 0)),
      [-1, 2, 3],
    );
    assert.deepEqual([table.asked, table.met], [3, 2]);
  });
});
