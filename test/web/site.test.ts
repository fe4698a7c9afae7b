import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { ask } from "./ask.ts";
import { type FakeWeb, fakeWeb } from "./fake-web.ts";
import { allows, groupsOf } from "./robots.ts";
import { withoutTracking } from "./site.ts";

const SMALL = { hosts: 4, pagesPerHost: 12, bytes: [600, 3000] } as const;

/** Follows links as a crawler does, with none of its code: the set of canonical URLs whose pages came. */
async function crawl(web: FakeWeb, from: string): Promise<Set<string>> {
  const fetched = new Set<string>();
  const seen = new Set<string>([from]);
  const queue = [from];
  const add = (text: string, base: string): void => {
    const url = new URL(text, base);
    const href = withoutTracking(url.origin + url.pathname + url.search);
    if (!seen.has(href)) queue.push(href);
    seen.add(href);
  };
  const hosts = new Set<string>();
  for (let href = queue.shift(); href !== undefined; href = queue.shift()) {
    const { hostname, pathname, search } = new URL(href);
    if (!hosts.has(hostname)) {
      hosts.add(hostname);
      const robots = (await ask(web, hostname, "/robots.txt")).body.toString();
      for (const [, sitemap] of robots.matchAll(/^Sitemap: (.+)$/gm)) add(sitemap!, href);
    }
    const groups = groupsOf(web.site.robots(hostname));
    if (groups !== null && !allows(groups, "trawlbot/0.0", pathname + search)) continue;
    const { status, headers, body } = await ask(web, hostname, pathname + search);
    if (status === 301) add(String(headers.location), href);
    if (status !== 200) continue;
    const type = String(headers["content-type"]);
    const text = (type === "application/gzip" ? gunzipSync(body) : body).toString().replace(/<(script|!--).*/g, "");
    for (const [, loc] of text.matchAll(/<loc>([^<]+)/g)) add(loc!, href);
    if (!type.startsWith("text/html")) continue;
    fetched.add(href);
    for (const [, link] of text.matchAll(/<a href="([^"]+)"/g)) add(link!.replaceAll("&amp;", "&"), href);
  }
  return fetched;
}

describe("the seeded web", () => {
  it("is the same for the same seed and another for another", async () => {
    await using one = await fakeWeb({ ...SMALL, seed: 7, dressed: false });
    await using same = await fakeWeb({ ...SMALL, seed: 7, dressed: false });
    await using other = await fakeWeb({ ...SMALL, seed: 8, dressed: false });
    const paths = (web: FakeWeb) => [...web.site.reachable()].map((href) => new URL(href).pathname);
    assert.deepEqual(paths(same), paths(one));
    assert.notDeepEqual(paths(other), paths(one));
    const text = async (web: FakeWeb) =>
      (await ask(web, "h1.test", "/")).body.toString().replaceAll(String(web.port), "");
    assert.equal(await text(same), await text(one));
    assert.notEqual(await text(other), await text(one));
  });

  it("serves a page whole and unchanged however often and in whatever order it is asked", async () => {
    await using web = await fakeWeb(SMALL);
    const [path] = [...web.site.reachable()].slice(-1).map((href) => new URL(href).pathname + new URL(href).search);
    const host = new URL([...web.site.reachable()].at(-1)!).hostname;
    const first = await ask(web, host, path!);
    await ask(web, host, "/");
    assert.deepEqual((await ask(web, host, path!)).body, first.body);
  });

  for (const dressed of [false, true]) {
    it(`says which pages can be reached, and a plain crawl reaches them (${dressed ? "dressed" : "plain"} links)`, async () => {
      await using web = await fakeWeb({ ...SMALL, seed: 3, dressed });
      const reached = await crawl(web, `${web.origin(0)}/`);
      assert.deepEqual([...reached].sort(), [...web.site.reachable()].sort());
      assert.ok(reached.size > 24, `only ${reached.size} pages`);
      assert.ok(web.site.reachable({ agent: null }).size > reached.size, "robots.txt forbids nothing");
    });
  }

  it("has pages that only its sitemaps name", async () => {
    await using web = await fakeWeb({ ...SMALL, orphansPerHost: 5, sitemaps: true });
    const reached = await crawl(web, `${web.origin(0)}/`);
    assert.deepEqual([...reached].sort(), [...web.site.reachable()].sort());
    assert.ok(reached.size > web.site.reachable({ sitemaps: false }).size);
  });

  it("stays on the seeds' hosts when asked what is reachable there", async () => {
    await using web = await fakeWeb({ ...SMALL, seed: 2 });
    const hosts = new Set([...web.site.reachable({ scope: "host" })].map((href) => new URL(href).hostname));
    assert.deepEqual([...hosts], ["h0.test"]);
  });

  it("does not count what a rule keeps from being a page", async () => {
    await using plain = await fakeWeb(SMALL);
    const victim = new URL([...plain.site.reachable({ scope: "host" })].at(-1)!);
    const path = victim.pathname + victim.search;
    await using web = await fakeWeb({
      ...SMALL,
      rules: [{ host: "h0.test", path, behaviour: { kind: "status", status: 500 } }],
    });
    const missing = [...plain.site.reachable()].length - [...web.site.reachable()].length;
    assert.ok(missing >= 1);
    assert.ok(![...web.site.reachable()].some((href) => href.endsWith(path) && href.includes("h0.test")));
  });

  it("moves a directory asked for without its slash to its own key", async () => {
    await using web = await fakeWeb({ ...SMALL, pagesPerHost: 60 });
    const directory = new URL([...web.site.reachable()].find((href) => /-\d+\/$/.test(href))!);
    const reply = await ask(web, directory.hostname, directory.pathname.slice(0, -1));
    assert.equal(reply.status, 301);
    assert.equal(reply.headers.location, directory.pathname);
  });

  it("compresses for those who accept it, and answers a known ETag with 304", async () => {
    await using web = await fakeWeb(SMALL);
    const plain = await ask(web, "h0.test", "/");
    const packed = await ask(web, "h0.test", "/", { headers: { "accept-encoding": "gzip, br" } });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    const again = await ask(web, "h0.test", "/", { headers: { "if-none-match": String(plain.headers.etag) } });
    assert.equal(again.status, 304);
  });
});

describe("robots rules, read by the test", () => {
  it("lets the longest rule win, and Allow on a tie", () => {
    const groups = [{ agents: ["*"], disallow: ["/a", "/x$", "/*.pdf"], allow: ["/a/b", "/a"] }];
    assert.equal(allows(groups, "trawlbot/1", "/a"), true);
    assert.equal(allows(groups, "trawlbot/1", "/a/b/c"), true);
    assert.equal(allows(groups, "trawlbot/1", "/x"), false);
    assert.equal(allows(groups, "trawlbot/1", "/xy"), true);
    assert.equal(allows(groups, "trawlbot/1", "/q/z.pdf?1"), false);
  });
  it("prefers a group that names the agent to the one for all", () => {
    const groups = [
      { agents: ["*"], disallow: ["/"] },
      { agents: ["TrawlBot"], disallow: ["/secret"] },
    ];
    assert.equal(allows(groups, "trawlbot/0.1 (+https://a.test)", "/"), true);
    assert.equal(allows(groups, "Mozilla/5.0 (compatible; trawlbot/0.1)", "/secret/1"), false);
    assert.equal(allows(groups, "otherbot", "/"), false);
    assert.equal(allows(groups, "otherbot", "/robots.txt"), true);
  });
});
