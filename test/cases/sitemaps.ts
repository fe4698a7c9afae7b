/** Outside rows for sitemaps and feeds: how many URLs, and which. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { document } from "../../src/media/document.ts";
import { readXml, sitemap } from "../../src/media/sitemap.ts";
import type { Href } from "../../src/model/url.ts";

interface Row {
  readonly id: string;
  readonly source: string;
  readonly url: string;
  readonly content_type: string | null;
  readonly content: string | { readonly file: string };
  readonly expected_kind: string;
  readonly expected_count: number | null;
  readonly expected_urls?: readonly string[];
}

interface Bug {
  readonly id: string;
  readonly kind: string;
  readonly input: { readonly content_type?: string; readonly body?: string };
  readonly expected: { readonly urls?: readonly string[] };
}

/** Rows of which the collection says that they are one tool's policy: how a scheme-less line is mended, what is broken. */
const POLICY = /testLenientParser|BrokenXml|filterUrls/;

async function sitemapRows(casesDir: string): Promise<Row[]> {
  const lines = (await readFile(join(casesDir, "sitemaps/cases.jsonl"), "utf8")).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The entries that the sitemap handler finds: not the embeds, not the languages, not a feed's own site. */
async function entries(href: string, contentType: string | null, body: Uint8Array): Promise<string[]> {
  const headers = contentType === null ? [] : ["Content-Type", contentType];
  const read = await sitemap.read(document(href as Href, contentType ?? "", body, false, headers));
  const wanted = read.links.filter((link) => link.kind === "page" && link.from !== "feed-channel");
  return wanted.map((link) => URL.parse(link.href, href)?.href ?? link.href);
}

async function check(row: Row, casesDir: string): Promise<string | null> {
  const body =
    typeof row.content === "string"
      ? Buffer.from(row.content)
      : await readFile(join(casesDir, "sitemaps/files", row.content.file));
  const found = await entries(row.url, row.content_type, body);
  if (row.expected_kind.startsWith("error")) {
    return found.some((url) => url.includes("do-not-visit")) ? `${row.id}: read a local file` : null;
  }
  if (row.expected_urls !== undefined) {
    const missing = row.expected_urls.filter((url) => !found.includes(url));
    if (missing.length > 0) return `${row.id}: missing ${missing.join(" ")}; gave ${found.join(" ")}`;
  }
  if (row.expected_count !== null && found.length !== row.expected_count) {
    return `${row.id} (${row.source}): gave ${found.length}, not ${row.expected_count}: ${found.slice(0, 9).join(" ")}`;
  }
  return null;
}

async function runRows(casesDir: string, binding: boolean) {
  const rows = (await sitemapRows(casesDir)).filter((row) => POLICY.test(row.source) !== binding);
  const results = await Promise.all(rows.map((row) => check(row, casesDir)));
  const failed = results.filter((result) => result !== null);
  return { passed: rows.length - failed.length, failed, binding };
}

export const sets = [
  { name: "sitemaps", run: (casesDir: string) => runRows(casesDir, true) },
  { name: "sitemaps-policy", run: (casesDir: string) => runRows(casesDir, false) },
  {
    name: "sitemaps-bugs",
    async run(casesDir: string) {
      const bugs: Bug[] = JSON.parse(await readFile(join(casesDir, "issue-bugs/cases.json"), "utf8"));
      const rows = bugs.filter((bug) => bug.kind === "sitemap" && bug.expected.urls && bug.input.body !== undefined);
      const failed: string[] = [];
      for (const bug of rows) {
        const found = readXml(bug.input.body!).links.map((link) => link.href);
        if (found.join(" ") !== bug.expected.urls!.join(" ")) failed.push(`${bug.id}: gave ${found.join(" ")}`);
      }
      return { passed: rows.length - failed.length, failed, binding: true };
    },
  },
];
