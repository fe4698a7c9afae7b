import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "../../src/base/log.ts";
import type { Admit } from "../../src/crawl/context.ts";
import { type Reading, read } from "../../src/crawl/read.ts";
import { RecentLinks } from "../../src/dedup/recent.ts";
import { document } from "../../src/media/document.ts";
import type { FetchResponse } from "../../src/model/fetch-result.ts";
import type { HostKey } from "../../src/model/host.ts";
import type { Lease } from "../../src/model/lease.ts";
import type { RawLink } from "../../src/model/link.ts";
import { LISTED_WORDS, listedAt } from "../../src/model/listed.ts";
import type { PageInfo } from "../../src/model/page.ts";
import type { Href } from "../../src/model/url.ts";
import type { Answer } from "../../src/model/visited.ts";
import type { MediaHandler, Read } from "../../src/ports/media-handler.ts";
import { SimulatedClock } from "./simulated-clock.ts";

const HREF = "http://a.test/" as Href;

/** What is read of a page of which a handler says `found`. */
async function readingOf(found: Read, rawHeaders: readonly string[] = [], admit: Admit = () => null): Promise<Reading> {
  const handler: MediaHandler = { name: "test", accepts: ["*/*"], read: () => found };
  const response = { status: 200, href: HREF, rawHeaders, bodyRead: true } as unknown as FetchResponse;
  const answer = { location: null, challenge: null } as unknown as Answer;
  const lease = { url: { id: 1, href: HREF, host: "http://a.test", depth: 0, source: "seed" } } as unknown as Lease;
  return read(response, "image/png", answer, lease, {
    reading: {
      identify: () => "image/png",
      choose: () => handler,
      sitemap: handler,
      [Symbol.asyncDispose]: async () => {},
      document: (_, mediaType) => document(HREF, mediaType, new Uint8Array(), false, rawHeaders),
    },
    admission: { admit, extend() {} },
    rules: {
      agent: "",
      assets: false,
      obeyRelNofollow: true,
      obeyPageRobots: true,
      maxLinks: 100,
      metadata: false,
      readMs: 10,
    },
    sentLately: new RecentLinks(),
    clock: new SimulatedClock(),
    log: silentLog,
  });
}

/** What is kept of it. */
async function pageOf(found: Read, rawHeaders: readonly string[] = []): Promise<PageInfo> {
  const { page } = await readingOf(found, rawHeaders);
  assert.ok(page !== null);
  return page;
}

describe("what reading keeps of a page", () => {
  it("is the language that the page names, else the one that Content-Language names", async () => {
    const german = ["Content-Language", " de-AT "];
    assert.equal((await pageOf({ links: [], language: "en" }, german)).language, "en");
    assert.equal((await pageOf({ links: [] }, german)).language, "de-AT");
    assert.equal((await pageOf({ links: [], language: "" }, german)).language, "de-AT");
    assert.equal((await pageOf({ links: [] }, ["Content-Language", "de, en"])).language, null);
    assert.equal((await pageOf({ links: [] })).language, null);
  });
  it("is the type that the handler has found, where it knows better", async () => {
    assert.equal((await pageOf({ links: [], mediaType: "image/webp" })).mediaType, "image/webp");
    assert.equal((await pageOf({ links: [] })).mediaType, "image/png");
  });
  it("is small: a title is cut, and data that would have to be cut is left out", async () => {
    const page = await pageOf({
      links: [],
      title: "x".repeat(5_000),
      jsonLd: `["${"x".repeat(20_000)}"]`,
      openGraph: "{}",
    });
    assert.equal(page.title?.length, 2_000);
    assert.deepEqual([page.jsonLd, page.openGraph], [null, "{}"]);
  });
});

describe("what a document says of when its links change", () => {
  const { fpHi, fpLo } = { fpHi: 7, fpLo: 8 };
  const admit: Admit = (href) => ({
    ...{ href: href as Href, host: "http://a.test" as HostKey, fpHi, fpLo: fpLo + href.length },
    ...{ depth: 1, hops: 0, via: 1, source: "listed", priority: 4 },
    ...(href === "/out" && { drop: { reason: "scope" } }),
  });
  const link = (href: string, says: Partial<RawLink> = {}): RawLink => ({
    href,
    kind: "page",
    from: "sitemap",
    ...says,
  });

  it("is packed under the fingerprints of those that are let in", async () => {
    const { listed } = await readingOf(
      {
        links: [
          link("/a", { lastmod: "2025-12-24T12:00:00Z", changefreq: "Weekly" }),
          link("/bb", { lastmod: "2055-01-01", changefreq: "never" }),
          link("/out", { lastmod: "2025-12-24" }),
          link("/ccc", { lastmod: "soon" }),
          link("/dddd"),
        ],
      },
      [],
      admit,
    );
    assert.deepEqual(
      [...listed!],
      [...[fpHi, fpLo + 2, Date.UTC(2025, 11, 24, 12) / 1000, 4], ...[fpHi, fpLo + 3, 0, 7]],
    );
    assert.deepEqual(listedAt(listed!, 0), { lastmod: Date.UTC(2025, 11, 24, 12), changefreq: "weekly" });
    assert.deepEqual(listedAt(listed!, LISTED_WORDS), { lastmod: null, changefreq: "never" });
  });
  it("is nothing where nothing is said, or nothing that may be believed", async () => {
    assert.equal((await readingOf({ links: [link("/a")] }, [], admit)).listed, undefined);
    const now = new SimulatedClock().now();
    const generated = Array.from({ length: 9 }, (_, i) =>
      link(`/${"x".repeat(i)}`, { lastmod: new Date(now).toISOString() }),
    );
    assert.equal((await readingOf({ links: generated }, [], admit)).listed, undefined);
  });
});
