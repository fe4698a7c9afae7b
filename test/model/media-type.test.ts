import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { declaredMediaType, matchesMediaType, parseMediaType, printMediaType } from "../../src/model/media-type.ts";

const printed = (text: string): string | null => {
  const type = parseMediaType(text);
  return type === null ? null : printMediaType(type);
};

describe("parseMediaType", () => {
  it("lowers the essence and the names of parameters, not their values", () => {
    assert.equal(printed("Text/HTML; Charset=UTF-8"), "text/html;charset=UTF-8");
  });
  it("keeps the first of two parameters with one name", () => {
    assert.equal(printed("text/html;charset=gbk;charset=utf-8"), "text/html;charset=gbk");
  });
  it("passes over parameters that are none, and goes on behind them", () => {
    assert.equal(printed("text/html;;x;=y;a b=c;z=;charset=gbk"), "text/html;charset=gbk");
  });
  it("reads quoted values with escapes, closed or not", () => {
    assert.equal(parseMediaType('a/b;c="d\\"e" junk;f=g')?.parameters.get("c"), 'd"e');
    assert.equal(parseMediaType('a/b;c="d;e')?.parameters.get("c"), "d;e");
  });
  it("gives null for what has no type, no subtype or no token", () => {
    for (const text of ["", "text", "text/", "/html", "te xt/html", "text/ht ml", "text/html, text/plain"]) {
      assert.equal(parseMediaType(text), null, text);
    }
  });
  it("reads back what it prints", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (value) => {
        const type = parseMediaType(`a/b;c=${value}`);
        assert.deepEqual(parseMediaType(printMediaType(type!)), type);
      }),
    );
  });
});

describe("declaredMediaType", () => {
  it("takes the last good value of several, in one field or more", () => {
    assert.equal(declaredMediaType(["Content-Type", "text/plain, text/html"])?.essence, "text/html");
    const fields = ["Content-Type", "text/html", "content-type", "nonsense"];
    assert.equal(declaredMediaType(fields)?.essence, "text/html");
  });
  it("inherits the charset from the same essence, not from another", () => {
    const charset = (value: string) => declaredMediaType(["content-type", value])?.parameters.get("charset");
    assert.equal(charset("text/html;charset=gbk, text/html"), "gbk");
    assert.equal(charset("text/html;charset=gbk, text/plain"), undefined);
    assert.equal(charset("text/html;charset=gbk, text/html;charset=big5"), "big5");
  });
  it("does not split at a comma inside quotes", () => {
    assert.equal(declaredMediaType(["content-type", 'a/b;c="d,e/f"'])?.parameters.get("c"), "d,e/f");
  });
  it("gives null for no field, a wild card and nonsense", () => {
    assert.equal(declaredMediaType([]), null);
    assert.equal(declaredMediaType(["content-type", "*/*"]), null);
    assert.equal(declaredMediaType(["content-type", "x"]), null);
  });
});

describe("matchesMediaType", () => {
  it("knows the essence itself, a type's wild card, all, and a structured suffix", () => {
    assert.ok(matchesMediaType("text/html", "text/html"));
    assert.ok(matchesMediaType("text/*", "text/css"));
    assert.ok(matchesMediaType("*/*", "image/png"));
    assert.ok(matchesMediaType("application/*+xml", "application/rss+xml"));
  });
  it("does not take a prefix for the whole", () => {
    assert.ok(!matchesMediaType("text/htm", "text/html"));
    assert.ok(!matchesMediaType("text/*", "textual/x"));
    assert.ok(!matchesMediaType("application/*+xml", "application/xml"));
    assert.ok(!matchesMediaType("application/*+xml", "application/+xml"));
  });
});
