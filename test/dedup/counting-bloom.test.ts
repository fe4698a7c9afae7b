/** A counting Bloom filter never forgets but what it is told to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CountingBloom } from "../../src/dedup/counting-bloom.ts";
import { falsePositiveRate, filterSize } from "../../src/dedup/probes.ts";
import { bytesOf, eachOf, fingerprint, shareSeen } from "./fingerprints.ts";

describe("counting Bloom filter", () => {
  it("holds what was added and not deleted, whatever the order", () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fingerprint), { maxLength: 400, size: "max" });
    fc.assert(
      fc.property(steps, (all) => {
        const set = CountingBloom.for(300, 0.01);
        const held = new Map<string, readonly [number, number]>();
        for (const [adds, one] of all) {
          const key = one.join();
          if (adds) {
            if (set.add(...one)) held.set(key, one);
          } else if (held.delete(key)) assert.ok(set.delete(...one));
          for (const each of held.values()) assert.ok(set.has(...each));
        }
        assert.equal(set.size, held.size);
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it("is empty again when all is deleted", () => {
    const set = CountingBloom.for(10_000, 0.01);
    const added: [number, number][] = [];
    eachOf(10_000, 1, (hi, lo) => {
      if (set.add(hi, lo)) added.push([hi, lo]);
    });
    for (const one of added) assert.ok(set.delete(...one));
    assert.equal(set.size, 0);
    assert.equal(set.falsePositiveRate, 0);
    for (const one of added) assert.equal(set.has(...one), false);
    assert.equal(set.delete(...added[0]!), false);
  });

  it("is wrong as often as a plain filter of as many places", () => {
    const set = CountingBloom.for(200_000, 0.01);
    eachOf(200_000, 2, (hi, lo) => set.add(hi, lo));
    const said = falsePositiveRate(filterSize(200_000, 0.01), 200_000);
    assert.ok(Math.abs(shareSeen(set, 500_000, 3) / said - 1) < 0.1);
    assert.ok(Math.abs(set.falsePositiveRate / said - 1) < 0.05);
  });

  it("keeps a counter that is full for good, so that nothing else is forgotten", () => {
    const set = new CountingBloom({ places: 4, hashes: 1 });
    // Filters of one's own united sixteen times: more than a counter of four bits can count.
    const one = new CountingBloom({ places: 4, hashes: 1 });
    assert.ok(one.add(0, 0));
    for (let i = 0; i < 20; i++) set.union(one);
    for (let i = 0; i < 19; i++) assert.ok(set.delete(0, 0));
    assert.ok(set.has(0, 0));
  });

  it("unites with one of its size", () => {
    const [a, b] = [CountingBloom.for(2000, 0.01), CountingBloom.for(2000, 0.01)];
    eachOf(1000, 4, (hi, lo) => a.add(hi, lo));
    const theirs: [number, number][] = [];
    eachOf(1000, 5, (hi, lo) => {
      if (b.add(hi, lo)) theirs.push([hi, lo]);
    });
    a.union(b);
    for (const one of theirs) assert.ok(a.delete(...one));
    eachOf(1000, 4, (hi, lo) => assert.ok(a.has(hi, lo)));
    assert.throws(() => a.union(CountingBloom.for(2001, 0.01)), RangeError);
  });

  it("comes back from its snapshot", () => {
    const set = CountingBloom.for(1000, 0.01);
    eachOf(1000, 6, (hi, lo) => set.add(hi, lo));
    const copy = CountingBloom.restore(set.snapshot());
    assert.ok(copy);
    assert.deepEqual(bytesOf(copy), bytesOf(set));
    assert.equal(CountingBloom.restore([bytesOf(set).slice(0, -1)]), null);
  });
});
