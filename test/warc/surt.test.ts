import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { surt } from "../../src/warc/surt.ts";

describe("the SURT of a URL", () => {
  const rows: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "reverses the host and drops www, default ports and credentials": {
      "http://www.example.org/": "org,example)/",
      "https://www2.Example.org:443/": "org,example)/",
      "http://me:pw@example.org:8080/a": "org,example:8080)/a",
      "http://192.0.2.7/": "7,2,0,192)/",
      "http://[2001:db8::1]:81/": "2001:db8::1:81)/",
    },
    "folds case and drops one trailing slash": {
      "http://a.test/Path/": "test,a)/path",
      "http://a.test": "test,a)/",
      "http://a.test//x//y/": "test,a)/x/y",
    },
    "keeps escapes in one form": {
      "http://a.test/%7Eme%20x": "test,a)/~me%20x",
      "http://a.test/%252541": "test,a)/a",
      "http://a.test/ä": "test,a)/%c3%a4",
      "http://a.test/100%": "test,a)/100%25",
    },
    "sorts parameters by name, then value": {
      "http://a.test/?b=2&a=2&a=1&a": "test,a)/?a&a=1&a=2&b=2",
      "http://a.test/?a=2&a-b=1": "test,a)/?a=2&a-b=1",
      "http://a.test/?": "test,a)/",
    },
    "drops session ids": {
      "http://a.test/p?jsessionid=0123456789ABCDEF0123456789abcdef&x=1": "test,a)/p?x=1",
      "http://a.test/(S(4hqa0555fwsecu455xqckv45))/a.aspx": "test,a)/a.aspx",
    },
    "leaves alone what has no host": { "dns:a.test": "dns:a.test", "": "-", "file:///x": "file:///x" },
  };
  for (const [says, pairs] of Object.entries(rows)) {
    it(says, () => {
      for (const [url, expected] of Object.entries(pairs)) assert.equal(surt(url), expected, url);
    });
  }

  it("is ASCII without spaces for any URL, and the same when taken of any of its spellings", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const key = surt(url);
        assert.match(key, /^[\x21-\x7e]+$/);
        assert.equal(surt(URL.parse(url)!.href), key);
      }),
    );
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void surt(`http://a.test/${text}`)));
  });
});
