/** The index finds every stored hash within three bits, and no other. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { NearDuplicates } from "../../src/dedup/near-duplicates.ts";
import { distance, NEAR, type Simhash } from "../../src/dedup/simhash.ts";
import { eachOf, fingerprint } from "./fingerprints.ts";

const flipped = ([hi, lo]: Simhash, bits: readonly number[]): Simhash =>
  bits.reduce<Simhash>(
    ([h, l], bit) => (bit < 32 ? [h, (l ^ (1 << bit)) >>> 0] : [(h ^ (1 << (bit - 32))) >>> 0, l]),
    [hi, lo],
  );

/** Hashes that crowd: a few, and others a few bits from them. */
const crowd = fc
  .tuple(
    fc.array(fingerprint, { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(63), { maxLength: 6 })), { maxLength: 150, size: "max" }),
  )
  .map(([centres, near]) => near.map(([which, bits]) => flipped(centres[which % centres.length]!, bits)));

describe("near-duplicates", () => {
  it("are found as a comparison with each would find them", () => {
    fc.assert(
      fc.property(crowd, crowd, (stored, others) => {
        const index = new NearDuplicates();
        stored.forEach(([hi, lo], id) => {
          index.add(hi, lo, id);
        });
        for (const one of [...stored, ...others]) {
          const expected = stored.flatMap((there, id) => {
            const d = distance(there, one);
            return d <= NEAR ? [{ id, distance: d }] : [];
          });
          const found = index.find(...one).sort((a, b) => a.id - b.id);
          assert.deepEqual(found, expected);
          const nearest = index.nearest(...one);
          assert.equal(nearest?.distance, expected.map((near) => near.distance).sort()[0]);
          if (nearest !== null) assert.ok(expected.some((near) => near.id === nearest.id));
        }
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it("are found at every three bits of all 64", () => {
    const index = new NearDuplicates();
    const centre: Simhash = [0x9abcdef0, 0x12345678];
    index.add(...centre, 7);
    for (let a = 0; a < 64; a++)
      for (let b = a + 1; b < 64; b++)
        for (let c = b + 1; c < 64; c++)
          assert.deepEqual(index.nearest(...flipped(centre, [a, b, c])), { id: 7, distance: 3 });
    for (let a = 0; a < 61; a++) assert.equal(index.nearest(...flipped(centre, [a, a + 1, a + 2, a + 3])), null);
  });

  it("take 29 bytes each, and few steps among many", () => {
    const index = new NearDuplicates();
    let id = 0;
    eachOf(200_000, 1, (hi, lo) => index.add(hi, lo, ++id));
    assert.equal(index.size, 200_000);
    assert.ok(index.bytes / 200_000 < 35);
    let found = 0;
    id = 0;
    eachOf(200_000, 1, (hi, lo) => {
      id++;
      if (id % 100 !== 0) return;
      // Four chains of three each on average: a hundred steps would miss none.
      if (index.nearest(...flipped([hi, lo], [3, 20, 60]), 100)?.id === id) found++;
    });
    assert.equal(found, 2000);
  });

  it("cost no more than the effort allowed where hashes crowd", () => {
    const index = new NearDuplicates();
    for (let i = 0; i < 50_000; i++) index.add(0xabcd0000, i << 8, i);
    assert.equal(
      index.find(0xabcd0000, 7 << 8).some(({ id }) => id === 7),
      true,
    );
    assert.equal(index.nearest(0xabcd0000, (49_999 << 8) ^ 1, 400)?.id, 49_999); // the newest first
    assert.equal(index.nearest(0xabcd0000 ^ 0xff, 0x00ff_ff00, 400), null);
  });

  it("keep ids of 32 bits", () => {
    const index = new NearDuplicates();
    index.add(1, 2, 0xffffffff);
    assert.deepEqual(index.find(1, 2), [{ id: 0xffffffff, distance: 0 }]);
  });
});
