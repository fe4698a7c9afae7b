import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { Apart } from "../../src/media/apart.ts";
import { withMainContent } from "../../src/media/content-handler.ts";
import { document } from "../../src/media/document.ts";
import { html } from "../../src/media/html.ts";
import { mainContent, missingForContent } from "../../src/media/main-content.ts";
import type { Href } from "../../src/model/url.ts";
import type { Read } from "../../src/ports/media-handler.ts";
import { debianDocs } from "../services/debian-docs.ts";

const HREF = "http://a.test/dir/page";
const paragraph = "Some words that make a paragraph, with commas, and enough of them to be an article. ".repeat(4);

const ARTICLE = `<html lang=en><head><title>The title | Site</title><base href="/base/"></head><body>
<nav><ul>${"<li><a href=/n>Menu entry</a></li>".repeat(20)}</ul></nav>
<main><article><h1>The title</h1><p>${paragraph}<a href="rel.html">a link</a></p>
<h2>Section<a class=headerlink href="#s">¶</a></h2><p>${paragraph}</p>
<ul><li><p>one</p></li><li>two<ul><li>three</li></ul></li></ul>
<div class="highlight-python"><pre>def f():
    return "\`\`\`"
\`\`\`
</pre></div>
<table><caption>Sizes</caption><tr><th>Name</th><th>Size</th></tr><tr><td>a|b</td><td><p>1</p></td></tr></table>
<p>${paragraph}<img src="i.png" alt="An image"></p></article></main>
<footer>Copyright and all that</footer><script>no()</script></body></html>`;

describe("main content", () => {
  it("is the article, without what stands around it", async () => {
    const { title, text, markdown } = await mainContent(ARTICLE, HREF);
    assert.equal(title, "The title | Site");
    for (const form of [text, markdown]) {
      assert.ok(form.includes(paragraph.trim()));
      assert.doesNotMatch(form, /Menu entry|Copyright|no\(\)|¶/);
    }
  });
  it("is text with paragraphs, items and rows", async () => {
    const { text } = await mainContent(ARTICLE, HREF);
    assert.match(text, /\n\nSection\n\nSome words/);
    assert.match(text, /\n\n- one\n\n- two\n\n- three\n\n/);
    assert.match(text, /def f\(\):\n {4}return "```"\n/);
    assert.match(text, /Sizes\nName\tSize\na\|b\t1\n\n/);
  });
  it("is Markdown with headings, fences, tables and absolute links", async () => {
    const { markdown } = await mainContent(ARTICLE, HREF);
    assert.match(markdown, /^# The title \| Site\n\nSome words/);
    assert.match(markdown, /\[a link\]\(http:\/\/a\.test\/base\/rel\.html\)/);
    assert.match(markdown, /!\[An image\]\(http:\/\/a\.test\/base\/i\.png\)/);
    assert.match(markdown, /\n\n## Section\n\n/);
    assert.match(markdown, /\n````python\ndef f\(\):\n {4}return "```"\n```\n````\n/);
    assert.match(markdown, /\n\nSizes\n\n\| Name \| Size \|\n\| --- \| --- \|\n\| a\\\|b \| 1 \|\n\n/);
  });
  it("is the whole page, where there is no article in it", async () => {
    const { text, title } = await mainContent("<title>T</title><script>no</script><p>Short.<br>Page", HREF);
    assert.deepEqual([title, text], ["T", "Short.\nPage"]);
    const bare = await mainContent(
      "<!doctype html><html lang=en><meta charset=utf-8><title>T</title>Short. <b>Page</b></html>",
      HREF,
    );
    assert.deepEqual([bare.title, bare.text], ["T", "Short. Page"]);
    for (const empty of ["", "<html></html>", "<frameset></frameset>", "\0", "<!---->"])
      assert.equal((await mainContent(empty, HREF)).text, "", empty);
  });
  it("keeps tables of layout as text", async () => {
    const layout = `<table><tr><td><ul><li>${paragraph}</ul></td><td>${paragraph}</td></tr><tr><td>x</td></tr></table>`;
    const { markdown } = await mainContent(`<html><body>${layout}</body></html>`, HREF);
    assert.doesNotMatch(markdown, /\|/);
  });
  it("holds nearly all of a manual's page, and nothing but it", async () => {
    const { root } = await debianDocs("postgresql");
    const page = await readFile(join(root, "datatype-numeric.html"), "utf8");
    const { markdown, text } = await mainContent(page, "http://a.test/datatype-numeric.html");
    for (const heading of ["8.1.1. Integer Types", "8.1.4. Serial Types"])
      assert.ok(markdown.replaceAll("\u00a0", " ").includes(`### ${heading}`));
    assert.match(markdown, /\| `smallint` \| 2 bytes \|/);
    assert.match(markdown, /\n```\nNUMERIC\(precision, scale\)\n```\n/);
    assert.ok(text.length > 15_000, String(text.length));
    assert.doesNotMatch(text, /Prev|Next/);
  });
});

describe("the packages for main content", () => {
  it("are told by name where they are missing", () => {
    assert.deepEqual(missingForContent(), []);
    assert.deepEqual(missingForContent(["linkedom", "no-such-package-here"]), ["no-such-package-here"]);
  });
});

describe("the handler that gives main content", () => {
  const apart = new Apart({ clock: systemClock });
  const handler = withMainContent(html, apart);
  after(() => apart[Symbol.asyncDispose]());
  const given = document(HREF as Href, "text/html", Buffer.from(ARTICLE), false, ["content-type", "text/html"]);

  it("does nothing but read the page when none is asked for", () => {
    const found = handler.read(given) as Read;
    assert.ok(!(found instanceof Promise) && found.conversions === undefined);
  });
  it("gives the forms that are asked for, beside all that the page has", async () => {
    const found = await handler.read({ ...given, converts: ["text/markdown"] });
    assert.deepEqual(
      found.conversions?.map(({ type }) => type),
      ["text/markdown"],
    );
    assert.equal(found.links.length, 23);
    const both = await handler.read({ ...given, converts: ["text/plain", "text/markdown"] });
    assert.equal(both.conversions?.length, 2);
  });
  it("keeps the page's links when its content cannot be found", async () => {
    const closed = new Apart({ clock: systemClock });
    await closed[Symbol.asyncDispose]();
    const found = await withMainContent(html, closed).read({ ...given, converts: ["text/plain"] });
    assert.equal(found.links.length, 23);
    assert.match(found.error ?? "", /^main content: .*stopped/);
  });
});
