import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cssUrls } from "../../src/media/css.ts";
import { parseLinkHeader } from "../../src/media/link-header.ts";
import { hasRelation, linkKind } from "../../src/media/link-kinds.ts";
import { parseRefresh } from "../../src/media/meta-refresh.ts";
import { srcsetUrls } from "../../src/media/srcset.ts";

const MEBI = 1024 * 1024;

describe("srcsetUrls", () => {
  it("splits at commas behind descriptors or white space, not inside a URL", () => {
    assert.deepEqual(srcsetUrls("a.png 300w,b,c.png 600w"), ["a.png", "b,c.png"]);
    assert.deepEqual(srcsetUrls("a.png,  b.png 2x"), ["a.png", "b.png"]);
    assert.deepEqual(srcsetUrls("data:image/gif;base64,R0lGOD 1x, c"), ["data:image/gif;base64,R0lGOD", "c"]);
  });
  it("makes no empty URL of stray commas", () => {
    assert.deepEqual(srcsetUrls(" , ,,a,, "), ["a"]);
    assert.deepEqual(srcsetUrls(",,"), []);
  });
  it("drops a candidate whose descriptors are wrong, and only that one", () => {
    const wrong = ["x 0w", "x 1w 1w", "x 1w 1x", "x -1x", "x 1.x", "x 1h", "x 1W", "x foo"];
    for (const candidate of wrong) assert.deepEqual(srcsetUrls(`${candidate}, ok 2x`), ["ok"], candidate);
    assert.deepEqual(srcsetUrls("a 1w 2h, b 1.5e1x, c .5x, d 0x"), ["a", "b", "c", "d"]);
  });
  it("does not end a candidate at a comma inside parentheses", () => {
    assert.deepEqual(srcsetUrls("a (x, b 1x), c"), ["c"]);
  });
  it("ends on a mebibyte of commas, parentheses or spaces", () => {
    for (const piece of [",", "(", " ", "a,", "a ", "a (,"]) srcsetUrls(piece.repeat(MEBI / piece.length));
  });
});

describe("parseRefresh", () => {
  it("reads seconds and a target, with or without url=", () => {
    assert.deepEqual(parseRefresh("5; URL = 'a b' c"), { seconds: 5, url: "a b" });
    assert.deepEqual(parseRefresh("0,next"), { seconds: 0, url: "next" });
    assert.deepEqual(parseRefresh("1 url=x"), { seconds: 1, url: "x" });
    assert.deepEqual(parseRefresh(".5;url=x"), { seconds: 0, url: "x" });
    assert.deepEqual(parseRefresh('1;url="open'), { seconds: 1, url: "open" });
    assert.deepEqual(parseRefresh("1;urlx"), { seconds: 1, url: "urlx" });
  });
  it("knows a page that refreshes itself", () => {
    assert.deepEqual(parseRefresh("30"), { seconds: 30, url: null });
    assert.deepEqual(parseRefresh(" 30 ; "), { seconds: 30, url: null });
  });
  it("takes no text for a time", () => {
    for (const text of ["", "url=x", "-1;url=x", "1url=x", "1x;url=x", "+1"]) assert.equal(parseRefresh(text), null);
  });
});

describe("parseLinkHeader", () => {
  it("reads several links, quoted parameters and commas inside them", () => {
    const value = '<a?x=1,2>; title="b, <c>;"; rel="next Foo", <d>;rel=prev;type=text/html,<e>';
    assert.deepEqual(parseLinkHeader(value), [
      { href: "a?x=1,2", rel: "next foo", type: "" },
      { href: "d", rel: "prev", type: "text/html" },
      { href: "e", rel: "", type: "" },
    ]);
  });
  it("leaves out links about another resource, and takes the first of two rels", () => {
    assert.deepEqual(parseLinkHeader('<a>; rel=next; anchor="#x", <b>; rel=up; rel=next'), [
      { href: "b", rel: "up", type: "" },
    ]);
  });
  it("stops where nothing more can be read", () => {
    for (const value of ["", "a", "<a", "x, y; z", '"<']) assert.deepEqual(parseLinkHeader(value), []);
    for (const piece of ["<", '"', ";", ",", "<>", "<a>;b=", "= "]) parseLinkHeader(piece.repeat(MEBI / piece.length));
  });
});

describe("linkKind", () => {
  it("tells pages from assets from nothing", () => {
    assert.equal(linkKind("NEXT", ""), "page");
    assert.equal(linkKind("alternate", "application/rss+xml"), "page");
    assert.equal(linkKind("alternate stylesheet", "text/css"), "embed");
    assert.equal(linkKind("shortcut icon", ""), "embed");
    assert.equal(linkKind("preconnect", ""), null);
    assert.equal(linkKind("dns-prefetch", ""), null);
    assert.equal(linkKind("", ""), "embed");
  });
  it("does not take an alternate that is data for a page", () => {
    assert.equal(linkKind("alternate", "application/json+oembed"), "embed");
  });
  it("compares whole relations", () => {
    assert.ok(hasRelation("a\nNoFollow", "nofollow"));
    assert.ok(!hasRelation("nofollowed", "nofollow"));
  });
});

describe("cssUrls", () => {
  it("finds url() and @import, in all their quotes", () => {
    const sheet = `@import "a.css" screen;@import url(b.css);x{background:url( 'c.png' ),url("d.png"),URL(e.png)}`;
    assert.deepEqual(cssUrls(sheet), ["a.css", "b.css", "c.png", "d.png", "e.png"]);
  });
  it("passes over comments, other strings, broken URLs and what needs no fetch", () => {
    const sheet = `/* url(a) */x{content:"url(b)" 'it\\'s url(c)';y:url(d e);z:url(#f);w:url(data:,g);v:my-url(h);u:url(i)}`;
    assert.deepEqual(cssUrls(sheet), ["i"]);
  });
  it("ends a string at the end of its line", () => {
    assert.deepEqual(cssUrls(`x{content:"open\n;y:url(a)}`), ["a"]);
  });
  it("decodes escapes", () => {
    assert.deepEqual(cssUrls("url(a\\)b\\20 c\\\\)"), ["a)b c\\"]);
    assert.deepEqual(cssUrls('url("a\\\nb\\0")'), ["ab\ufffd"]);
  });
  it("ends on a mebibyte of anything", () => {
    for (const piece of ["url(", "url('", "/*", '"', "\\", "@import ", "url( ", "'\n", "url(\\"]) {
      cssUrls(`url(x)${piece.repeat(MEBI / piece.length)}`);
    }
  });
});
