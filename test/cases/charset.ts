/** Outside rows for encodings: which one, and what text. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { encodingOfLabel } from "../../src/media/charset.ts";
import { document } from "../../src/media/document.ts";
import type { Href } from "../../src/model/url.ts";

/** Declared behind the prescanned bytes, or by a script's output: the collection calls these optional. */
const OPTIONAL = /^h5enc-0(?:4[89]|5[0-4])$/;

interface EncodingRow {
  readonly id: string;
  readonly body_b64: string;
  readonly encoding: string;
}

interface CallRow {
  readonly id: string;
  readonly function: string;
  readonly args: readonly (string | null | { readonly b64?: string; readonly bytes_utf8?: string })[];
  readonly kwargs: object;
  readonly result: unknown;
}

interface Bug {
  readonly id: string;
  readonly kind: string;
  readonly scoring?: string;
  readonly input: {
    readonly content_type: string | null;
    readonly body?: string;
    readonly body_hex?: string;
    readonly html_ascii_with_hex?: string;
  };
  readonly expected: { readonly encoding?: string; readonly text?: string };
}

async function rows<T>(path: string): Promise<T[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

const page = (body: Uint8Array, contentType: string | null) =>
  document(
    "http://a.test/" as Href,
    "text/html",
    body,
    false,
    contentType === null ? [] : ["Content-Type", contentType],
  );

async function html5lib(casesDir: string, binding: boolean) {
  const all = await rows<EncodingRow>(join(casesDir, "charset/html5lib-encoding.jsonl"));
  const mine = all.filter((row) => OPTIONAL.test(row.id) !== binding);
  const failed: string[] = [];
  for (const row of mine) {
    const found = page(Buffer.from(row.body_b64, "base64"), null).charset();
    // The names are of an older list: "iso8859-2" is none of today's labels' names, but one of its labels.
    const expected = encodingOfLabel(row.encoding) ?? row.encoding.toLowerCase();
    if (found !== expected) failed.push(`${row.id}: gave ${found}, not ${expected}`);
  }
  return { passed: mine.length - failed.length, failed, binding };
}

/** A row's bytes; null where the row's own value is not of bytes. */
function bytesOf(value: CallRow["args"][number] | undefined): Buffer | null {
  if (value === null || typeof value !== "object") return null;
  return value.b64 !== undefined ? Buffer.from(value.b64, "base64") : Buffer.from(value.bytes_utf8 ?? "");
}

function bugBody(bug: Bug): Buffer {
  const { body, body_hex, html_ascii_with_hex } = bug.input;
  if (body_hex !== undefined) return Buffer.from(body_hex, "hex");
  const octets = (html_ascii_with_hex ?? body ?? "").replace(/\{([0-9a-f]{2})\}/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(octets, "latin1");
}

export const sets = [
  { name: "charset-html5lib", run: (casesDir: string) => html5lib(casesDir, true) },
  { name: "charset-html5lib-late", run: (casesDir: string) => html5lib(casesDir, false) },
  {
    name: "charset-w3lib-text",
    async run(casesDir: string) {
      const all = await rows<CallRow>(join(casesDir, "charset/w3lib-encoding.jsonl"));
      const failed: string[] = [];
      let passed = 0;
      for (const row of all) {
        if (row.function !== "html_to_unicode" || Object.keys(row.kwargs).length > 0) continue;
        const body = bytesOf(row.args[1]);
        const expected = Array.isArray(row.result) ? row.result[1] : null;
        if (body === null || typeof expected !== "string") continue;
        const header = typeof row.args[0] === "string" ? row.args[0].replace(/^Content-Type: /, "") : null;
        const found = page(body, header).text();
        if (found === expected) passed++;
        else
          failed.push(
            `${row.id}: ${JSON.stringify(header)} gave ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
          );
      }
      return { passed, failed, binding: false };
    },
  },
  {
    name: "charset-bugs",
    async run(casesDir: string) {
      const bugs: Bug[] = JSON.parse(await readFile(join(casesDir, "issue-bugs/cases.json"), "utf8"));
      const failed: string[] = [];
      let passed = 0;
      for (const bug of bugs) {
        if (bug.kind !== "charset" || bug.scoring === "informational") continue;
        const read = page(bugBody(bug), bug.input.content_type);
        const { encoding, text } = bug.expected;
        const rightEncoding = encoding === undefined || encoding.split(" or ").includes(read.charset());
        if (rightEncoding && (text === undefined || read.text().includes(text))) passed++;
        else failed.push(`${bug.id}: gave ${read.charset()}`);
      }
      return { passed, failed, binding: true };
    },
  },
];
