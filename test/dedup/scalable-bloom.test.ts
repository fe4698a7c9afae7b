/** A growing Bloom filter never forgets, and keeps its bound however much it has grown. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ScalableBloom } from "../../src/dedup/scalable-bloom.ts";
import { bytesOf, eachOf, fingerprints, shareSeen } from "./fingerprints.ts";

describe("scalable Bloom filter", () => {
  it("never forgets", () => {
    fc.assert(
      fc.property(fingerprints, (all) => {
        const set = new ScalableBloom(8, 0.05);
        for (const [hi, lo] of all) {
          set.add(hi, lo);
          assert.ok(set.has(hi, lo));
        }
        for (const [hi, lo] of all) assert.ok(set.has(hi, lo));
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it("refuses what it has, or seems to have, and counts the others", () => {
    const set = new ScalableBloom(100, 0.01);
    let added = 0;
    eachOf(2000, 1, (hi, lo) => {
      const had = set.has(hi, lo);
      const fresh = set.add(hi, lo);
      assert.equal(fresh, !had);
      if (fresh) added++;
      assert.equal(set.add(hi, lo), false);
    });
    assert.equal(set.size, added);
  });

  it("keeps its bound at a hundred times its first size", () => {
    const rate = 0.01;
    const set = new ScalableBloom(10_000, rate);
    let refused = 0;
    eachOf(1e6, 2, (hi, lo) => {
      if (!set.add(hi, lo)) refused++;
    });
    assert.equal(set.layers, 7);
    const measured = shareSeen(set, 1e6, 3);
    assert.ok(measured <= rate, `${measured}`);
    assert.ok(set.falsePositiveRate <= rate);
    assert.ok(Math.abs(measured / set.falsePositiveRate - 1) < 0.1, `${measured}, said ${set.falsePositiveRate}`);
    assert.ok(Math.abs(set.expectedLost / refused - 1) < 0.1, `${set.expectedLost}, really ${refused}`);
    assert.ok(set.bytes < 1e6 * 4, `${set.bytes / 1e6} bytes each`);
  });

  it("unites with one of another size to what holds all of both, and goes on growing", () => {
    const a = new ScalableBloom(100, 0.01);
    const b = new ScalableBloom(1000, 0.001);
    eachOf(3000, 4, (hi, lo) => a.add(hi, lo));
    eachOf(5000, 5, (hi, lo) => b.add(hi, lo));
    const before = a.size + b.size;
    a.union(b);
    assert.equal(a.size, before);
    eachOf(5000, 6, (hi, lo) => a.add(hi, lo));
    for (const [count, seed] of [
      [3000, 4],
      [5000, 5],
      [5000, 6],
    ] as const)
      eachOf(count, seed, (hi, lo) => assert.ok(a.has(hi, lo)));
    assert.ok(shareSeen(a, 100_000, 7) <= 0.011);
    assert.ok(shareSeen(b, 5000, 6) < 0.01); // what was taken in is not shared
  });

  it("comes back from its snapshot and goes on as before", () => {
    const set = new ScalableBloom(100, 0.01);
    eachOf(2000, 8, (hi, lo) => set.add(hi, lo));
    const copy = ScalableBloom.restore([bytesOf(set)]);
    assert.ok(copy);
    for (const one of [set, copy]) eachOf(5000, 9, (hi, lo) => one.add(hi, lo));
    assert.deepEqual(bytesOf(copy), bytesOf(set));
  });

  it("does not come back from a snapshot that was changed, or is of something else", () => {
    const set = new ScalableBloom(100, 0.01);
    const bytes = bytesOf(set);
    for (let at = 0; at < bytes.length; at += 3) {
      const changed = bytes.slice();
      changed[at]! ^= 0x10;
      assert.equal(ScalableBloom.restore([changed]), null);
    }
  });
});
