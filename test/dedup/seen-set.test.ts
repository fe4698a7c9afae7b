/** All seen sets keep the one promise: what was added is found, also after a snapshot; and none takes the other's bytes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Bloom } from "../../src/dedup/bloom.ts";
import { CountingBloom } from "../../src/dedup/counting-bloom.ts";
import { ScalableBloom } from "../../src/dedup/scalable-bloom.ts";
import { ExactSet, type SeenSet } from "../../src/dedup/seen-set.ts";
import type { Pieces } from "../../src/dedup/snapshot.ts";
import { eachOf, shareSeen } from "./fingerprints.ts";

const kinds: Readonly<Record<string, [make: () => SeenSet, restore: (pieces: Pieces) => SeenSet | null]>> = {
  exact: [() => new ExactSet(), ExactSet.restore],
  bloom: [() => Bloom.for(20_000, 0.001), Bloom.restore],
  "scalable Bloom": [() => new ScalableBloom(1000, 0.001), ScalableBloom.restore],
  "counting Bloom": [() => CountingBloom.for(20_000, 0.001), CountingBloom.restore],
};

for (const [name, [make, restore]] of Object.entries(kinds))
  describe(`seen set: ${name}`, () => {
    it("finds what was added, says of hardly anything else that it was, and tells how much it loses", () => {
      const set = make();
      let refused = 0;
      eachOf(20_000, 1, (hi, lo) => {
        if (!set.add(hi, lo)) refused++;
        assert.equal(set.add(hi, lo), false);
      });
      eachOf(20_000, 1, (hi, lo) => assert.ok(set.has(hi, lo)));
      assert.equal(set.size, 20_000 - refused);
      assert.ok(shareSeen(set, 20_000, 2) <= 0.002);
      assert.ok(set.falsePositiveRate <= 0.0011);
      assert.ok(set.expectedLost <= 20 && refused <= 40);
    });

    it("comes back from its snapshot, and from no other's", () => {
      const set = make();
      eachOf(3000, 3, (hi, lo) => set.add(hi, lo));
      const copy = restore([...set.snapshot()]);
      assert.ok(copy);
      assert.equal(copy.size, set.size);
      assert.equal(copy.expectedLost, set.expectedLost);
      eachOf(3000, 3, (hi, lo) => assert.ok(copy.has(hi, lo)));
      for (const [other, [, restoreOther]] of Object.entries(kinds))
        if (other !== name) assert.equal(restoreOther([...set.snapshot()]), null);
      assert.equal(restore([]), null);
    });
  });
