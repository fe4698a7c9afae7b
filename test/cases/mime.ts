/** Outside rows for media types: parsing and sniffing. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { encodingOfLabel } from "../../src/media/charset.ts";
import { parseMediaType, printMediaType } from "../../src/model/media-type.ts";
import { sniff } from "../../src/policy/media-type.ts";

interface ParseRow {
  readonly id: string;
  readonly input: string;
  readonly output: string | null;
  readonly encoding: string | null;
}

interface SniffRow {
  readonly id: string;
  readonly content_type: string | null;
  readonly nosniff: boolean;
  readonly payload_hex: string;
  readonly expected: string;
}

async function rows<T>(path: string): Promise<T[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

export const sets = [
  {
    name: "mime-parse",
    async run(casesDir: string) {
      const failed: string[] = [];
      const all = await rows<ParseRow>(join(casesDir, "mime/mime-parse.jsonl"));
      for (const row of all) {
        const type = parseMediaType(row.input);
        const printed = type === null ? null : printMediaType(type);
        const label = type?.parameters.get("charset");
        const encoding = label === undefined ? null : encodingOfLabel(label);
        const same = printed === row.output && (encoding ?? null) === (row.encoding?.toLowerCase() ?? null);
        if (!same) failed.push(`${row.id}: ${JSON.stringify(row.input)} gave ${printed} (${encoding})`);
      }
      return { passed: all.length - failed.length, failed, binding: true };
    },
  },
  {
    name: "mime-sniff",
    async run(casesDir: string) {
      const failed: string[] = [];
      const all = await rows<SniffRow>(join(casesDir, "mime/mime-sniff.jsonl"));
      for (const row of all) {
        const found = sniff(row.content_type, Buffer.from(row.payload_hex, "hex"), row.nosniff);
        if (found !== row.expected) failed.push(`${row.id}: gave ${found}, not ${row.expected}`);
      }
      return { passed: all.length - failed.length, failed, binding: true };
    },
  },
];
