/** The key of a URL: which spellings are one page, and which pages stay two. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { registrableDomain, URL_KEY_RULES, type UrlKeyRules, urlKey } from "../../src/policy/url-key.ts";
import { target, url } from "./urls.ts";

const key = (text: string, rules?: Partial<UrlKeyRules>) => urlKey(url(text).parts, { ...URL_KEY_RULES, ...rules });

const ONE_PAGE: readonly (readonly [string, string])[] = [
  ["HTTP://EXAMPLE.com:80/", "http://example.com/"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["http://a.test/x/./y/../z", "http://a.test/x/z"],
  ["http://a.test/%7euser/%e3%83%84", "http://a.test/~user/ツ"],
  ["http://a.test/100%", "http://a.test/100%25"],
  ["http://a.test/?x[y]={1|2}", "http://a.test/?x%5By%5D=%7B1%7C2%7D"],
  ["http://a.test/?b=1&a=2", "http://a.test/?a=2&b=1"],
  ["http://a.test/?", "http://a.test/"],
  ["http://a.test/?&&", "http://a.test/"],
  ["http://a.test/x?&b=1&&a=1", "http://a.test/x?a=1&b=1"],
  ["http://a.test/x/", "http://a.test/x"],
  ["http://a.test/x/?a=1", "http://a.test/x?a=1"],
  ["http://a.test/x#part", "http://a.test/x"],
  ["http://me:secret@a.test/x", "http://a.test/x"],
  ["http://a.test/x?utm_source=n&utm_anything=1&gclid=2&id=7", "http://a.test/x?id=7"],
  ["http://a.test/x?%75tm_source=n", "http://a.test/x"],
  ["http://a.test/x?PHPSESSID=1", "http://a.test/x"],
  ["http://a.test/x?fbclid", "http://a.test/x"],
  ["http://a.test/x?sid=f00dbabe42", "http://a.test/x"],
  ["http://a.test/x;jsessionid=0A1B?y=1", "http://a.test/x?y=1"],
  ["http://a.test/x;jsessionid=0A1B/z", "http://a.test/x/z"],
  ["http://a.test/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "http://a.test/x.aspx"],
  ["http://a.test/(4hqa0555fwsecu455xqckv45)/x/y.aspx", "http://a.test/x/y.aspx"],
  ["http://a.test/x?CFID=124&CFTOKEN=155", "http://a.test/x"],
  ["http://a.test/;jsessionid=0A1B", "http://a.test/"],
  ["http://a.test/(S(lit3py55t21z5v55vlm25s55))", "http://a.test/"],
];

const TWO_PAGES: readonly (readonly [string, string])[] = [
  ["http://a.test/x", "https://a.test/x"],
  ["http://a.test/x", "http://www.a.test/x"],
  ["http://a.test/x", "http://a.test:8080/x"],
  ["http://a.test/X", "http://a.test/x"],
  ["http://a.test/a%2Fb", "http://a.test/a/b"],
  ["http://a.test/?q=a%26b", "http://a.test/?q=a&b"],
  ["http://a.test/?q=a+b", "http://a.test/?q=a%2Bb"],
  ["http://a.test/?a=1&a=2", "http://a.test/?a=2&a=1"],
  ["http://a.test/?a", "http://a.test/?a="],
  ["http://a.test/x//", "http://a.test/x/"],
  ["http://a.test//x", "http://a.test/x"],
  ["http://a.test/story?sid=04/05/06", "http://a.test/story?sid=04/05/07"],
  ["http://a.test/shop?sid=123", "http://a.test/shop?sid=124"],
  ["http://a.test/wiki/A_(band)", "http://a.test/wiki/A"],
  ["http://a.test/(4hqa0555fwsecu455xqckv45)/x.html", "http://a.test/x.html"],
  ["http://a.test/?utm=1", "http://a.test/?utm=2"],
  ["http://a.test/?my_utm_source=1", "http://a.test/?my_utm_source=2"],
];

describe("urlKey", () => {
  for (const [a, b] of ONE_PAGE) it(`takes ${a} and ${b} for one page`, () => assert.equal(key(a), key(b)));
  for (const [a, b] of TWO_PAGES) it(`keeps ${a} and ${b} apart`, () => assert.notEqual(key(a), key(b)));

  it("is its own key, whatever stands in path and query", () => {
    fc.assert(
      fc.property(target, fc.record(mapValues(URL_KEY_RULES, () => fc.boolean())), (text, rules) => {
        const parsed = URL.parse(`http://a.test${text}`);
        fc.pre(parsed !== null);
        const once = urlKey(parsed, rules);
        assert.equal(urlKey(new URL(once), rules), once);
      }),
      { numRuns: 5_000 },
    );
  });

  it("merges what the steps merge, each by itself, and nothing else that a server can tell apart", () => {
    const steps: Readonly<
      Record<string, { rules: Partial<UrlKeyRules>; sees: (path: string, query: string | null) => unknown }>
    > = {
      nothing: { rules: {}, sees: (path, query) => [path, query] },
      escapes: {
        rules: { escapes: true },
        sees: (path, query) => [octets(path), query === null ? null : octets(query)],
      },
      emptyQuery: { rules: { emptyQuery: true }, sees: (path, query) => [path, query ?? ""] },
      trailingSlash: { rules: { trailingSlash: true }, sees: (path, query) => [withoutOneSlash(path), query] },
      sortQuery: {
        rules: { sortQuery: true },
        sees: (path, query) => [path, query === null ? null : byName(query)],
      },
    };
    const off = mapValues(URL_KEY_RULES, () => false);
    const piece = fc.constantFrom("/", "a", "b", "=", "&", "?", "%61", "%2f", "%2F", "%26", "%", ";", "A", "+", "%20");
    const path = fc.array(piece, { maxLength: 6 }).map((parts) => new URL(`http://a.test/${parts.join("")}`));
    for (const [name, { rules, sees }] of Object.entries(steps))
      fc.assert(
        fc.property(path, path, (a, b) => {
          const seen = [a, b].map((one) => sees(one.pathname, queryOf(one)));
          const keys = [a, b].map((one) => urlKey(one, { ...off, ...rules }));
          assert.equal(keys[0] === keys[1], isDeepStrictEqual(seen[0], seen[1]), `${name}: ${a} ${b}`);
        }),
        { numRuns: 3_000 },
      );
  });

  it("never becomes a path that a parser would resolve", () => {
    for (const text of ["/a/..;jsessionid=1", "/a/.;jsessionid=1/b", "/a/%2e%2E;jsessionid=1"]) {
      const once = key(`http://a.test${text}`);
      assert.equal(key(once), once);
    }
  });

  it("leaves a URL as WHATWG prints it when every step is off", () => {
    const off = mapValues(URL_KEY_RULES, () => false);
    for (const text of ["http://a.test/%7e/?b=1&a=1&&utm_id=1", "http://a.test/x/?", "http://a.test/;jsessionid=1"]) {
      assert.equal(key(text, off), text);
    }
  });

  it("turns each step off by itself", () => {
    assert.equal(key("http://a.test/%7e", { escapes: false }), "http://a.test/%7e");
    assert.equal(key("http://a.test/?utm_id=1", { ignoreParameters: false }), "http://a.test/?utm_id=1");
    assert.equal(key("http://a.test/?b=1&a=1", { sortQuery: false }), "http://a.test/?b=1&a=1");
    assert.equal(key("http://a.test/?", { emptyQuery: false }), "http://a.test/?");
    assert.equal(key("http://a.test/x/", { trailingSlash: false }), "http://a.test/x/");
  });
});

describe("registrableDomain", () => {
  it("knows the private section of the public suffix list", () => {
    assert.equal(registrableDomain("www.example.co.uk"), "example.co.uk");
    assert.equal(registrableDomain("a.b.github.io"), "b.github.io");
  });

  it("gives the name itself where there is no such domain", () => {
    for (const name of ["localhost", "127.0.0.1", "[::1]", "com", "github.io"])
      assert.equal(registrableDomain(name), name);
  });
});

function mapValues<T extends object, V>(object: T, value: () => V): { [K in keyof T]: V } {
  return Object.fromEntries(Object.keys(object).map((name) => [name, value()])) as { [K in keyof T]: V };
}

/** A query as it stands in the URL: "" is not null. */
function queryOf({ href }: URL): string | null {
  const at = href.indexOf("?");
  return at === -1 ? null : href.slice(at + 1);
}

/** What a server sees of a path or a query: octets, the reserved ones raw or encoded (RFC 3986, 2.2). */
function octets(text: string): string[] {
  return (text.match(/%[0-9a-f]{2}|[\s\S]/gi) ?? []).map((one) => {
    if (one === "%") return "%25";
    const octet = one.length === 3 ? String.fromCharCode(Number.parseInt(one.slice(1), 16)) : one;
    return /[\w.~-]/.test(octet) ? octet : one.toUpperCase();
  });
}

const withoutOneSlash = (path: string): string => (/[^/]\/$/.test(path) ? path.slice(0, -1) : path);

/** The values of each name, in their order; pieces without "=" are told from those with an empty value. */
function byName(query: string): Record<string, string[]> {
  const pieces = query.split("&").filter((piece) => piece !== "");
  return Object.groupBy(pieces, (piece) => piece.split("=", 1)[0]!) as Record<string, string[]>;
}
