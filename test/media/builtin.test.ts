import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { Apart } from "../../src/media/apart.ts";
import { builtinHandlers, chooseHandler } from "../../src/media/builtin.ts";
import { document } from "../../src/media/document.ts";
import type { Href } from "../../src/model/url.ts";
import type { MediaHandler, Read } from "../../src/ports/media-handler.ts";

const handlers = builtinHandlers("trawlbot", new Apart({ clock: systemClock }));

async function read(body: string, type: string): Promise<Read> {
  const handler = chooseHandler(handlers, type);
  assert.ok(handler, type);
  return handler.read(document("http://a.test/" as Href, type, Buffer.from(body), false, []));
}

describe("chooseHandler", () => {
  it("takes the first in order that accepts the type", () => {
    const own: MediaHandler = { name: "own", accepts: ["text/*"], read: () => ({ links: [] }) };
    assert.equal(chooseHandler([own, ...handlers], "text/html")?.name, "own");
    assert.equal(chooseHandler([...handlers, own], "text/html")?.name, "html");
    assert.equal(chooseHandler(handlers, "font/woff2"), null);
  });
});

describe("the built-in handlers", () => {
  it("read XML by its root element, whatever its media type", async () => {
    assert.equal(
      (await read("<urlset><url><loc>http://a.test/1</loc></url></urlset>", "application/rss+xml")).links.length,
      1,
    );
    assert.equal((await read("<rss><item><link>/1</link></item></rss>", "text/xml")).links[0]?.from, "feed");
    const page = await read(
      "<?xml version='1.0'?><html><a href='1'/><meta name='trawlbot' content='noindex'/></html>",
      "application/xml",
    );
    assert.equal(page.links[0]?.from, "a");
    assert.deepEqual(page.robots, ["noindex"]);
    assert.deepEqual((await read("<x><a href='no'/></x>", "application/xml")).links, []);
  });
  it("take plain text for a sitemap only when it is URLs and nothing else", async () => {
    assert.equal((await read("\n http://a.test/1\nhttp://a.test/2\n", "text/plain")).links[0]?.from, "sitemap");
    const prose = await read("See\nhttp://a.test/1\nand http://a.test/2", "text/plain");
    assert.deepEqual(prose.links, [{ href: "http://a.test/1", kind: "page", from: "text" }]);
    await read("\n".repeat(1024 * 1024), "text/plain");
  });
});
