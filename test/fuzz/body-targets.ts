/** Readers of bodies: HTML, XML, encodings, codings, archives. */
import assert from "node:assert/strict";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { systemClock } from "../../src/base/clock.ts";
import { Apart } from "../../src/media/apart.ts";
import { builtinHandlers, chooseHandler } from "../../src/media/builtin.ts";
import { decode, encodingOfLabel, findEncoding } from "../../src/media/charset.ts";
import { document } from "../../src/media/document.ts";
import { feedOf } from "../../src/media/feed.ts";
import { prescan, xmlEncoding } from "../../src/media/prescan.ts";
import { readXml, sitemap, urlLines } from "../../src/media/sitemap.ts";
import { visibleText } from "../../src/media/visible-text.ts";
import { rootName } from "../../src/media/xml.ts";
import { parseMediaType } from "../../src/model/media-type.ts";
import type { Href } from "../../src/model/url.ts";
import { decodeBody } from "../../src/net/decode.ts";
import { sniff } from "../../src/policy/media-type.ts";
import type { Read } from "../../src/ports/media-handler.ts";
import { parseLine } from "../../src/warc/cdxj-lookup.ts";
import { checkRecord } from "../../src/warc/check.ts";
import { parseHttp, payloadOf } from "../../src/warc/http.ts";
import { readRecords } from "../../src/warc/reader.ts";
import { bytesOf, type Target, textOf } from "./target.ts";

const HREF = "http://a.test/x/y" as Href;
const handlers = builtinHandlers("trawlbot", new Apart({ clock: systemClock }));

function read(body: Uint8Array, type: string): Read | Promise<Read> {
  const handler = chooseHandler(handlers, type);
  assert.ok(handler !== null, type);
  return handler.read(document(HREF, type, body, false, ["Content-Type", type, "Link", "</l>; rel=next"]));
}

function sound({ links, title, robots = [] }: Read): void {
  for (const { href, kind, from, lastmod, changefreq } of links) {
    assert.equal(typeof href, "string");
    assert.ok(
      kind === "page" || (lastmod === undefined && changefreq === undefined),
      "of pages alone is said when they change",
    );
    assert.ok(kind === "page" || kind === "embed");
    assert.notEqual(from, "");
  }
  assert.ok(title === undefined || !/[\t\n\f\r]/.test(title), "white space of the title is folded");
  for (const content of robots) assert.equal(typeof content, "string");
}

const HTML_PAGE =
  '<!doctype html><html lang="en"><head><meta charset=utf-8><title>A &amp; B</title><base href="/b/">' +
  '<meta name=robots content=nofollow><meta http-equiv=refresh content="5; url=/n"><link rel=canonical href=/c>' +
  '<script type="application/ld+json">{"@type":"Thing"}</script><style>@import "s.css";</style></head><body>' +
  '<!-- <a href=no> --><p>x <a href="1" rel=nofollow>one</a><img srcset="a 1x, b 2x" src=m.png><svg><a xlink:href=2 />' +
  "<![CDATA[ > ]]></svg><table><tr><td>t</table><template><a href=no></template><noscript><a href=3></noscript></body></html>";

const htmlTarget: Target = {
  name: "html",
  words: [
    ..."<>/=!-'\"&; \t\n\f\r\0?[]",
    ...[
      "<a href=1>",
      "<a href='",
      '<a href="',
      "<A\nHREF = ",
      "</a>",
      "<!--",
      "-->",
      "--!>",
      "<!-->",
      "<script>",
      "</script>",
      "<script",
      "<!doctype html>",
    ],
    ...[
      "<title>",
      "</title>",
      "<textarea>",
      "<style>",
      "</style>",
      "<xmp>",
      "<plaintext>",
      "<noscript>",
      "<template>",
      "</template>",
      "<svg>",
      "</svg>",
    ],
    ...[
      "<math>",
      "<mi>",
      "<![CDATA[",
      "]]>",
      "<?xml ?>",
      "<base href=b>",
      "<meta charset=utf-8>",
      "<meta http-equiv=refresh content='0;url=x'>",
    ],
    ...[
      "<meta name=robots content=none>",
      "<link rel=next href=l>",
      "<img srcset='a 1x, b 2x'>",
      "<form action=f>",
      "<frameset><frame src=f>",
    ],
    ...[
      "<table>",
      "<select>",
      "<p>",
      "<br/>",
      "text",
      "&amp;",
      "&lt",
      "&#x41;",
      "\ud800",
      "é",
      "<script type=application/ld+json>[",
      "{}",
      "<h1>",
    ],
    ...[
      "<meta property=og:title content=x>",
      "<foreignObject>",
      "<annotation-xml encoding=text/html>",
      "<iframe srcdoc='<a href=x>'>",
    ],
  ],
  samples: [HTML_PAGE, HTML_PAGE.repeat(3)],
  async check(text) {
    for (const body of [Buffer.from(text), bytesOf(text)])
      for (const type of ["text/html", "application/xhtml+xml"]) sound(await read(body, type));
    sound(await read(Buffer.from(`\ufeff${text}`, "utf16le"), "text/html"));
    const seen = visibleText(Buffer.from(text));
    assert.ok(seen.length <= text.length * 3 + 16, "no more is seen than was there");
  },
};

const SITEMAP =
  '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.test/1?x=1&amp;y=2</loc>' +
  "<lastmod>2026-11-30</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url><url><loc><![CDATA[http://a.test/2]]></loc></url></urlset>";
const INDEX = "<sitemapindex><sitemap><loc>/s2.xml.gz</loc></sitemap></sitemapindex>";
const RSS =
  "<rss version=2.0><channel><title>T</title><link>/</link><item><title>I</title><link>/i</link><guid isPermaLink=false>g</guid>" +
  "<pubDate>Mon, 30 Nov 2026 00:00:00 GMT</pubDate><enclosure url='/e.mp3'/></item></channel></rss>";
const ATOM =
  "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/e' rel=alternate /><id>urn:x</id><updated>2026</updated></entry></feed>";

const xml: Target = {
  name: "xml",
  words: [
    ..."<>/='\"&;?! \t\n\0",
    ...[
      "<urlset>",
      "</urlset>",
      "<url>",
      "</url>",
      "<loc>",
      "</loc>",
      "http://a.test/1",
      "<sitemapindex>",
      "<sitemap>",
      "<lastmod>",
      "<?xml",
    ],
    ...[
      "?>",
      " encoding=",
      '"UTF-16"',
      "<!DOCTYPE x [",
      "<!ENTITY a 'b'>",
      "]>",
      "<![CDATA[",
      "]]>",
      "<!--",
      "-->",
      "<rss>",
      "<channel>",
      "<item>",
      "</item>",
    ],
    ...[
      "<link>",
      "</link>",
      "<link href='/x'/>",
      "<feed>",
      "<entry>",
      "</entry>",
      "<rdf:RDF>",
      "&amp;",
      "&a;",
      "&#0;",
      "xmlns='x'",
      "<a:b ",
      "<image:loc>",
    ],
    ...[
      "<guid isPermaLink=true>",
      "<enclosure url=e />",
      "http://b.test/\n",
      "ftp://x\n",
      "<svg>",
      "<html>",
      "é",
      "\ufeff",
      "<url",
      "</",
    ],
  ],
  samples: [
    SITEMAP,
    INDEX,
    RSS,
    ATOM,
    "http://a.test/1\nhttp://a.test/2\r\n",
    textOf(gzipSync(SITEMAP)),
    textOf(gzipSync(gzipSync(INDEX))),
  ],
  async check(text) {
    for (const body of [Buffer.from(text), bytesOf(text)]) {
      sound(await read(body, "application/xml"));
      sound(await sitemap.read(document(HREF, "application/xml", body, false, [])));
    }
    assert.equal(rootName(text), rootName(text).toLowerCase());
    sound(readXml(text));
    sound(feedOf(text));
    urlLines(text);
  },
};

const charset: Target = {
  name: "charset",
  words: [
    ..."<>/='\" \t\n\0;-!",
    ...[
      "<meta",
      " charset=",
      "utf-8",
      "UTF-16LE",
      "shift_jis",
      "x-user-defined",
      "iso-2022-jp",
      "replacement",
      "hz-gb-2312",
      "klingon",
      "'gbk'",
    ],
    ...[
      " http-equiv=content-type",
      " content='text/html; charset=",
      "<!--",
      "-->",
      "<?xml version=",
      " encoding=",
      "?>",
      "<a ",
      "</meta",
      "<script>",
    ],
    ...[
      "\xef\xbb\xbf",
      "\xfe\xff",
      "\xff\xfe",
      "\x00<",
      "<\x00",
      "\x1b$B",
      "\x1b(B",
      "\x82\xa0",
      "\xe3\x83\x84",
      "\xff",
      "x".repeat(1000),
    ],
  ],
  samples: [
    "<!doctype html><meta charset=shift_jis><title>\x93\xfa",
    "<?xml version='1.0' encoding='windows-1251'?><a>\xcf",
    "\xff\xfe<\0a\0>\0",
  ],
  check(text) {
    const body = bytesOf(text);
    for (const type of ["text/html", "application/xml", "text/plain"]) {
      const name = findEncoding(body, type, parseMediaType(`${type}; charset=${text.slice(0, 12)}`));
      assert.equal(encodingOfLabel(name)?.toLowerCase() ?? name.toLowerCase(), name.toLowerCase());
      const decoded = decode(body, name);
      assert.ok(decoded.length <= body.length + 1);
      visibleText(body, { xml: text.length % 2 === 0 });
    }
    prescan(body, encodingOfLabel);
    xmlEncoding(body, encodingOfLabel);
    assert.ok(parseMediaType(sniff(null, body)) !== null);
    for (const declared of ["text/plain", "text/html", "image/png", "application/xml", text.slice(0, 30)]) {
      assert.notEqual(sniff(declared, body), "");
      sniff(declared, body, true);
    }
  },
};

const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync } as const;
const PLAIN = Buffer.from(HTML_PAGE.repeat(4));

const codings: Target = {
  name: "codings",
  words: [
    "\x1f\x8b\x08",
    "\0\0\0\0\0\x03",
    "\x78\x9c",
    "\x28\xb5\x2f\xfd",
    "\x03\0",
    "\xff\xff\xff\xff",
    "\x4b\x04\0",
    "<p>text</p>",
    "\0",
  ],
  samples: [
    ...Object.values(CODINGS).map((encode) => textOf(encode(PLAIN))),
    textOf(deflateRawSync(PLAIN)),
    textOf(gzipSync(gzipSync(PLAIN))),
  ],
  async check(text) {
    const body = bytesOf(text);
    const limits = { maxBytes: 100_000, maxRatio: 200 };
    for (const names of [["gzip"], ["deflate"], ["br"], ["zstd"], ["gzip", "gzip"], ["br", "x-other", "gzip"]]) {
      const { bytes } = await decodeBody(body, names, text.length % 2 === 0, limits);
      assert.ok(bytes.length <= Math.max(limits.maxBytes, body.length));
    }
  },
};

const RECORD = (id: number, type: string, block: string): string =>
  `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${id}>\r\nWARC-Date: 2026-11-30T00:00:00Z\r\n` +
  `WARC-Target-URI: http://a.test/${id}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`;
const BLOCK = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
const RECORDS = [
  RECORD(1, "response", BLOCK),
  RECORD(2, "request", "GET / HTTP/1.1\r\n\r\n"),
  RECORD(3, "response", BLOCK),
];

const warc: Target = {
  name: "warc",
  words: [
    ..."\r\n\0: ",
    ...[
      "WARC/1.1\r\n",
      "WARC/1.0\n",
      "WARC-Type: response\r\n",
      "Content-Length: 5\r\n",
      "Content-Length: 99999999999\r\n",
      "Content-Length: -1\r\n",
    ],
    ...[
      "\r\n\r\n",
      "hello",
      "WARC-Date: x\r\n",
      " folded\r\n",
      "\x1f\x8b\x08",
      "\x28\xb5\x2f\xfd",
      "HTTP/1.1 200 OK\r\n\r\n",
      "WARC-Payload-Digest: sha1:AAAA\r\n",
    ],
    ...["5\r\nhello\r\n", "0\r\n\r\n", "ffffffffffffffff\r\n", '{"url":"x"}', "test,a)/ 20261130000000 {"],
  ],
  samples: [
    RECORDS.join(""),
    RECORDS.map((record) => textOf(gzipSync(record))).join(""),
    RECORDS.map((record) => textOf(zstdCompressSync(record))).join(""),
    textOf(gzipSync(RECORDS.join(""))),
  ],
  async check(text) {
    const bytes = bytesOf(text);
    let end = 0;
    let items = 0;
    for await (const item of readRecords([bytes.subarray(0, 7), bytes.subarray(7)])) {
      assert.ok(item.offset >= 0 && item.length >= 0 && item.offset + item.length <= bytes.length);
      assert.ok(item.offset >= end || item.kind === "record", "damage is told once");
      end = Math.max(end, item.offset);
      assert.ok(++items <= bytes.length + 1);
      if (item.kind === "record") checkRecord(item);
    }
    payloadOf(parseHttp(bytes));
    parseLine(text);
  },
};

export const BODY_TARGETS: readonly Target[] = [htmlTarget, xml, charset, codings, warc];
