/** Outside rows for MurmurHash3 x86 128: outputs of the reference implementation. */
import { hashBytes } from "../../src/base/hash.ts";
import { jsonLines, judgeRows, same } from "./rows.ts";

interface HashRow {
  readonly id: string;
  readonly input_hex: string;
  readonly seed: number;
  readonly murmur3_x86_128: string;
}

export const sets = [
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
