import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { document } from "../../src/media/document.ts";
import { html } from "../../src/media/html.ts";
import type { Href } from "../../src/model/url.ts";
import type { Read } from "../../src/ports/media-handler.ts";

const read = (body: string): Read =>
  html.read(
    document("http://a.test/" as Href, "text/html", Buffer.from(body), false, [
      "content-type",
      "text/html;charset=utf-8",
    ]),
  ) as Read;
const jsonLd = (body: string): unknown => JSON.parse(read(body).jsonLd ?? "null");
const openGraph = (body: string): unknown => JSON.parse(read(body).openGraph ?? "null");
const block = (text: string, type = "application/ld+json"): string => `<script type="${type}">${text}</script>`;

describe("structured data of a page", () => {
  it("is Open Graph and cards, by property or by name, each with all its texts", () => {
    const body =
      '<meta property="og:title" content="A &amp; é"><meta property=og:image content=1><meta name=OG:image content=2>' +
      '<meta name=twitter:card content=summary><meta property=article:author content="">' +
      "<meta property=other:x content=no><meta name=description content=no><meta property=og:url>";
    assert.deepEqual(openGraph(body), {
      "og:title": ["A & é"],
      "og:image": ["1", "2"],
      "twitter:card": ["summary"],
      "article:author": [""],
    });
  });
  it("is JSON-LD as it was written, every block of it; what is no JSON stays as a text", () => {
    const body =
      block('\n{"@type": "Article", "n": 1.0}\n') +
      block("{broken", "Application/LD+JSON; charset=utf-8") +
      block("{}", "application/json") +
      block("  ");
    assert.equal(read(body).jsonLd, '[{"@type": "Article", "n": 1.0},"{broken"]');
    assert.deepEqual(jsonLd(body), [{ "@type": "Article", n: 1 }, "{broken"]);
  });
  it("is not there where a page has none, nor from templates and comments", () => {
    const hidden = `${block("{}")}<meta property=og:title content=no>`;
    const found = read(`<title>x</title><!-- ${hidden} --><template>${hidden}</template>`);
    assert.ok(!("openGraph" in found) && !("jsonLd" in found));
  });
  it("is bounded: a property is cut, a block that is too long is left out, later ones are taken", () => {
    const long = JSON.stringify({ text: "x".repeat(16_000) });
    assert.deepEqual(jsonLd(block(`"${"x".repeat(20_000)}"`) + block(long) + block(long) + block("1")), [
      JSON.parse(long),
      1,
    ]);
    assert.ok(read(block(long) + block('"'.repeat(10_000))).jsonLd!.length <= 16_384);
    const many = openGraph(`<meta property=og:x content=${"y".repeat(5_000)}>`.repeat(100)) as { "og:x": string[] };
    assert.equal(many["og:x"][0]!.length, 1_000);
    assert.equal(many["og:x"].length, 8);
  });
  it("cannot name what objects inherit", () => {
    assert.deepEqual(openGraph("<meta property=og:__proto__ content=1>"), { "og:__proto__": ["1"] });
  });
});

describe("the language of a page", () => {
  it("is that of html, else that of the pragma when it names one", () => {
    const pragma = "<meta http-equiv=Content-Language content='de'>";
    assert.equal(read(`<html lang=en>${pragma}`).language, "en");
    assert.equal(read(`<html>${pragma}`).language, "de");
    assert.equal(read(`<html lang="">${pragma}`).language, "de");
    assert.equal(read("<meta http-equiv=content-language content='de, en'>").language, undefined);
  });
});
