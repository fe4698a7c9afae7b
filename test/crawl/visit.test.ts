import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "../../src/base/log.ts";
import type { VisitContext } from "../../src/crawl/context.ts";
import { visit } from "../../src/crawl/visit.ts";
import { RecentLinks } from "../../src/dedup/recent.ts";
import { document } from "../../src/media/document.ts";
import type { Href } from "../../src/model/url.ts";
import type { Errand } from "../../src/model/visited.ts";
import { SimulatedClock } from "./simulated-clock.ts";

const HREF = "http://a.test/" as Href;

describe("visit", () => {
  it("gives back what a stop broke off while it was read: its links would be lost for good", async () => {
    const stop = new AbortController();
    const handler = {
      name: "test",
      accepts: ["*/*"],
      read: async () => {
        stop.abort();
        return { links: [], error: "broken off" };
      },
    };
    const response = {
      kind: "response",
      status: 200,
      href: HREF,
      rawHeaders: [],
      body: new Uint8Array(1),
      decoded: new Uint8Array(1),
      bodyRead: true,
      truncated: null,
      startedAt: 0,
      endedAt: 1,
    };
    const context = {
      fetcher: { fetch: async () => response },
      archive: { append: () => ({}) },
      reading: {
        identify: () => "application/pdf",
        choose: () => handler,
        document: () => document(HREF, "application/pdf", new Uint8Array(1), false, []),
      },
      rules: { readMs: 1_000 },
      sentLately: new RecentLinks(),
      clock: new SimulatedClock(),
      log: silentLog,
    } as unknown as VisitContext;
    const lease = { url: { id: 1, href: HREF, depth: 0, source: "seed" } };
    const errand = {
      lease,
      task: "page",
      href: HREF,
      address: "",
      robotsId: 0,
      cookie: null,
      held: null,
    } as unknown as Errand;
    const { outcome, page, capture } = await visit(errand, context, stop.signal);
    assert.deepEqual([outcome, page, capture], [{ kind: "failure", cause: "timeout", detail: "aborted" }, null, null]);
  });
});
