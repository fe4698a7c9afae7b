import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "../../src/base/log.ts";
import { read } from "../../src/crawl/read.ts";
import { RecentLinks } from "../../src/dedup/recent.ts";
import { document } from "../../src/media/document.ts";
import type { FetchResponse } from "../../src/model/fetch-result.ts";
import type { Lease } from "../../src/model/lease.ts";
import type { PageInfo } from "../../src/model/page.ts";
import type { Href } from "../../src/model/url.ts";
import type { Answer } from "../../src/model/visited.ts";
import type { MediaHandler, Read } from "../../src/ports/media-handler.ts";
import { SimulatedClock } from "./simulated-clock.ts";

const HREF = "http://a.test/" as Href;

/** What is kept of a page of which a handler says `found`. */
async function pageOf(found: Read, rawHeaders: readonly string[] = []): Promise<PageInfo> {
  const handler: MediaHandler = { name: "test", accepts: ["*/*"], read: () => found };
  const response = { status: 200, href: HREF, rawHeaders, bodyRead: true } as unknown as FetchResponse;
  const answer = { location: null, challenge: null } as unknown as Answer;
  const lease = { url: { id: 1, href: HREF, depth: 0, source: "seed" } } as unknown as Lease;
  const { page } = await read(response, "image/png", answer, lease, {
    reading: {
      identify: () => "image/png",
      choose: () => handler,
      sitemap: handler,
      [Symbol.asyncDispose]: async () => {},
      document: (_, mediaType) => document(HREF, mediaType, new Uint8Array(), false, rawHeaders),
    },
    admission: { admit: () => null, extend() {} },
    rules: {
      agent: "",
      assets: false,
      obeyRelNofollow: true,
      obeyPageRobots: true,
      maxLinks: 10,
      metadata: false,
      readMs: 10,
    },
    sentLately: new RecentLinks(),
    clock: new SimulatedClock(),
    log: silentLog,
  });
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
