/** What a protocol module fetches, among the web's: it waits for nobody, and nobody waits for it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crawlWorld } from "./world.ts";

describe("a crawl of files", () => {
  it("asks for no robots.txt, no name, no address, no cookie and no page that cannot exist, and makes no pause", async () => {
    const pages: Record<string, readonly string[]> = {
      "file:///a/": ["/a/1", "/a/2", "/a/3", "http://b.test/"],
      "file:///a/1": [],
      "file:///a/2": [],
      "file:///a/3": [],
      "http://b.test/": ["/x", "file:///a/secret"],
      "http://b.test/x": [],
    };
    const names: string[] = [];
    const { asked, ends, end } = await crawlWorld({
      seeds: ["file:///a/"],
      web: (href) => (pages[href] === undefined ? undefined : { links: pages[href], ms: 10 }),
      patternBudget: 20,
      addressOf(name) {
        names.push(name);
        return "192.0.2.1";
      },
      cookies: () => ({
        header(_, href) {
          assert.match(href, /^http:/);
          return null;
        },
        keep(_, href) {
          assert.match(href, /^http:/);
        },
      }),
    });
    const files = asked.filter(({ href }) => href.startsWith("file:"));
    assert.deepEqual(
      files.map(({ href }) => href).sort(),
      Object.keys(pages).filter((href) => href.startsWith("file:")),
    );
    assert.ok(files.every(({ address }) => address === ""));
    assert.ok(files.at(-1)!.endedAt - files[0]!.startedAt < 200, "no pause of a second");
    assert.deepEqual([...new Set(names)], ["b.test"]);
    assert.equal(asked.find(({ href }) => href.startsWith("http"))?.href, "http://b.test/robots.txt");
    assert.deepEqual([end, ends.get("http://b.test/x"), ends.get("file:///a/secret")], ["done", "fetched", undefined]);
  });
});
