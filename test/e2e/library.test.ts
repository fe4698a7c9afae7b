import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crawl, type Page, type PageContext, UsageError } from "../../src/index.ts";
import { requestsOf } from "../web/log.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { canonical, fetchedIn, tempDir } from "./trawl.ts";

const OPEN = { "*": { kind: "status", status: 404 } } as const;

describe("crawl() of the library", () => {
  it("gives every page to the loop once, with its body and text", async () => {
    await using web = await spawnFakeWeb({ hosts: 2, pagesPerHost: 12, robots: OPEN });
    await using dir = await tempDir();
    const pages: Page[] = [];
    const seeds = `${web.origin(0)}/`;
    const running = crawl({ seeds, dir: dir.path, scope: "any", delay: 0, allowNet: web.allowNet, dns: web.dns });
    for await (const page of running) pages.push(page);
    const fetched = pages.filter(({ end }) => end === "fetched");
    assert.deepEqual([...canonical(fetched.map(({ url }) => url))].sort(), [...web.site.reachable()].sort());
    const html = fetched.filter(({ mediaType }) => mediaType === "text/html");
    for (const page of html.slice(0, 5)) {
      assert.equal(page.status, 200);
      assert.ok((await page.body()).length > 1000);
      assert.ok((await page.text()).includes(page.title!));
    }
    assert.equal((await running.outcome).reason, "done");
  });

  it("stops when the loop is left, and goes on with the same options", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 30, robots: OPEN });
    await using dir = await tempDir();
    const options = { seeds: `${web.origin(0)}/`, dir: dir.path, delay: 20, allowNet: web.allowNet, dns: web.dns };
    for await (const page of crawl(options)) if (page.depth > 0) break;
    const before = fetchedIn(dir.path).size;
    assert.ok(before < 30);
    for await (const _ of crawl(options));
    assert.equal(canonical(fetchedIn(dir.path)).size, web.site.reachable({ scope: "host" }).size);
    const asked = requestsOf(await web.entries()).filter(({ path }) => path !== "/robots.txt");
    assert.equal(new Set(asked.map(({ path }) => path)).size, asked.length);
  });

  it("calls onPage, enqueues what it asks for although it is out of scope, and says what it logs", async (t) => {
    const stderr = t.mock.method(process.stderr, "write", () => true);
    await using web = await spawnFakeWeb({ hosts: 2, pagesPerHost: 5, robots: OPEN });
    await using dir = await tempDir();
    const seen: string[] = [];
    const other = `${web.origin(1)}/`;
    const outcome = await crawl({
      seeds: [`${web.origin(0)}/`],
      scope: "page",
      dir: dir.path,
      delay: 0,
      allowNet: [web.allowNet],
      dns: [web.dns],
      async onPage({ page, enqueue, log }) {
        log("a page");
        seen.push(page.url);
        if (page.depth === 0) assert.equal(await enqueue(other), 1);
      },
    });
    assert.deepEqual(seen, [`${web.origin(0)}/`, other]);
    assert.equal(outcome.reason, "done");
    const said = stderr.mock.calls.filter(({ arguments: [text] }) => String(text) === "a page\n");
    assert.equal(said.length, seen.length);
  });

  it("stops on an abort signal, and says so", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 30, robots: OPEN });
    await using dir = await tempDir();
    const stop = new AbortController();
    const outcome = await crawl({
      seeds: `${web.origin(0)}/`,
      dir: dir.path,
      delay: 20,
      allowNet: web.allowNet,
      dns: web.dns,
      signal: stop.signal,
      onPage: () => stop.abort(),
    });
    assert.equal(outcome.reason, "interrupted");
    assert.ok(outcome.stats.queued > 0);
  });

  it("rejects with what onPage throws, and bad options with one sentence", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 5, robots: OPEN });
    await using dir = await tempDir();
    const options = { seeds: `${web.origin(0)}/`, dir: dir.path, delay: 0, allowNet: web.allowNet, dns: web.dns };
    const boom = () => {
      throw new Error("mine");
    };
    await assert.rejects(crawl({ ...options, onPage: boom }), /mine/);
    await assert.rejects(crawl({ ...options, depth: -1, onPage() {} }), UsageError);
    await assert.rejects(crawl({ ...options, seeds: "nonsense:", onPage() {} }), UsageError);
  });

  it("does not wait for a callback that never ends once it is aborted, and takes nothing more after the end", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 5, robots: OPEN });
    await using dir = await tempDir();
    const options = { seeds: `${web.origin(0)}/`, dir: dir.path, delay: 0, allowNet: web.allowNet, dns: web.dns };
    const stop = new AbortController();
    let late: PageContext["enqueue"] | null = null;
    const onPage = ({ enqueue }: PageContext) => {
      late = enqueue;
      stop.abort();
      return new Promise<void>(() => {});
    };
    assert.equal((await crawl({ ...options, onPage, signal: stop.signal })).reason, "interrupted");
    await assert.rejects(async () => late!("/more"), UsageError);
    const pages = crawl({ ...options, overwrite: true });
    for await (const _ of pages) break;
    await assert.rejects(async () => {
      for await (const _ of pages);
    }, /once/);
  });

  it("reads with a handler of one's own in the visit threads", async () => {
    await using web = await spawnFakeWeb({ hosts: 2, pagesPerHost: 5, robots: OPEN });
    await using dir = await tempDir();
    const handler = join(import.meta.dirname, "shouting-handler.ts");
    const titles: (string | null)[] = [];
    for await (const page of crawl({
      seeds: `${web.origin(0)}/`,
      handlers: handler,
      dir: dir.path,
      delay: 0,
      allowNet: web.allowNet,
      dns: web.dns,
    }))
      titles.push(page.title);
    assert.deepEqual(titles, ["READ BY A HANDLER OF ONE'S OWN"]);
  });
});
