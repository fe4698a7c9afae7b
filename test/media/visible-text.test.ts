/** The visible text of a page is what parse5's tree shows outside of scripts, styles and the like. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { defaultTreeAdapter as adapter, parse, type DefaultTreeAdapterTypes as Tree } from "parse5";
import { printSimhash, simhash } from "../../src/dedup/simhash.ts";
import { document } from "../../src/media/document.ts";
import { html } from "../../src/media/html.ts";
import { visibleText } from "../../src/media/visible-text.ts";
import type { Href } from "../../src/model/url.ts";
import type { Read } from "../../src/ports/media-handler.ts";

const textOf = (html: string): string => visibleText(new TextEncoder().encode(html));

const UNSEEN = new Set(["script", "style", "title", "iframe", "noembed", "noframes", "svg", "template"]);

/** All text of the tree that is seen, white space taken out: where there is a space is another matter. */
function lettersByTree(html: string): string {
  let letters = "";
  const pending: Tree.Node[] = [parse(html, { scriptingEnabled: false })];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (adapter.isTextNode(node)) letters += node.value;
    if (adapter.isElementNode(node) && UNSEEN.has(node.tagName)) continue;
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) pending.push(child);
  }
  return letters.replace(/\s+/g, "");
}

const piece = fc.constantFrom(
  ..."<p>,</p>,<div class='a>b'>,</div>,<b>,</b>,<a href=x/>,</a>,<br/>,one,two , three,&amp;,&lt;p&gt;,1 < 2,".split(
    ",",
  ),
  ..."<!-- x -->,<!-->,<!doctype html>,<?pi?>,</ x>,<textarea>,</textarea>,<ul><li>,</ul>,<img alt='>'>".split(","),
  ..."<script>a<b</script>,<style>p{}</style>,<title>t</title>,<noscript>n</noscript>,<svg><g>s</g></svg>".split(","),
  ..."<template>t</template>,<x-y>,<p =a'>,<p a=b'c>,<p a = \"'>\" b>,\n,\u00a0é".split(","),
);

describe("visible text", () => {
  it("is what stands between tags, white space folded", () => {
    assert.equal(textOf("<p>  One\n\ttwo <b>th</b>ree </p>"), "One two three");
    assert.equal(textOf("no markup"), "no markup");
    assert.equal(textOf(""), "");
    assert.equal(textOf("<p> </p>\n"), "");
  });

  it("sets blocks, cells, items and lines apart, and leaves inline elements together", () => {
    assert.equal(textOf("<div>a</div><div>b</div>"), "a b");
    assert.equal(textOf("<tr><td>a<td>b</table>c"), "a b c");
    assert.equal(textOf("a<br>b<hr/>c"), "a b c");
    assert.equal(textOf("<ul><li>a<li>b</ul>"), "a b");
    assert.equal(textOf("<b>w</b>or<i>d</i><span>s</span>"), "words");
  });

  it("leaves out scripts, styles, titles, templates and drawings, and shows what is for browsers without scripts", () => {
    const html = `<!doctype html><head><title>T</title><style>p > b { }</style><script>if (a < b) "</p>"</script></head>
      a<noscript><p>on</p></noscript>b<template><p>c<template>d</template>e</p></template>f
      <svg><title>g</title><text>h</text><svg/><g/></svg>i<iframe>j</iframe><!-- k <p> -->l`;
    assert.equal(textOf(html), "a on bf il");
  });

  it("goes on behind a drawing that was not closed", () => {
    assert.equal(textOf("a<svg><path d=''>b<p>c"), "a c");
    assert.equal(textOf("a<svg viewBox='0 0 1 1'/>b"), "ab");
  });

  it("shows text areas and plain text as they stand", () => {
    assert.equal(textOf("a<textarea><b>x</b></textarea>b<plaintext>c</p> &lt;"), "a <b>x</b> b c</p> &lt;");
  });

  it("decodes character references and the document's bytes", () => {
    assert.equal(textOf("a&amp;b &eacute; &#x4e2d; é 中 &nosuch;"), "a&b é 中 é 中 &nosuch;");
  });

  it("takes a > in quotes for a part of its tag, and a < before a space for text", () => {
    assert.equal(textOf(`<a title="a > b" href='x>y'>c</a> <d e=f>g</d> 1 < 2`), "c g 1 < 2");
    assert.equal(textOf(`<a x="`), "");
    assert.equal(textOf(`a<b`), "a");
    assert.equal(textOf(`a<b c=">d`), "a");
  });

  it("is the tree's, for documents of all sorts of pieces", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const html = `<body>${pieces.join("")}`;
        assert.equal(textOf(html).replace(/\s+/g, ""), lettersByTree(html), html);
      }),
      { seed: 1, numRuns: 3000 },
    );
  });

  it("has the SimHash that a page gets while its links are read", () => {
    const words = Array.from({ length: 40 }, (_, i) => `w${String.fromCharCode(97 + (i % 26))} `).join("");
    const hashOf = (body: Uint8Array, charset: string): unknown => {
      const plain = document("http://a.test/" as Href, "text/html", body, false, [
        "content-type",
        `text/html;charset=${charset}`,
      ]);
      return (html.read({ ...plain, wantsText: true }) as Read).simhash;
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const page = `<body>${words}${pieces.join("")}`;
        const hash = simhash(textOf(page));
        assert.ok(hash);
        assert.equal(hashOf(Buffer.from(page), "utf-8"), printSimhash(hash));
        assert.equal(hashOf(Buffer.from(page, "latin1"), "windows-1252"), printSimhash(hash));
        assert.equal(hashOf(Buffer.from(page, "utf16le"), "utf-16le"), printSimhash(hash));
      }),
      { seed: 3, numRuns: 500 },
    );
    assert.equal(hashOf(Buffer.from("<p>short"), "utf-8"), null);
  });

  it("takes linear time for what never ends", () => {
    for (const part of ["<", "<a ", "<svg>", "<!--", "<template>", "<script>", "<p a='", "</", "<noscript><b>", "&"])
      textOf(part.repeat(100_000));
  });

  it("reads any bytes, and great documents", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000, size: "max" }), (bytes) => {
        assert.equal(typeof visibleText(bytes), "string");
      }),
      { seed: 2, numRuns: 200 },
    );
    const great = "<p>word</p>".repeat(200_000);
    assert.equal(textOf(great).length, 5 * 200_000 - 1);
  });
});
