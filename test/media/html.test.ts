import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { document } from "../../src/media/document.ts";
import { html, htmlHandler } from "../../src/media/html.ts";
import type { Href } from "../../src/model/url.ts";
import type { Read } from "../../src/ports/media-handler.ts";

interface Options {
  readonly type?: string;
  readonly headers?: readonly string[];
  readonly agent?: string;
}

function read(body: string | Uint8Array, options: Options = {}): Read {
  const { type = "text/html", headers = ["Content-Type", `${type}; charset=utf-8`], agent } = options;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const handler = agent === undefined ? html : htmlHandler(agent);
  return handler.read(document("http://a.test/dir/page" as Href, type, bytes, false, headers)) as Read;
}

const pages = (body: string, options?: Options): string[] =>
  read(body, options)
    .links.filter((link) => link.kind === "page")
    .map((link) => link.href);
const embeds = (body: string, options?: Options): string[] =>
  read(body, options)
    .links.filter((link) => link.kind === "embed")
    .map((link) => link.href);

describe("html: links", () => {
  it("takes a, area, iframe, frame and meta refresh for pages, in the order of the document", () => {
    const body =
      '<meta http-equiv=Refresh content="1;url=r"><a href=1>x</a><map><area href=2></map>' +
      "<iframe src=3></iframe><frame src=4><A HREF='5' REL='NoFollow'>";
    assert.deepEqual(pages(body), ["r", "1", "2", "3", "4", "5"]);
    assert.deepEqual(read(body).links.at(-1), { href: "5", kind: "page", from: "a", rel: "NoFollow" });
  });
  it("takes for embeds what a browser would load", () => {
    const body =
      '<link rel=stylesheet href=1><script src=2></script><img src=3 srcset="4 1x, 5 2x"><source srcset=6>' +
      "<video src=7 poster=8><audio src=9></audio><track src=10><embed src=11><object data=12></object>" +
      "<input type=IMAGE src=13><input src=no><table background=14><link rel=preload imagesrcset='15 1x'>" +
      "<style>a{b:url(16)}</style><link rel='shortcut icon' href=17><image src=18>";
    assert.deepEqual(
      embeds(body),
      Array.from({ length: 18 }, (_, i) => String(i + 1)),
    );
    assert.deepEqual(pages(body), []);
  });
  it("follows link rel=next, alternate and canonical, but no preconnect and no form", () => {
    const body =
      "<link rel=next href=1><link rel=alternate hreflang=de href=2><link rel=canonical href=3>" +
      "<link rel=preconnect href=no><form action=no><button formaction=no></form>";
    assert.deepEqual(pages(body), ["1", "2", "3"]);
    assert.deepEqual(embeds(body), []);
    assert.equal(read(body).canonical, "3");
  });
  it("makes no embed of an empty URL, no page of about:blank", () => {
    assert.deepEqual(
      read("<img src=''><script src></script><iframe src=about:blank></iframe><frame src=' '>").links,
      [],
    );
  });
  it("finds SVG's links, by either name, and passes over references into the page", () => {
    const body = "<svg><a xlink:href=1><image href=2 /><use href='#no'/><use href='s.svg#x'/></a><a href=3></a></svg>";
    assert.deepEqual(pages(body), ["1", "3"]);
    assert.deepEqual(embeds(body), ["2", "s.svg#x"]);
  });
  it("reads the content of noscript, as a browser without scripts does", () => {
    assert.deepEqual(pages("<noscript><a href=1></a></noscript>"), ["1"]);
  });
  it("does not read scripts, comments, textareas, templates and plaintext", () => {
    const link = "<a href=no></a>";
    const body =
      `<script>${link}</script><!-- ${link} --><textarea>${link}</textarea><template>${link}</template>` +
      `<xmp>${link}</xmp><style>${link}</style><iframe>${link}</iframe><a href=yes></a><plaintext>${link}`;
    assert.deepEqual(pages(body), ["yes"]);
  });
  it("decodes references in attributes, but not those that only look so", () => {
    assert.deepEqual(pages('<a href="?a&amp;b&copy=1&copyx&eacute;&#x2f;&#47;&lt&notit;">'), [
      "?a&b&copy=1&copyxé//<&notit;",
    ]);
  });
  it("reads a value in any encoding, whether the bytes are walked or the text", () => {
    const utf8 = read("<title>né</title><a href='/né—'>");
    assert.equal(utf8.title, "né");
    assert.equal(utf8.links[0]?.href, "/né—");
    const windows = read(Buffer.from("<title>n\xe9 \x80</title><a href=/n\xe9>", "latin1"), { headers: [] });
    assert.equal(windows.title, "né €");
    assert.equal(windows.links[0]?.href, "/né");
    const japanese = Buffer.from("<a href=/\x83\x5c>", "latin1");
    assert.equal(read(japanese, { headers: ["content-type", "text/html;charset=shift_jis"] }).links[0]?.href, "/ソ");
    const broken = Buffer.from('<p title="\x83"><a href=1>', "latin1"); // half a character does not eat the quote
    assert.equal(read(broken, { headers: ["content-type", "text/html;charset=shift_jis"] }).links[0]?.href, "1");
    const wide = Buffer.from("\ufeff<a href=/né>", "utf16le");
    assert.equal(read(wide).links[0]?.href, "/né");
  });
  it("reads XHTML by the rules of XML: every element may close itself, CDATA is text", () => {
    const body =
      "<html xml:lang='de'><title/><script src='1'/><a href='2'/><textarea/><![CDATA[<a href='no'/>]]><a href='3'/></html>";
    const found = read(body, { type: "application/xhtml+xml" });
    assert.deepEqual(
      found.links.map((link) => link.href),
      ["1", "2", "3"],
    );
    assert.equal(found.language, "de");
  });
});

describe("html: the page itself", () => {
  it("takes the first base that has an href, and nothing else for a base", () => {
    assert.equal(read("<!-- <base href=no> --><base target=x><base href=/b/><base href=no>").base, "/b/");
    assert.equal(read("<script>'<base href=no>'</script><basefoo href=no>").base, undefined);
  });
  it("folds the title's white space, decodes it, and does not take an SVG's", () => {
    assert.equal(read("<svg><title>no</title></svg><title>\n A &amp;\t<b> </title><title>no</title>").title, "A & <b>");
  });
  it("cuts facts that are too long", () => {
    assert.equal(read(`<title>${"x".repeat(5000)}</title>`).title?.length, 1000);
  });
  it("reads language and description", () => {
    const found = read("<html lang=' en-GB '><meta name=Description content=' a\n b '>");
    assert.equal(found.language, "en-GB");
    assert.equal(found.description, "a b");
  });
  it("reads meta robots for all and for its own agent, not for others", () => {
    const body =
      "<meta name=ROBOTS content=noindex><meta name=trawlbot content=nofollow><meta name=googlebot content=none><meta content=x>";
    assert.deepEqual(read(body, { agent: "TrawlBot" }).robots, ["noindex", "nofollow"]);
    assert.deepEqual(read(body).robots, ["noindex"]);
  });
});

describe("html: header fields", () => {
  it("resolves them against the response's URL, not the document's base", () => {
    const headers = [
      "Link",
      '<next>; rel="next", <c>; rel=canonical',
      "link",
      "</s.css>; rel=stylesheet",
      "Refresh",
      "0; url=r",
    ];
    const found = read("<base href=/other/>", { headers });
    assert.deepEqual(
      found.links.map((link) => `${link.kind} ${link.href}`),
      [
        "page http://a.test/dir/next",
        "page http://a.test/dir/c",
        "embed http://a.test/s.css",
        "page http://a.test/dir/r",
      ],
    );
    assert.equal(found.canonical, "http://a.test/dir/c");
  });
});
