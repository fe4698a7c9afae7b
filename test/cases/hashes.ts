/** Outside rows for hashes and filters: MurmurHash3 x86 128 by the reference, Bloom sizes by the formulas, SimHash by another library. */
import { hashBytes } from "../../src/base/hash.ts";
import { BitCounts } from "../../src/dedup/bit-counts.ts";
import { NearDuplicates } from "../../src/dedup/near-duplicates.ts";
import { falsePositiveRate, filterSize } from "../../src/dedup/probes.ts";
import { distance, majority, parseSimhash, printSimhash } from "../../src/dedup/simhash.ts";
import { json, jsonLines, judgeRows, same } from "./rows.ts";

interface HashRow {
  readonly id: string;
  readonly input_hex: string;
  readonly seed: number;
  readonly murmur3_x86_128: string;
}

interface BloomRows {
  readonly sizing: readonly { n: number; p: number; m_bits: number; k: number; fp_at_n: number }[];
  readonly table: readonly { bits_per_key: number; k: number; fp: number }[];
}

interface SimhashRow {
  readonly id: string;
  readonly op: string;
  readonly a?: string;
  readonly b?: string;
  readonly hashes?: readonly string[];
  readonly expected?: unknown;
  readonly expected_pairs?: readonly (readonly [string, string])[];
}

/** "shingle" rows ask for a function that ours has no need of. */
const SIMHASH_OPS = new Set(["hamming", "compute", "find_all"]);

function checkSimhash({ id, op, a, b, hashes = [], expected, expected_pairs }: SimhashRow): string | null {
  if (op === "hamming") return same(id, distance(parseSimhash(a!), parseSimhash(b!)), expected);
  if (op === "compute") {
    const counts = new BitCounts();
    for (const hash of hashes) counts.add(...parseSimhash(hash));
    const sums = new Float64Array(64);
    counts.addTo(sums, 1);
    return same(id, printSimhash(majority(sums, counts.total)), expected);
  }
  const index = new NearDuplicates();
  const pairs: string[][] = [];
  hashes.forEach((hash, nth) => {
    for (const near of index.find(...parseSimhash(hash))) pairs.push([hashes[near.id]!, hash].sort());
    index.add(...parseSimhash(hash), nth);
  });
  return same(id, pairs.sort(), expected_pairs!.map((pair) => [...pair].sort()).sort());
}

export const sets = [
  {
    name: "hashes: Bloom",
    async run(casesDir: string) {
      const { sizing, table } = await json<BloomRows>(casesDir, "hashes/bloom-reference.json");
      return judgeRows([...sizing, ...table], true, (row) => {
        const given = "fp" in row;
        const size = given ? { places: row.bits_per_key * 1e6, hashes: row.k } : filterSize(row.n, row.p);
        const rate = falsePositiveRate(size, given ? 1e6 : row.n);
        const expected = given ? row.fp : row.fp_at_n; // rounded to eight digits
        if (Math.abs(rate - expected) > 1e-8) return `${JSON.stringify(row)}: got ${rate}`;
        return given ? null : same(JSON.stringify(row), [size.places, size.hashes], [row.m_bits, row.k]);
      });
    },
  },
  {
    name: "hashes: SimHash",
    async run(casesDir: string) {
      const { rows } = await json<{ rows: readonly SimhashRow[] }>(casesDir, "hashes/simhash.json");
      return judgeRows(
        rows.filter(({ op }) => SIMHASH_OPS.has(op)),
        true,
        checkSimhash,
      );
    },
  },
  {
    name: "hashes",
    async run(casesDir: string) {
      const rows = await jsonLines<HashRow>(casesDir, "hashes/murmur3-xxhash-kat.jsonl");
      return judgeRows(rows, true, ({ id, input_hex, seed, murmur3_x86_128 }) => {
        const hash = hashBytes(new Uint8Array(Buffer.from(input_hex, "hex")), undefined, seed);
        return same(id, hash.map((word) => word.toString(16).padStart(8, "0")).join(""), murmur3_x86_128);
      });
    },
  },
];
