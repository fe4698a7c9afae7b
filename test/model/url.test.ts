/** A URL as it is found becomes the form that is fetched: by the URL standard, whatever hands and templates have written. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { KNOWN, limitsFrom, parseUrl, WEB, withoutFragment } from "../../src/model/url.ts";

const BASE = "http://a.test/dir/page?q#f";
const fetched = (text: string, base: string = BASE): string => {
  const parsed = parseUrl(text, base);
  return parsed.ok ? parsed.value.href : parsed.error;
};

const FORMS: Readonly<Record<string, readonly (readonly [found: string, form: string])[]>> = {
  "is resolved against where it was found": [
    ["x", "http://a.test/dir/x"],
    ["../x", "http://a.test/x"],
    ["/../../x", "http://a.test/x"],
    ["//b.test", "http://b.test/"],
    ["?x", "http://a.test/dir/page?x"],
    ["#x", "http://a.test/dir/page?q"],
    ["", "http://a.test/dir/page?q"],
    ["https:x", "https://x/"],
    ["http:x", "http://a.test/dir/x"],
  ],
  "keeps case, escapes, order and empty parts of path and query as they are": [
    ["/A/%7e/%2F/%zz/%", "http://a.test/A/%7e/%2F/%zz/%"],
    ["/x?b=2&a=1&&utm_source=y", "http://a.test/x?b=2&a=1&&utm_source=y"],
    ["/x?", "http://a.test/x?"],
    ["/x;v=1;jsessionid=2/y;z", "http://a.test/x;v=1;jsessionid=2/y;z"],
    ["/x//y/", "http://a.test/x//y/"],
  ],
  "has what no URL may hold encoded": [
    ['/a b/ツ?é="', "http://a.test/a%20b/%E3%83%84?%C3%A9=%22"],
    ["/%E3%83%84", "http://a.test/%E3%83%84"],
  ],
  "is mended where hands slip": [
    ["\\x\\y?\\z", "http://a.test/x/y?\\z"],
    ["http:\\\\b.test\\x", "http://b.test/x"],
    [" \n/x\t", "http://a.test/x"],
    ["/lo\nng/pa\tth?a\r\n=b", "http://a.test/long/path?a=b"],
    ["ht\ntp://b.test", "http://b.test/"],
    ["http:////b.test/x", "http://b.test/x"],
    ["/%2e/x/%2E%2e/y", "http://a.test/y"],
  ],
  "has neither fragment nor credentials": [
    ["http://me:secret@b.test/x@y#z@", "http://b.test/x@y"],
    ["http://me@b.test", "http://b.test/"],
    ["http://@b.test/", "http://b.test/"],
    ["http://b.test/#", "http://b.test/"],
    ["/x #y", "http://a.test/x%20"],
    ["/x #", "http://a.test/x%20"],
  ],
  "has one form of a host": [
    ["HTTP://B.TEST/", "http://b.test/"],
    ["http://bücher.example/", "http://xn--bcher-kva.example/"],
    ["http://BÜCHER.example/", "http://xn--bcher-kva.example/"],
    ["http://faß.example/", "http://xn--fa-hia.example/"],
    ["http://b\u3002test/", "http://b.test/"],
    ["http://b%2Etest/", "http://b.test/"],
    ["http://a_b.test/", "http://a_b.test/"],
    ["http://r3---sn-x.test/", "http://r3---sn-x.test/"],
    ["http://-b-.test/", "http://-b-.test/"],
    ["http://b.test./x", "http://b.test./x"],
  ],
  "has one form of an address": [
    ["http://127.1/", "http://127.0.0.1/"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
    ["http://017700000001/", "http://127.0.0.1/"],
    ["http://2130706433./", "http://127.0.0.1/"],
    ["http://１２７.0.0.1/", "http://127.0.0.1/"],
    ["http://[0:0:0::1]/", "http://[::1]/"],
    ["http://[2001:DB8::192.0.2.1]:80/", "http://[2001:db8::c000:201]/"],
  ],
  "names a port that is not its scheme's": [
    ["http://b.test:80/", "http://b.test/"],
    ["https://b.test:443/", "https://b.test/"],
    ["http://b.test:443/", "http://b.test:443/"],
    ["http://b.test:08080/", "http://b.test:8080/"],
    ["http://b.test:/", "http://b.test/"],
    ["http://b.test:0/", "http://b.test:0/"],
  ],
  "is refused, with the reason": [
    ["http://", "not-a-url"],
    ["http://b.test:65536/", "not-a-url"],
    ["http://b.test:8a/", "not-a-url"],
    ["http://b test/", "not-a-url"],
    ["http://[fe80::1%25eth0]/", "not-a-url"],
    ["http://256.0.0.1/", "not-a-url"],
    ["http://1.2.3.4.5/", "not-a-url"],

    ["http://%zz/", "not-a-url"],
    ["http://b.test\0/", "not-a-url"],
    ["javascript:void(0)", "scheme"],
    [" Java\nScript:void(0)", "scheme"],
    ["data:text/html,x", "scheme"],
    ["mailto:me@b.test", "scheme"],
    ["tel:+1", "scheme"],
    ["ftp://b.test/", "scheme"],
    ["file:///x", "scheme"],
    ["blob:http://b.test/x", "scheme"],
    [`/${"x".repeat(2_048)}`, "too-long"],
    [`/${"ツ".repeat(300)}`, "too-long"], // nine characters each, when encoded
  ],
};

describe("the fetch form of a URL", () => {
  for (const [says, rows] of Object.entries(FORMS))
    it(says, () => {
      for (const [found, form] of rows) assert.equal(fetched(found), form, JSON.stringify(found.slice(0, 60)));
    });

  it("is at most so long, counted as it is sent", () => {
    const rest = "x".repeat(2_048 - "http://a.test/".length);
    assert.equal(fetched(`/${rest}`).length, 2_048);
    assert.equal(fetched(`/${rest}x`), "too-long");
    assert.equal(fetched(`/${rest}#${"x".repeat(5_000)}`).length, 2_048);
  });

  it("has an authority, unless it is a file", () => {
    const limits = { ...WEB, schemes: new Set(["file:", "gopher:", "news:"]) };
    const of = (text: string) => parseUrl(text, undefined, limits);
    assert.deepEqual(of("news:x"), { ok: false, error: "no-host" });
    assert.ok(of("file:///x").ok && of("gopher://b.test/").ok);
  });

  it("may be a file of this machine where files are asked for", () => {
    const of = (text: string) => parseUrl(text, undefined, KNOWN);
    const file = of("file:/a/../b%20c#x");
    assert.deepEqual(file.ok && [file.value.href, file.value.host], ["file:///b%20c", "file://"]);
    assert.ok(of("file://localhost/x").ok);
    assert.deepEqual(of("file://server/share/x"), { ok: false, error: "other-machine" });
    assert.deepEqual(parseUrl("file:///x"), { ok: false, error: "scheme" });
  });

  it("leads from the web to the web alone", () => {
    assert.deepEqual(
      ["http://a.test/", "https://a.test/", "file:///a"].map((page) => limitsFrom(page).schemes.has("file:")),
      [false, false, true],
    );
  });

  it("is what the standard's parser makes of it, without fragment and credentials, and its own form", () => {
    const pieces = [
      ..."/?#:@\\%&=;. \t\n[]",
      "http:",
      "//",
      "b.test",
      "ü",
      "%2e",
      "..",
      "xn--",
      "me:pw@",
      ":80",
      "127.1",
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(text, fc.webUrl({ withFragments: true })), (found) => {
        const parsed = parseUrl(found, BASE);
        const standard = URL.parse(found, BASE);
        if (!parsed.ok) return assert.ok(standard === null || standard.protocol !== "http:");
        const { href, host, parts } = parsed.value;
        standard!.hash = standard!.username = standard!.password = "";
        assert.equal(href, standard!.href);
        assert.equal(parts.href, href);
        assert.equal(host, parts.origin);
        assert.equal(fetched(href), href);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a link without its fragment", () => {
  it("ends at the first #, unless the space before it would then be trimmed", () => {
    assert.equal(withoutFragment("x#y#z"), "x");
    assert.equal(withoutFragment("x?a"), "x?a");
    assert.equal(withoutFragment("x #y"), "x #y");
  });
});
