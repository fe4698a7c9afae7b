/** Outside rows for model/url and policy/url-key: WPT, RFC 3986, the public suffix list, crawler-commons, w3lib, urlcanon. */
import { parseUrl } from "../../src/model/url.ts";
import { registrableDomain, URL_KEY_RULES, type UrlKeyRules, urlKey } from "../../src/policy/url-key.ts";
import { json, jsonLines, judgeRows, same } from "./rows.ts";
import type { CaseSet } from "./run.ts";

/** What RFC 3986 calls equivalent, and no more: no crawler's policy. */
const SYNTAX_ONLY: UrlKeyRules = {
  ...URL_KEY_RULES,
  ignoreParameters: false,
  sortQuery: false,
  emptyQuery: false,
  trailingSlash: false,
};

const WEB_OR_RELATIVE = /^https?:/i;

const keyOf = (text: string, rules?: UrlKeyRules): string | null => {
  const parsed = parseUrl(text);
  return parsed.ok ? urlKey(parsed.value.parts, rules) : null;
};

interface WptRow {
  readonly input: string;
  readonly base: string | null;
  readonly href?: string;
  readonly failure?: boolean;
}

/** Fragment and credentials are not part of the fetch form. */
function fetchForm(href: string): string {
  const url = new URL(href);
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}

/** Every URL-like text of all files: what the key must be idempotent on. */
async function allTexts(casesDir: string): Promise<string[]> {
  const texts: string[] = [];
  const gather = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) value.forEach(gather);
    else if (value !== null && typeof value === "object")
      for (const [k, v] of Object.entries(value)) [k, v].forEach(gather);
  };
  for (const file of ["crawler-commons-normalize", "resolve", "rfc3986-normalize", "w3lib"]) {
    gather(await jsonLines(casesDir, `url/${file}.jsonl`));
  }
  gather(await json(casesDir, "url/wpt-urltestdata.json"));
  for (const file of ["aggressive", "idempotence", "parsing", "semantic_precise", "supplemental_whatwg", "surt"]) {
    gather(await json(casesDir, `url/urlcanon/${file}.json`));
  }
  return [...new Set(texts)];
}

/** Keys of urlcanon's files that are UTF-8 read as Latin-1 are put right. */
function fromBytes(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  const right = Buffer.from(text, "latin1").toString("utf8");
  return right.includes("\ufffd") ? text : right;
}

export const sets: readonly CaseSet[] = [
  {
    name: "url/wpt",
    async run(casesDir) {
      const all = await json<(WptRow | string)[]>(casesDir, "url/wpt-urltestdata.json");
      const rows = all.filter((row): row is WptRow => typeof row === "object");
      const web = rows.filter((row) => row.failure === true || WEB_OR_RELATIVE.test(row.href ?? ""));
      return judgeRows(web, true, (row) => {
        const parsed = parseUrl(row.input, row.base ?? undefined);
        const expected = row.failure === true ? null : fetchForm(row.href!);
        return same(`${row.input} on ${row.base}`, parsed.ok ? parsed.value.href : null, expected);
      });
    },
  },
  {
    name: "url/resolve",
    run: async (casesDir) =>
      judgeRows(
        await jsonLines<{ id: string; input: string; base: string | null; expected: string }>(
          casesDir,
          "url/resolve.jsonl",
        ),
        true,
        ({ id, input, base, expected }) => {
          const parsed = parseUrl(input, base ?? undefined);
          if (!WEB_OR_RELATIVE.test(expected)) return parsed.ok ? `${id}: not a web URL, yet parsed` : null;
          return same(id, parsed.ok && parsed.value.href, fetchForm(expected));
        },
      ),
  },
  {
    name: "url/rfc3986",
    run: async (casesDir) =>
      judgeRows(
        await jsonLines<{ id: string; a: string; b: string; equivalent: boolean }>(
          casesDir,
          "url/rfc3986-normalize.jsonl",
        ),
        true,
        ({ id, a, b, equivalent }) =>
          same(`${id} ${a} ${b}`, urlKey(new URL(a), SYNTAX_ONLY) === urlKey(new URL(b), SYNTAX_ONLY), equivalent),
      ),
  },
  {
    name: "url/crawler-commons (same page)",
    run: async (casesDir) =>
      judgeRows(
        await jsonLines<{ id: string; input: string; normalized: string | null }>(
          casesDir,
          "url/crawler-commons-normalize.jsonl",
        ),
        false,
        ({ id, input, normalized }) =>
          same(`${id} ${input}`, keyOf(input), normalized === null ? null : keyOf(normalized)),
      ),
  },
  {
    name: "url/urlcanon (same page)",
    async run(casesDir) {
      const pairs: { id: string; from: string; to: string }[] = [];
      for (const file of ["semantic_precise", "supplemental_whatwg", "aggressive"]) {
        const rows = Object.entries(await json<Record<string, unknown>>(casesDir, `url/urlcanon/${file}.json`));
        for (const [nth, [from, to]] of rows.entries())
          if (typeof to === "string" && WEB_OR_RELATIVE.test(to))
            pairs.push({ id: `urlcanon-${file}-${nth}`, from: fromBytes(from), to });
      }
      return judgeRows(pairs, false, ({ id, from, to }) => same(`${id} ${from}`, keyOf(from), keyOf(to)));
    },
  },
  {
    name: "url/w3lib (same page)",
    async run(casesDir) {
      interface Call {
        id: string;
        function: string;
        args: unknown[];
        kwargs: object;
        result: unknown;
      }
      const calls = (await jsonLines<Call>(casesDir, "url/w3lib.jsonl")).filter(
        ({ function: name, args, kwargs, result }) =>
          name === "canonicalize_url" &&
          typeof args[0] === "string" &&
          typeof result === "string" &&
          args.length === 1 &&
          Object.keys(kwargs).length === 0 &&
          WEB_OR_RELATIVE.test(result),
      );
      return judgeRows(calls, false, ({ id, args, result }) =>
        same(`${id} ${String(args[0])}`, keyOf(String(args[0])), keyOf(String(result))),
      );
    },
  },
  {
    name: "url/key of key is key",
    run: async (casesDir) =>
      judgeRows(await allTexts(casesDir), true, (text) => {
        const key = keyOf(text);
        return key === null ? null : same(text, keyOf(key), key);
      }),
  },
  {
    name: "url/public suffixes",
    run: async (casesDir) =>
      judgeRows(
        // "local" is no suffix in the list; its own tests of it are commented out.
        (
          await jsonLines<{ id: string; host: string; registered_domain: string | null }>(casesDir, "url/psl.jsonl")
        ).filter(({ host }) => !host.endsWith(".local")),
        true,
        // Hosts come from parsed URLs: lower case, punycode.
        ({ id, host, registered_domain }) => {
          const asParsed = URL.parse(`http://${host}`)?.hostname;
          if (asParsed === undefined) return registered_domain === null ? null : `${id}: ${host} does not parse`;
          const expected = registered_domain === null ? asParsed : new URL(`http://${registered_domain}`).hostname;
          return same(`${id} ${host}`, registrableDomain(asParsed), expected);
        },
      ),
  },
  {
    name: "url/path dots",
    run: async (casesDir) =>
      judgeRows(
        // WHATWG takes a backslash for a slash before there is a path; these rows begin behind that.
        Object.entries(
          (await json<{ special: Record<string, string> }>(casesDir, "url/urlcanon/path_dots.json")).special,
        ).filter(([path]) => !path.includes("\\")),
        true,
        ([path, expected]) => {
          const parsed = parseUrl(`http://example.com${path}`);
          return same(path, parsed.ok && parsed.value.parts.pathname, expected);
        },
      ),
  },
  {
    name: "url/IPv4 in odd forms",
    run: async (casesDir) =>
      judgeRows(
        Object.entries(await json<Record<string, string | null>>(casesDir, "url/urlcanon/funky_ipv4.json")),
        true,
        ([text, expected]) => {
          const parsed = parseUrl(`http://${text}/`);
          const host = parsed.ok ? parsed.value.parts.hostname : "";
          // null: no IPv4 address, which may be a name all the same ("0000xa").
          return same(text, /^\d+\.\d+\.\d+\.\d+$/.test(host) ? host : null, expected);
        },
      ),
  },
];
