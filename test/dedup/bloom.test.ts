/** A Bloom filter never forgets, and is wrong as often as the formula says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Bloom } from "../../src/dedup/bloom.ts";
import { expectedLost, falsePositiveRate, filterSize, firstOf, stepOf } from "../../src/dedup/probes.ts";
import { bytesOf, eachOf, fingerprint, fingerprints, shareSeen } from "./fingerprints.ts";

describe("filter size", () => {
  it("is the textbook's for a billion at one in ten thousand: 2.4 GB and 13 hashes", () => {
    const { places, hashes } = filterSize(1e9, 1e-4);
    assert.equal(places, 19_170_116_755);
    assert.equal(hashes, 13);
    assert.equal((places / 8e9).toFixed(1), "2.4");
  });

  it("makes one in a hundred of ten bits each", () => {
    assert.ok(Math.abs(falsePositiveRate({ places: 1e10, hashes: 7 }, 1e9) - 0.00819) < 0.00001);
  });

  it("is refused where it makes no sense", () => {
    for (const [n, p] of [
      [0, 0.1],
      [Number.NaN, 0.1],
      [10, 0],
      [10, 1],
      [10, Number.NaN],
    ] as const)
      assert.throws(() => filterSize(n, p), RangeError);
    assert.throws(() => new Bloom({ places: 2 ** 36 + 1, hashes: 1 }), RangeError);
  });

  it("puts all places within the filter, at every size", () => {
    fc.assert(
      fc.property(fingerprint, fc.integer({ min: 1, max: 2 ** 36 }), ([hi, lo], places) => {
        const first = firstOf(hi, lo, places);
        const step = stepOf(hi, lo, places);
        assert.ok(Number.isInteger(first) && first >= 0 && first < places);
        assert.ok(Number.isInteger(step) && step >= 1 && step < Math.max(places, 2));
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it("integrates the loss of a growing filter as adding up one by one does", () => {
    const size = filterSize(1000, 0.01);
    let lost = 0;
    for (let offered = 0; offered < 3000; offered++) lost += falsePositiveRate(size, offered + 0.5);
    assert.ok(lost > 300);
    assert.ok(Math.abs(expectedLost(size, 3000 - lost) - lost) < lost / 1e4);
  });
});

describe("Bloom filter", () => {
  it("never forgets", () => {
    fc.assert(
      fc.property(fingerprints, fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 20 }), (all, m, k) => {
        const bloom = new Bloom({ places: m, hashes: k });
        let added = 0;
        for (const [hi, lo] of all) {
          const had = bloom.has(hi, lo);
          assert.equal(bloom.add(hi, lo), !had);
          if (!had) added++;
          assert.ok(bloom.has(hi, lo));
        }
        assert.equal(bloom.size, added);
        for (const [hi, lo] of all) assert.ok(bloom.has(hi, lo));
      }),
      { seed: 2, numRuns: 200 },
    );
  });

  for (const [capacity, rate] of [
    [1e7, 0.01],
    [3e5, 0.001],
    [1000, 0.01],
  ] as const)
    it(`is wrong as often as it says, within a tenth: ${rate} with ${capacity} in it`, () => {
      const bloom = Bloom.for(capacity, rate);
      let refused = 0;
      eachOf(capacity, 1, (hi, lo) => {
        if (!bloom.add(hi, lo)) refused++;
      });
      const said = falsePositiveRate(bloom.sizing, capacity);
      const measured = shareSeen(bloom, 1e6, 2);
      assert.ok(Math.abs(measured / said - 1) < 0.1, `${measured} instead of ${said}`);
      assert.ok(Math.abs(bloom.falsePositiveRate / said - 1) < 0.05);
      const lost = bloom.expectedLost;
      assert.ok(Math.abs(lost - refused) < 0.1 * lost + 3 * Math.sqrt(lost), `${lost}, really ${refused}`);
    });

  it("uses places beyond 2^33 of a filter of 2.4 GB", () => {
    const bloom = Bloom.for(1e9, 1e-4);
    assert.ok(bloom.bytes > 2 ** 31);
    const { places } = bloom.sizing;
    let beyond = 0;
    eachOf(2000, 3, (hi, lo) => {
      const first = firstOf(hi, lo, places);
      if (first > 2 ** 33) beyond++;
      assert.ok(bloom.add(hi, lo));
      assert.equal((bloom.words[Math.floor(first / 32)]! >>> (first % 32)) & 1, 1);
    });
    assert.ok(beyond > 900); // more than half of the places are there
    eachOf(2000, 3, (hi, lo) => assert.ok(bloom.has(hi, lo)));
    assert.equal(shareSeen(bloom, 20_000, 4), 0);
    assert.equal(bloom.falsePositiveRate, ((2000 * 13) / places) ** 13); // no two of them met
  });

  it("unites with one of its size to what holds all of both", () => {
    fc.assert(
      fc.property(fingerprints, fingerprints, (ours, theirs) => {
        const [a, b, both] = [Bloom.for(500, 0.01), Bloom.for(500, 0.01), Bloom.for(500, 0.01)];
        for (const [hi, lo] of ours) a.add(hi, lo);
        for (const [hi, lo] of theirs) b.add(hi, lo);
        for (const [hi, lo] of [...ours, ...theirs]) both.add(hi, lo);
        a.union(b);
        assert.deepEqual(a.words, both.words);
        assert.equal(a.falsePositiveRate, both.falsePositiveRate);
      }),
      { seed: 4, numRuns: 50 },
    );
    assert.throws(() => Bloom.for(500, 0.01).union(Bloom.for(501, 0.01)), RangeError);
  });

  it("estimates how many a union holds", () => {
    const [a, b] = [Bloom.for(20_000, 0.01), Bloom.for(20_000, 0.01)];
    eachOf(10_000, 5, (hi, lo) => a.add(hi, lo));
    eachOf(5000, 5, (hi, lo) => b.add(hi, lo));
    eachOf(5000, 6, (hi, lo) => b.add(hi, lo));
    a.union(b);
    assert.ok(Math.abs(a.size - 15_000) < 150, String(a.size));
  });

  it("comes back from its snapshot, cut into whatever pieces", () => {
    const bloom = Bloom.for(5000, 0.001);
    eachOf(4000, 7, (hi, lo) => bloom.add(hi, lo));
    const bytes = bytesOf(bloom);
    for (const length of [1, 7, 4096, bytes.length]) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.subarray(at, at + length));
      const copy = Bloom.restore(pieces);
      assert.ok(copy);
      assert.deepEqual(bytesOf(copy), bytes);
      assert.equal(copy.size, bloom.size);
      assert.equal(copy.falsePositiveRate, bloom.falsePositiveRate);
    }
  });

  it("does not come back from a snapshot that was cut, changed or lengthened", () => {
    const bloom = Bloom.for(100, 0.01);
    eachOf(100, 8, (hi, lo) => bloom.add(hi, lo));
    const bytes = bytesOf(bloom);
    assert.ok(Bloom.restore([bytes]));
    assert.equal(Bloom.restore([bytes, new Uint8Array(1)]), null);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = bytes.slice();
        changed[at]! ^= change;
        assert.equal(Bloom.restore([changed]), null);
        assert.equal(Bloom.restore([bytes.subarray(0, at)]), null);
      }),
      { seed: 9, numRuns: 300 },
    );
  });
});
