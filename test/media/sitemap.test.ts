import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { document } from "../../src/media/document.ts";
import { inflateGzip } from "../../src/media/gzip.ts";
import { MAX_SITEMAP_URLS, readXml, sitemap } from "../../src/media/sitemap.ts";
import type { Href } from "../../src/model/url.ts";
import type { Read } from "../../src/ports/media-handler.ts";

const read = async (body: string | Uint8Array, headers: readonly string[] = []): Promise<Read> =>
  sitemap.read(
    document("http://a.test/s.xml" as Href, "x/y", typeof body === "string" ? Buffer.from(body) : body, false, headers),
  );

const hrefs = (found: Read): string[] => found.links.map((link) => `${link.kind} ${link.from} ${link.href}`);
const dates = (found: Read) => found.links.map(({ lastmod }) => lastmod ?? null);
const urlset = (content: string): string => `<?xml version="1.0"?><urlset xmlns="x">${content}</urlset>`;

describe("sitemap: XML", () => {
  it("gives each entry's URL with its date, whichever comes first", async () => {
    const found = await read(
      urlset(
        "<url><loc> http://a.test/1\n</loc><lastmod>2026-01-02</lastmod></url>" +
          "<url><lastmod>2026-01-03</lastmod><loc>http://a.test/2</loc></url><url><loc>http://a.test/3</loc></url>",
      ),
    );
    assert.deepEqual(hrefs(found), [
      "page sitemap http://a.test/1",
      "page sitemap http://a.test/2",
      "page sitemap http://a.test/3",
    ]);
    assert.deepEqual(dates(found), ["2026-01-02", "2026-01-03", null]);
  });
  it("gives what an entry says of its changes to each of its pages, and to nothing else", async () => {
    const found = await read(
      urlset(
        '<url><changefreq> Daily </changefreq><xhtml:link rel="alternate" href="http://a.test/de"/>' +
          "<loc>http://a.test/1</loc><image:image><image:loc>http://a.test/i.png</image:loc></image:image>" +
          "<lastmod>2026-01-02</lastmod></url><url><loc>http://a.test/2</loc></url>",
      ),
    );
    const said = { lastmod: "2026-01-02", changefreq: "Daily" };
    assert.deepEqual(found.links, [
      { href: "http://a.test/de", kind: "page", from: "sitemap", ...said },
      { href: "http://a.test/1", kind: "page", from: "sitemap", ...said },
      { href: "http://a.test/i.png", kind: "embed", from: "image" },
      { href: "http://a.test/2", kind: "page", from: "sitemap" },
    ]);
  });
  it("tells the sitemaps that an index names from pages", async () => {
    const found = await read("<sitemapindex><sitemap><loc>http://a.test/1.xml.gz</loc></sitemap></sitemapindex>");
    assert.deepEqual(hrefs(found), ["page sitemapindex http://a.test/1.xml.gz"]);
  });
  it("joins CDATA and references, and leaves a bare & alone", async () => {
    const found = await read(
      urlset("<url><loc>http://a.test/?a=1&amp;b<![CDATA[&c=&amp;]]>&d&copy=&#x21;</loc></url>"),
    );
    assert.deepEqual(hrefs(found), ["page sitemap http://a.test/?a=1&b&c=&amp;&d&copy=!"]);
  });
  it("takes image and video URLs for embeds, other languages for pages, news for nothing", async () => {
    const found = await read(
      urlset(
        "<url><loc>http://a.test/1</loc><image:image><image:loc>http://a.test/i.png</image:loc></image:image>" +
          "<v:video><v:content_loc>http://a.test/v.mp4</v:content_loc><v:lastmod>no</v:lastmod></v:video>" +
          '<xhtml:link rel="alternate" hreflang="de" href="http://a.test/de?a&amp;b"/>' +
          "<n:news><n:publication_date>2026</n:publication_date></n:news></url>",
      ),
    );
    assert.deepEqual(hrefs(found), [
      "page sitemap http://a.test/1",
      "embed image http://a.test/i.png",
      "embed video http://a.test/v.mp4",
      "page sitemap http://a.test/de?a&b",
    ]);
    assert.deepEqual(dates(found), [null, null, null, null]);
  });
  it("does not care for prefixes, case, name spaces, comments, a mark or white space before", async () => {
    const found = await read(
      "\ufeff \n<!-- <url> --><S:URLSET><S:Url><S:Loc>http://a.test/1</S:Loc></S:Url></S:URLSET>",
    );
    assert.deepEqual(hrefs(found), ["page sitemap http://a.test/1"]);
  });
  it("mends what is found in the wild: url inside loc, no loc, no end", async () => {
    assert.deepEqual(hrefs(readXml("<urlset><url><loc><url>http://a.test/1</url></loc></url></urlset>")), [
      "page sitemap http://a.test/1",
    ]);
    assert.deepEqual(hrefs(readXml("<sitemapindex><sitemap> http://a.test/1 </sitemap></sitemapindex>")), [
      "page sitemapindex http://a.test/1",
    ]);
    assert.deepEqual(hrefs(readXml("<urlset><url><loc>http://a.test/1</lo")), ["page sitemap http://a.test/1"]);
    assert.deepEqual(hrefs(readXml("<urlset><url><loc>http://a.test/cut-he")), []);
  });
  it("reads nothing from outside: an entity that it does not know is no URL", async () => {
    const found = await read(
      '<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>&x;</loc></url></urlset>',
    );
    assert.deepEqual(found.links, []);
  });
  it("drops what is no URL from the root on", async () => {
    const found = await read(
      urlset("<url><loc>a/b</loc></url><url><loc>/c</loc></url><url><loc>ftp://a.test/</loc></url>"),
    );
    assert.deepEqual(hrefs(found), ["page sitemap /c"]);
  });
  it("stops at 50,000 URLs and says so", async () => {
    const found = await read(urlset("<url><loc>http://a.test/</loc></url>".repeat(MAX_SITEMAP_URLS + 5)));
    assert.equal(found.links.length, MAX_SITEMAP_URLS);
    assert.equal(found.error, "sitemap-too-many-urls");
  });
  it("never throws, whatever the text", () => {
    const pieces =
      "<urlset>|<url>|<loc>|</loc>|</url>|http://a/|<![CDATA[|]]>|<!--|-->|<|>|&|\"|'|<link rel='alternate' href=|/>|<rss>|<item>|<feed>|</";
    const texts = fc.array(fc.constantFrom(...pieces.split("|")), { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(fc.property(texts, (text) => Array.isArray(readXml(text).links)));
    fc.assert(fc.property(texts, (text) => Array.isArray(readXml(`<rss>${text}`).links)));
  });
  it("ends on mebibytes of openings", () => {
    for (const piece of [
      "<",
      "<a ",
      "<!--",
      "<![CDATA[",
      "<link a",
      "<loc>",
      '<link rel="',
      "<url>",
      "&",
      "<?",
      "<link rel=alternate a ",
    ]) {
      readXml(`<urlset>${piece.repeat((1024 * 1024) / piece.length)}`);
      readXml(`<rss>${piece.repeat((1024 * 1024) / piece.length)}`);
    }
    readXml(`<urlset><link ${"a".repeat(1024 * 1024)} rel=alternate ${"b=c ".repeat(1024 * 256)}>`);
  });
});

describe("sitemap: text", () => {
  it("takes each line that is a URL, under any line ends", async () => {
    const found = await read("\ufeffhttp://a.test/1\r\nhttps://a.test/2\r\r no url\n\nhttp://a.test/é\n");
    assert.deepEqual(hrefs(found), [
      "page sitemap http://a.test/1",
      "page sitemap https://a.test/2",
      "page sitemap http://a.test/é",
    ]);
  });
});

describe("sitemap: gzip", () => {
  const xml = urlset("<url><loc>http://a.test/1</loc></url>");
  it("is known by its first bytes, once or twice over", async () => {
    assert.deepEqual(hrefs(await read(gzipSync(xml))), ["page sitemap http://a.test/1"]);
    assert.deepEqual(hrefs(await read(gzipSync(gzipSync(xml)))), ["page sitemap http://a.test/1"]);
    assert.deepEqual(hrefs(await read(gzipSync("http://a.test/2"))), ["page sitemap http://a.test/2"]);
  });
  it("gives what there is before it breaks off", async () => {
    const long = gzipSync(
      urlset(
        Array.from({ length: 5000 }, (_, i) => `<url><loc>http://a.test/${(i * 7919) % 5000}</loc></url>`).join(""),
      ),
    );
    const found = await read(long.subarray(0, long.length / 2));
    assert.ok(found.links.length > 100);
    assert.equal(found.error, "sitemap-cut");
    assert.deepEqual((await read(Buffer.from([0x1f, 0x8b, 8, 1, 2, 3]))).links, []);
  });
  it("does not unpack a bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
    const inflated = await inflateGzip(bomb, 50 * 1024 * 1024);
    assert.ok(inflated.cut);
    assert.ok(inflated.bytes.length <= 50 * 1024 * 1024);
    const small = await inflateGzip(gzipSync(Buffer.alloc(8 * 1024 * 1024)), 50 * 1024 * 1024);
    assert.ok(small.cut && small.bytes.length < 2 * 1024 * 1024, "the ratio counts beyond the first mebibyte");
  });
});
