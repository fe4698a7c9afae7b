/** Outside rows for reading HTML: links, srcset, meta refresh, base, character references. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeText } from "../../src/media/character-references.ts";
import { document } from "../../src/media/document.ts";
import { html } from "../../src/media/html.ts";
import { parseRefresh } from "../../src/media/meta-refresh.ts";
import { srcsetUrls } from "../../src/media/srcset.ts";
import { type Href, parseUrl } from "../../src/model/url.ts";
import type { Read } from "../../src/ports/media-handler.ts";

type Value = string | null | { readonly b64?: string; readonly bytes_utf8?: string };

interface CallRow {
  readonly id: string;
  readonly source: string;
  readonly function: string;
  readonly args: readonly Value[];
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8"));
}

function bodyOf(value: Value | undefined): Buffer {
  if (typeof value === "string") return Buffer.from(value);
  if (value?.b64 !== undefined) return Buffer.from(value.b64, "base64");
  return Buffer.from(value?.bytes_utf8 ?? "");
}

async function read(body: Uint8Array, href: string, charset = "utf-8"): Promise<Read> {
  return html.read(document(href as Href, "text/html", body, false, ["Content-Type", `text/html; charset=${charset}`]));
}

const baseOf = (found: Read, href: string): string => URL.parse(found.base ?? "", href)?.href ?? href;

/** A row's charset for the header, where it names one. */
const charsetOf = (name: unknown): string => (typeof name === "string" && name !== "" ? name : "utf-8");

interface Outcome {
  readonly passed: number;
  readonly failed: string[];
  readonly binding: boolean;
}

function count(results: readonly (string | null)[], binding: boolean): Outcome {
  const failed = results.filter((result) => result !== null);
  return { passed: results.length - failed.length, failed, binding };
}

const differs = (id: string, found: unknown, expected: unknown): string | null =>
  JSON.stringify(found) === JSON.stringify(expected)
    ? null
    : `${id}: gave ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;

interface Refresh {
  readonly id: string;
  readonly content: string;
  readonly time: number | null;
  readonly url: string | null;
}

async function metaRefresh(casesDir: string): Promise<Outcome> {
  const rows = await json<Refresh[]>(join(casesDir, "html/meta-refresh-wpt.json"));
  const results = rows.map((row) => {
    const found = parseRefresh(row.content);
    // A URL loses its tabs and line ends when it is parsed, and the white space around it.
    const url = found?.url?.replace(/[\t\n\r]/g, "").trim() ?? null;
    return differs(row.id, [found?.seconds ?? null, url], [row.time, row.url]);
  });
  return count(results, true);
}

interface Srcset {
  readonly id: string;
  readonly srcset: string;
  readonly expect_selected: string;
}

async function srcset(casesDir: string, binding: boolean): Promise<Outcome> {
  const rows = await json<Srcset[]>(join(casesDir, "html/srcset-wpt.json"));
  // The rows are of 2015; what "h" means has changed since. And some have lost a control character in being retyped.
  const isDoubtful = (row: Srcset) => /\dh/.test(row.srcset) || /^data:,a 1[wx]$/.test(row.srcset);
  const mine = rows.filter((row) => isDoubtful(row) !== binding);
  const results = mine.map((row) => {
    const found = srcsetUrls(row.srcset);
    const fits = row.expect_selected === "" ? found.length === 0 : found.includes(row.expect_selected);
    return fits ? null : `${row.id}: ${JSON.stringify(row.srcset)} gave ${JSON.stringify(found)}`;
  });
  return count(results, binding);
}

interface LinkRow {
  readonly id: string;
  readonly page_url: string;
  readonly encoding: string | null;
  readonly html?: string;
  readonly html_b64?: string;
  readonly needs_scrapy_options: boolean;
  readonly expected: readonly { readonly url: string }[];
}

/** That extractor knows a and area only, gives each URL once, and leaves out extensions that its users do not want. */
async function scrapyLinks(casesDir: string): Promise<Outcome> {
  const rows = await json<LinkRow[]>(join(casesDir, "html/scrapy-link-extractor/cases.json"));
  const results: (string | null)[] = [];
  for (const row of rows.filter((row) => !row.needs_scrapy_options)) {
    const body = row.html_b64 === undefined ? Buffer.from(row.html ?? "") : Buffer.from(row.html_b64, "base64");
    const found = await read(body, row.page_url, charsetOf(row.encoding));
    const base = baseOf(found, row.page_url);
    const anchors = found.links.filter((link) => link.from === "a" || link.from === "area");
    const urls = anchors.map((link) => URL.parse(link.href, base)?.href).filter((url) => url !== undefined);
    const missing = row.expected.filter(({ url }) => !urls.includes(url));
    results.push(missing.length === 0 ? null : `${row.id}: missing ${JSON.stringify(missing)}, gave ${urls.join(" ")}`);
  }
  return count(results, true);
}

async function calls(casesDir: string, name: string): Promise<CallRow[]> {
  const lines = (await readFile(join(casesDir, "html/w3lib-html.jsonl"), "utf8")).split("\n");
  const rows: CallRow[] = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  return rows.filter((row) => row.function === name);
}

/** Where that library passes over noscript, a browser without scripts does not. */
const isPolicy = (row: CallRow): boolean => JSON.stringify(row.args).includes("<noscript");

async function baseUrls(casesDir: string, binding: boolean): Promise<Outcome> {
  const rows = (await calls(casesDir, "get_base_url")).filter((row) => isPolicy(row) !== binding);
  const results: (string | null)[] = [];
  for (const row of rows) {
    const page = typeof row.args[1] === "string" ? row.args[1] : "http://page.invalid/";
    const found = await read(bodyOf(row.args[0]), page);
    const base = found.base === undefined ? String(row.args[1] ?? "") : baseOf(found, page);
    const expected = String(row.result);
    const same = base === expected || URL.parse(base)?.href === URL.parse(expected)?.href;
    results.push(same ? null : `${row.id}: gave ${base}, not ${expected}`);
  }
  return count(results, binding);
}

async function w3libRefresh(casesDir: string, binding: boolean): Promise<Outcome> {
  const rows = (await calls(casesDir, "get_meta_refresh")).filter(
    (row) => (isPolicy(row) && row.kwargs.ignore_tags === undefined) !== binding,
  );
  const results: (string | null)[] = [];
  for (const row of rows) {
    const page = String(row.args[1] ?? "http://page.invalid/");
    const found = await read(bodyOf(row.args[0]), page, charsetOf(row.args[2]));
    const refresh = found.links.find((link) => link.from === "meta");
    const url = refresh === undefined ? null : (URL.parse(refresh.href, baseOf(found, page))?.href ?? null);
    results.push(differs(row.id, url, (row.result as [number | null, string | null])[1]));
  }
  return count(results, binding);
}

async function entities(casesDir: string): Promise<Outcome> {
  const rows = (await calls(casesDir, "replace_entities")).filter((row) => row.kwargs.keep === undefined);
  return count(
    rows.map((row) => {
      const charset = charsetOf(row.kwargs.encoding);
      const value = row.args[0];
      const text = typeof value === "string" ? value : new TextDecoder(charset).decode(bodyOf(value));
      return differs(row.id, decodeText(text), row.result);
    }),
    true,
  );
}

interface Bug {
  readonly id: string;
  readonly kind: string;
  readonly input: {
    readonly page_url?: string;
    readonly html?: string;
    readonly html_template?: string;
    readonly pad?: string;
  };
  readonly expected: {
    readonly links?: readonly string[];
    readonly as?: string;
    readonly must_not_contain?: readonly string[];
    readonly note?: string;
  };
}

async function bugs(casesDir: string): Promise<Outcome> {
  const rows = (await json<Bug[]>(join(casesDir, "issue-bugs/cases.json"))).filter(
    (bug) => bug.expected.links !== undefined && bug.input.page_url !== undefined,
  );
  const results: (string | null)[] = [];
  for (const bug of rows) {
    const pad = /"(.)" repeated (\d+) times/.exec(bug.input.pad ?? "");
    const filling = pad === null ? "" : pad[1]!.repeat(Number(pad[2]));
    const source = bug.input.html ?? bug.input.html_template?.replace("{PAD}", filling) ?? "";
    const page = bug.input.page_url!;
    const found = await read(Buffer.from(source), page);
    const urls = new Set<string>();
    for (const link of found.links) {
      const url = parseUrl(link.href, baseOf(found, page));
      if (url.ok) urls.add(url.value.href);
    }
    const forbidden = bug.expected.must_not_contain?.filter((url) => urls.has(url)) ?? [];
    const optional = bug.expected.note?.includes("optional") ?? false;
    const missing = optional ? [] : bug.expected.links!.filter((url) => !urls.has(url));
    const more = [...urls].filter((url) => !bug.expected.links!.includes(url));
    const wrong = forbidden.length + missing.length + (bug.expected.as === undefined ? more.length : 0);
    results.push(wrong === 0 ? null : `${bug.id}: gave ${[...urls].join(" ")}`);
  }
  return count(results, true);
}

export const sets = [
  { name: "html-meta-refresh", run: metaRefresh },
  { name: "html-srcset", run: (casesDir: string) => srcset(casesDir, true) },
  { name: "html-srcset-doubtful", run: (casesDir: string) => srcset(casesDir, false) },
  { name: "html-links", run: scrapyLinks },
  { name: "html-base", run: (casesDir: string) => baseUrls(casesDir, true) },
  { name: "html-base-policy", run: (casesDir: string) => baseUrls(casesDir, false) },
  { name: "html-refresh", run: (casesDir: string) => w3libRefresh(casesDir, true) },
  { name: "html-refresh-policy", run: (casesDir: string) => w3libRefresh(casesDir, false) },
  { name: "html-references", run: entities },
  { name: "html-bugs", run: bugs },
];
