/** The fingerprint table is an exact map from 64-bit fingerprints to ids, whatever comes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FingerprintTable } from "../../src/dedup/fingerprint-table.ts";

/** Words that collide: few high parts, low parts close together and at both ends. */
const word = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff),
);
const pair = fc.tuple(word, word);

/** Fingerprints without end, the same in every run. */
function* fingerprints(seed: number): Generator<[number, number]> {
  let state = seed;
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let t = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    t = Math.imul(t ^ (t >>> 15), 0x735a2d97);
    return (t ^ (t >>> 15)) >>> 0;
  };
  for (;;) yield [next(), next()];
}

function filled(count: number, seed = 1, table = new FingerprintTable()): FingerprintTable {
  let id = 0;
  for (const [hi, lo] of fingerprints(seed)) {
    if (id === count) break;
    assert.ok(table.insert(hi, lo, ++id));
  }
  return table;
}

const bytesOf = (table: FingerprintTable): Uint8Array => new Uint8Array(Buffer.concat([...table.snapshot()]));

describe("fingerprint table", () => {
  it("answers like a map, whatever is inserted", () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 3000, size: "max" }), fc.nat(3000), (pairs, expected) => {
        const table = new FingerprintTable(expected);
        const model = new Map<string, number>();
        pairs.forEach(([hi, lo], i) => {
          const key = `${hi}:${lo}`;
          assert.equal(table.find(hi, lo), model.get(key) ?? 0);
          assert.equal(table.insert(hi, lo, i + 1), !model.has(key));
          if (!model.has(key)) model.set(key, i + 1);
        });
        assert.equal(table.size, model.size);
        for (const [hi, lo] of pairs) assert.equal(table.find(hi, lo), model.get(`${hi}:${lo}`));
        for (const [hi, lo] of pairs) assert.equal(table.find(lo, hi), model.get(`${lo}:${hi}`) ?? 0);
      }),
      { seed: 3, numRuns: 60 },
    );
  });

  it("finds every one of many, and none of as many others", () => {
    const count = 200_000;
    const table = filled(count);
    let id = 0;
    for (const [hi, lo] of fingerprints(1)) {
      assert.equal(table.find(hi, lo), ++id);
      if (id === count) break;
    }
    let others = 0;
    for (const [hi, lo] of fingerprints(99)) {
      assert.equal(table.find(hi, lo), 0);
      if (++others === count) break;
    }
  });

  it("keeps ids up to 2^32 - 1", () => {
    const table = new FingerprintTable();
    table.insert(0xffffffff, 0xffffffff, 0xffffffff);
    table.insert(0, 0, 0x80000000);
    assert.equal(table.find(0xffffffff, 0xffffffff), 0xffffffff);
    assert.equal(table.find(0, 0), 0x80000000);
  });

  it("stands thousands of equal low words in one segment", () => {
    const table = new FingerprintTable();
    for (let hi = 0; hi < 3000; hi++) assert.ok(table.insert(hi, 0xffffffff, hi + 1));
    for (let hi = 0; hi < 3000; hi++) assert.equal(table.find(hi, 0xffffffff), hi + 1);
    assert.equal(table.find(3000, 0xffffffff), 0);
  });

  it("takes at most 16 bytes an entry at every size, once the spare slots do not weigh", () => {
    const table = new FingerprintTable();
    let id = 0;
    for (const [hi, lo] of fingerprints(5)) {
      table.insert(hi, lo, ++id);
      if (id >= 300_000 && id % 1000 === 0) assert.ok(table.bytes / id <= 16, `${table.bytes / id} at ${id}`);
      if (id === 500_000) break;
    }
  });

  it("does not grow when it was told what comes", () => {
    const table = new FingerprintTable(100_000);
    const before = table.bytes;
    filled(95_000, 1, table);
    assert.ok(table.bytes < before * 1.1);
  });

  it("comes back from a snapshot as it was", () => {
    for (const count of [0, 1, 5000]) {
      const table = filled(count);
      const copy = FingerprintTable.restore(bytesOf(table));
      assert.ok(copy);
      assert.equal(copy.size, count);
      assert.deepEqual(bytesOf(copy), bytesOf(table));
      filled(100, 7, copy);
    }
  });

  it("may grow while a snapshot is taken: nothing of what was there at its beginning is missing", () => {
    const table = filled(3000);
    const pieces: Uint8Array[] = [];
    let more = 0;
    for (const piece of table.snapshot()) {
      pieces.push(piece);
      filled(20, 100 + more++, table);
    }
    const copy = FingerprintTable.restore(new Uint8Array(Buffer.concat(pieces)));
    assert.ok(copy && copy.size >= 3000 && copy.size <= table.size);
    let id = 0;
    for (const [hi, lo] of fingerprints(1)) {
      assert.equal(copy.find(hi, lo), ++id);
      if (id === 3000) break;
    }
  });

  it("does not come back from a snapshot that was cut or changed anywhere", () => {
    const bytes = bytesOf(filled(300));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = bytes.slice();
        changed[at]! ^= change;
        assert.equal(FingerprintTable.restore(changed), null);
        assert.equal(FingerprintTable.restore(bytes.slice(0, at)), null);
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});
