/** How large Bloom filters in blocks are, how they grow, and what they lose; what they really lose is held against it in test/store/cluster/filter.test.ts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { layersOf, refusedBy } from "../../src/dedup/blocked-bloom.ts";
import { filterSize } from "../../src/dedup/probes.ts";

const FIRST = 10_000;

describe("a Bloom filter in blocks", () => {
  it("takes a little more room than one without, and less than twice as much for the rarest errors", () => {
    for (const [error, most] of [
      [0.01, 1.05],
      [1e-4, 1.15],
      [1e-6, 1.35],
      [1e-9, 1.9],
    ] as const) {
      const blocks = layersOf(FIRST, error, 1)[0]!.blocks;
      const more = (blocks * 512) / filterSize(FIRST, error).places;
      assert.ok(more > 1 && more < most, `${more} at ${error}`);
    }
  });

  it("grows by a quarter of what it was made for, and then twice as much each time", () => {
    const layers = layersOf(FIRST, 1e-3, 100_000);
    assert.deepEqual(
      layers.map(({ capacity }) => capacity),
      [10_000, 2_500, 5_000, 10_000, 20_000, 40_000, 80_000],
    );
  });

  it("loses less than was asked for when it is full, and at most twice as much of what comes later", () => {
    for (const error of [0.05, 1e-3]) {
      const layers = layersOf(FIRST, error, 100 * FIRST);
      const full = refusedBy(layers, FIRST);
      assert.ok(full > 0 && full < FIRST * error);
      let before = full;
      for (let count = 2 * FIRST; count < 100 * FIRST; count += FIRST) {
        const lost = refusedBy(layers, count);
        const more = lost - before;
        assert.ok(more > 0 && more < FIRST * 2.2 * error, `${more} of ${FIRST} at ${error}`);
        before = lost;
      }
    }
  });

  it("loses nothing while it is empty, and most of what comes long after its last layer is full", () => {
    const layers = layersOf(FIRST, 0.05, 1);
    assert.equal(refusedBy(layers, 0), 0);
    assert.ok(refusedBy(layers, 5 * FIRST) > 5 * FIRST);
  });
});
