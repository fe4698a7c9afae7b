import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import * as tag from "../../src/media/tags.ts";
import { readWithParse5 } from "./parse5-reader.ts";
import { readWithTags } from "./tags-reader.ts";

const hrefs = (text: string): string[] => {
  const tags = new tag.TagReader(text);
  const found: string[] = [];
  for (let name = tags.next(); name !== ""; name = tags.next()) {
    if (name === "a") found.push(tags.value(tag.HREF) ?? "(none)");
  }
  return found;
};

describe("TagReader: tags", () => {
  it("reads values in quotes of either kind, in none, and absent", () => {
    assert.deepEqual(hrefs(`<a href="1"><a href='2'><a href=3><a href = 4 ><a href><a>`), [
      "1",
      "2",
      "3",
      "4",
      "",
      "(none)",
    ]);
  });
  it("keeps the first of two attributes with one name", () => {
    assert.deepEqual(hrefs("<a href=1 HREF=2>"), ["1"]);
  });
  it("takes a slash for part of a bare value, and for nothing elsewhere", () => {
    assert.deepEqual(hrefs(`<a href=1/><a href="2"/><a/href=3><a / href=4>`), ["1/", "2", "3", "4"]);
  });
  it("is not led astray by odd attribute names or missing spaces", () => {
    assert.deepEqual(hrefs(`<a fØo="b" href=1><a "=x href=2><a =href=no href=3><a x="y"href=4>`), ["1", "2", "3", "4"]);
  });
  it("does not end a tag inside a quoted value", () => {
    assert.deepEqual(hrefs(`<p title="<a href=no>"><a title='>' href=1>`), ["1"]);
    assert.deepEqual(hrefs(`</p title="<a href=no>"><a href=1>`), ["1"]);
  });
  it("reports no tag that the end of the document breaks", () => {
    for (const end of ["<a href=no", '<a href="no', "<a href='no>", "<a", "<a href", "<a href=", "<", "</", "<!"]) {
      assert.deepEqual(hrefs(`<a href=1>${end}`), ["1"], end);
    }
  });
  it("replaces NUL, and takes a lone CR for white space", () => {
    assert.deepEqual(hrefs("<a\rhref=1\x00>"), ["1\ufffd"]);
  });
  it("takes < for text where no name follows", () => {
    assert.deepEqual(hrefs("1 < 2 <3 <> << <a href=1>"), ["1"]);
  });
});

describe("TagReader: what is no markup", () => {
  it("ends a comment where a browser does", () => {
    assert.deepEqual(hrefs("<!-- <a href=no> --!><a href=1><!--><a href=2><!---><a href=3>"), ["1", "2", "3"]);
    assert.deepEqual(hrefs("<!--!><a href=no> -- > --><a href=1>"), ["1"]);
    assert.deepEqual(hrefs("<!-- <!-- --><a href=1>"), ["1"]);
    assert.deepEqual(hrefs("<a href=1><!-- <a href=no>"), ["1"]);
  });
  it("ends declarations and end tags of nothing at their first >", () => {
    assert.deepEqual(hrefs(`<!x "><a href=1><?x ?><a href=2></ x><a href=3></><a href=4><![CDATA[><a href=5>]]>`), [
      "1",
      "2",
      "3",
      "4",
      "5",
    ]);
  });
  it("ends raw text at its own end tag only, whatever its case", () => {
    assert.deepEqual(hrefs("<title></titles><a href=no></TITLE\n><a href=1>"), ["1"]);
    assert.deepEqual(hrefs("<style><a href=no>"), []);
  });
  it("knows scripts that hide another script in a comment", () => {
    assert.deepEqual(hrefs("<script><!-- <script></script><a href=no> --></script><a href=1>"), ["1"]);
    assert.deepEqual(hrefs("<script><!-- </script><a href=1>"), ["1"]);
    assert.deepEqual(hrefs("<script><!--><script></script><a href=1>"), ["1"]);
  });
  it("reads CDATA inside SVG and MathML alone", () => {
    assert.deepEqual(hrefs("<svg><![CDATA[ > <a href=no>]]></svg><a href=1>"), ["1"]);
    assert.deepEqual(hrefs("<svg><title><style><a href=no></style></title></svg><a href=1>"), ["1"]);
    assert.deepEqual(hrefs("<svg/><![CDATA[><a href=1>"), ["1"]);
  });
  it("leaves SVG when HTML begins or an outer element ends", () => {
    for (const exit of ["<p>", "</p>", "</div>", "<font color=x>"]) {
      assert.deepEqual(hrefs(`<div><svg>${exit}<textarea><a href=no></textarea><a href=1>`), ["1"], exit);
    }
    assert.deepEqual(hrefs("<svg><font><textarea><a href=1>"), ["1"]);
  });
  it("passes over templates, those within templates too, but not a shadow root's", () => {
    assert.deepEqual(hrefs("<template><template></template><a href=no></template><a href=1></template><a href=2>"), [
      "1",
      "2",
    ]);
    assert.deepEqual(hrefs("<template shadowrootmode=open><a href=1></template>"), ["1"]);
  });
});

describe("TagReader: beside a tree builder", () => {
  // Left out: what is dropped for its place (select, frameset), parse5's own view of shadow roots, CR, half-open SVG.
  const pieces = (
    '<a href=x1>|<a href=\'x2\' rel="b">|<A HREF="x3">|</a>|<p>|</p>|<div class=\'a"b\'>|</div>|<!--|-->|--!>|<!-- c -->|' +
    "<!-->|<!--->|<!---!>|<!doctype html>|<!|<?php x ?>|</|</ >|</>|<|<<|>|'|\"|=|/|<script>|</script>|<script src=s1>|" +
    "<SCRIPT>|</SCRIPT >|</script/x>|<style>|</style>|<title>|</title>|T &amp; U|<textarea>|</textarea>|<xmp>|</xmp>|" +
    "<noframes>|</noframes>|<noscript>|</noscript>|<iframe src=i1>|</iframe>|<template>|</template>|<plaintext>|" +
    '<img src=m1>|<img src=m2/>|<img src="m3"alt=x>|<image src=m4>|<base href=b1>|<base href=b2>|<base>|<html lang=en>|' +
    "<html lang=de>|<body>|</body>|</html>|<head>|<table>|<tr>|<td>|</table>|<svg/>|<![CDATA[|]]>|" +
    '<a href="x4?a=1&amp;b=2&copy=3&copyx&lt">|<a href=&#120;5>|<a\nhref\t=\n\nx6\f>|<a x=1 href=x7 href=x8>|<a href>|' +
    '<a href=>|<a =href=x9 href=x10>|<a href=x11/>|<a href="x12"/>|<a/href=x13>|<a Ø=1 href=x14>|<a href=\0x15>|' +
    "<area href=r1>|<link rel=next href=l1>|<object data=o1>|<video src=v1>|\0|x|--|-|!|]|&|<a href='x16|<a href=\"x17|" +
    "<a href=x18|<h1|<br>|</br>|<embed src=e1>|<li>|<b>|</b>|<nobr>|<button>|<form>|<caption>|<col>|" +
    "<svg><title>t</title><a xlink:href=x19><path/></a></svg>|<svg><![CDATA[ > <a href=no>]]></svg>|" +
    "<svg><style><a href=x20></style></svg>|<svg><foreignObject><iframe src=i2><a></iframe></foreignObject></svg>|" +
    "<math><mi><textarea><a href=no></textarea></mi><mtd><title></mtd></math>|<svg><p>|<math><b>"
  ).split("|");

  it("finds the same links, base, title and language in whatever is put together", () => {
    const documents = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(documents, (text) => assert.deepEqual(readWithTags(text), readWithParse5(text))),
      { numRuns: 3000 },
    );
  });

  it("finds the same in a page with one change anywhere", () => {
    const page =
      '<!doctype html><html lang="en"><head><title>A &amp; B</title><base href="/b/"><link rel="next" href="l">' +
      '<script>if (a < b) { x = "<a href=no>" }</script><style>p > a {}</style></head><body><!-- <a href=no> -->' +
      '<p class="x"><a href="1" title="a > b">one</a> <a href=\'2\'>two</a><img alt="" src=m.png>' +
      "<textarea><a href=no></textarea><iframe src=f></iframe></body></html>";
    const edits = fc.tuple(
      fc.nat(page.length),
      fc.nat(6),
      fc.constantFrom("", "<", ">", '"', "'", "=", "/", "!", "-", " ", "\0"),
    );
    fc.assert(
      fc.property(edits, ([at, cut, put]) => {
        const text = page.slice(0, at) + put + page.slice(at + cut);
        assert.deepEqual(readWithTags(text), readWithParse5(text));
      }),
      { numRuns: 3000 },
    );
  });
});

describe("TagReader: hostile input", () => {
  // In quadratic time a mebibyte would take hours.
  const openings = (
    "<|<a |<!--|<!-|<script>|<script><!--|<script><!--</script>|<script><!--<script>|<a href=\"|<a href='|<a b=' c=\" |" +
    "<title>|<title></|<svg>|<svg></g>|<svg><![CDATA[|<math><mi>|<template>|<a a=|</|</a |</a b='|<?|&|<a href=&|" +
    "<!-->|--|-->|<style>|</p|<svg></math>|<svg><foreignObject>|\0|<a\0"
  ).split("|");

  for (const opening of openings) {
    it(`ends on a mebibyte of ${JSON.stringify(opening)}`, () => {
      const text = opening.repeat(Math.ceil((1024 * 1024) / opening.length));
      const tags = new tag.TagReader(text);
      let count = 0;
      while (tags.next() !== "") count++;
      assert.ok(count <= text.length);
    });
  }

  it("ends on one attribute, and on one name, of a mebibyte", () => {
    assert.deepEqual(hrefs(`<a ${"b ".repeat(512 * 1024)}href=1>`), ["1"]);
    assert.deepEqual(hrefs(`<${"b".repeat(1024 * 1024)} href=no><a href=1>`), ["1"]);
    assert.deepEqual(hrefs(`<svg><${"b".repeat(1024 * 1024)} href=no><a href=1>`), ["1"]);
  });
});
