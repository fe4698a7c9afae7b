/** Which links of a page go into the archive, whether they are followed or not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VisitContext } from "../../src/crawl/context.ts";
import { read } from "../../src/crawl/read.ts";
import { RecentLinks } from "../../src/dedup/recent.ts";
import type { RawLink } from "../../src/model/link.ts";
import { ADMISSION_RULES, admit } from "../../src/policy/admission.ts";
import { scopeOf } from "../../src/policy/scope.ts";
import { exchange } from "../warc/fixtures.ts";
import { SimulatedClock } from "./simulated-clock.ts";

const link = (href: string, more: Partial<RawLink> = {}): RawLink => ({ href, kind: "page", from: "a", ...more });
const LINKS = [
  link("two#part"),
  link("/two"),
  link("two", { rel: "external nofollow" }),
  link("https://elsewhere.test/x"),
  link("mailto:a@b.test"),
  link("style.css", { kind: "embed", from: "link" }),
];

async function reading(rules: Partial<VisitContext["rules"]>, robots: string[] = [], found = LINKS) {
  const admission = { ...ADMISSION_RULES, scope: scopeOf([], { scope: "any" }), trap: () => null, refuse: () => null };
  const context = {
    reading: {
      choose: () => ({ name: "links", accepts: [], read: () => ({ links: found, robots }) }),
      document: () => ({ charset: () => "UTF-8" }),
    },
    admission: { admit: (href: string, base: never, found: never) => admit(href, base, found, admission) },
    rules: {
      agent: "x",
      assets: false,
      obeyRelNofollow: true,
      obeyPageRobots: true,
      maxLinks: 50,
      readMs: 1,
      ...rules,
    },
    sentLately: new RecentLinks(64),
    clock: new SimulatedClock(),
  } as unknown as VisitContext;
  const lease = { url: { id: 1, depth: 0, source: "seed" } } as never;
  const { links, outlinks } = await read(
    exchange(),
    "text/html",
    { location: null, challenge: null } as never,
    lease,
    context,
  );
  return { links: links.map(({ href }) => href as string), outlinks };
}

const FOLLOWED = ["http://a.test/two", "https://elsewhere.test/x"];

describe("the links that are archived with a page", () => {
  it("are all of it, those too that are not followed, absolute, each once, with where they stood", async () => {
    const { links, outlinks } = await reading({ metadata: true });
    assert.deepEqual(links, FOLLOWED);
    assert.deepEqual(outlinks, [
      "http://a.test/two L a",
      "http://a.test/two L a nofollow",
      "https://elsewhere.test/x L a",
      "http://a.test/style.css E link",
    ]);
  });
  it("are followed in spite of rel=nofollow only where that is asked for", async () => {
    const only = [link("three", { rel: "nofollow" })];
    assert.deepEqual((await reading({ metadata: false }, [], only)).links, []);
    assert.deepEqual((await reading({ metadata: false, obeyRelNofollow: false }, [], only)).links, [
      "http://a.test/three",
    ]);
  });
  it("are told of a page that asks not to follow them", async () => {
    const { links, outlinks } = await reading({ metadata: true }, ["nofollow"]);
    assert.deepEqual(links, []);
    assert.equal(outlinks.length, 4);
  });
  it("are bounded, and are not asked for without need", async () => {
    assert.equal((await reading({ metadata: true, maxLinks: 3 })).outlinks.length, 2);
    assert.deepEqual(await reading({ metadata: false }), { links: FOLLOWED, outlinks: [] });
  });
});
