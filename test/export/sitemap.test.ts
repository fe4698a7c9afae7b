import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { streamed } from "../../src/base/streamed.ts";
import { Listing, mayBeListed, sitemapIndex } from "../../src/export/sitemap.ts";
import { document } from "../../src/media/document.ts";
import { sitemap } from "../../src/media/sitemap.ts";
import type { PageInfo } from "../../src/model/page.ts";
import type { UrlRecord } from "../../src/model/record.ts";
import type { Href } from "../../src/model/url.ts";
import { dropped, fetched, queued } from "./records.ts";

const page = (href: string, more: Partial<PageInfo> = {}, lastModified: string | null = null): UrlRecord => {
  const record = fetched();
  const visit = {
    ...record.visit!,
    lastModified,
    page: { ...record.visit!.page!, canonical: null, noindex: false, ...more },
  };
  return { ...record, href: href as Href, visit };
};

/** As our own reader of sitemaps understands it. */
async function read(text: string) {
  const body = Buffer.from(text);
  const read = await sitemap.read(document("http://a.test/sitemap.xml" as Href, "application/xml", body, false, []));
  return { links: read.links.map(({ href }) => href), lastmod: read.links.map((link) => link.lastmod) };
}

describe("a sitemap", () => {
  it("lists the pages, their characters escaped, with the time of their last change", async () => {
    const pages = [
      page("http://a.test/?a=1&b='2'", {}, "Mon, 30 Nov 2026 12:00:00 GMT"),
      page("http://a.test/2", {}, "soon"),
    ];
    const { links, lastmod } = await read(
      (await Array.fromAsync((await Listing.of(streamed(pages))).texts())).join(""),
    );
    assert.deepEqual(links, ["http://a.test/?a=1&b='2'", "http://a.test/2"]);
    assert.deepEqual(lastmod, ["2026-11-30T12:00:00Z", undefined]);
  });
  it("leaves out what is no page, or asks to be left out, or names another page to take", () => {
    assert.ok(mayBeListed(page("http://a.test/", { canonical: "http://a.test/" })));
    for (const record of [
      queued,
      dropped(),
      page("http://a.test/", { noindex: true }),
      page("http://a.test/", { canonical: "http://a.test/other" }),
      page("http://a.test/", { mediaType: "text/css" }),
    ])
      assert.ok(!mayBeListed(record));
  });
  it("takes no more than it may hold, and the next one goes on there", async () => {
    const pages = Array.from({ length: 7 }, (_, i) => page(`http://a.test/${i}`));
    const listing = await Listing.of(streamed(pages));
    const found: string[] = [];
    const lengths: number[] = [];
    while (listing.next !== null) {
      const { links } = await read((await Array.fromAsync(listing.texts({ urls: 3, bytes: 1e6 }))).join(""));
      found.push(...links);
      lengths.push(links.length);
    }
    assert.deepEqual(lengths, [3, 3, 1]);
    assert.deepEqual(
      found,
      pages.map(({ href }) => href as string),
    );
    const small = (await Array.fromAsync((await Listing.of(streamed(pages))).texts({ urls: 99, bytes: 300 }))).join("");
    assert.ok(small.length <= 300 && small.includes("http://a.test/1"), small);
  });
  it("has an index that readers follow", async () => {
    const { links } = await read(sitemapIndex(["http://a.test/s-1.xml", "http://a.test/s-2.xml"]));
    assert.deepEqual(links, ["http://a.test/s-1.xml", "http://a.test/s-2.xml"]);
  });
});
