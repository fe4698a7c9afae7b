import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Href } from "../../src/model/url.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { sites } from "./sites.ts";
import { crawlWorld, type Reply, smallestGap } from "./world.ts";

const robotsOf = (body: string): Reply => ({ text: body });

describe("the crawl loop", () => {
  it("fetches every reachable page once, and ends when nothing is pending", async () => {
    const world = await crawlWorld({ seeds: ["http://h0.test/p0"], web: sites(3, 4) });
    const pages = world.asked.map(({ href }) => href).filter((href) => !href.endsWith("/robots.txt"));
    assert.equal(world.end, "done");
    assert.deepEqual(new Set(pages).size, 12);
    assert.equal(pages.length, 12);
    const { queued, leased, delayed } = await world.backend.pending();
    assert.equal(queued + leased + delayed, 0);
  });

  it("keeps the delay between requests to a host and to an address that many hosts share", async () => {
    const seeds = Array.from({ length: 20 }, (_, i) => `http://h${i}.test/p0`);
    const addressOf = (name: string) => `192.0.2.${Number(/\d+/.exec(name)![0]) % 4}`;
    const { asked } = await crawlWorld({ seeds, web: sites(20, 5), addressOf, delayMs: 1_000 });
    assert.equal(asked.length, 20 * 6);
    assert.ok(smallestGap(asked, "host") >= 1_000);
    assert.ok(smallestGap(asked, "address") >= 1_000);
  });

  it("asks for nothing by a lease that may be another's before the answer is there", async () => {
    const ms = 2 * 60_000;
    const seeds = Array.from({ length: 6 }, (_, i) => `http://h${i}.test/p0`);
    const web = (href: string) => ({ ...sites(6, 1)(href), ms: href.endsWith("/robots.txt") ? 20 : ms });
    const { asked, ends, requests } = await crawlWorld({
      ...{ seeds, web, requestMs: ms, addressOf: () => "192.0.2.1" },
    });
    // The last ones wait in line for as long as a lease lasts, and are leased again.
    assert.equal(new Set(asked.map(({ href }) => href)).size, asked.length);
    assert.ok(seeds.every((href) => ends.get(href) === "fetched"));
    assert.equal(requests, asked.length, "what was not asked is not counted");
  });

  it("asks for nothing by a turn on an address that may be another's before the answer is there", async () => {
    let short = 0;
    let turns = 0;
    const turnMs = (nth: number): number => {
      turns = nth;
      if (nth % 3 === 0) return 2_000;
      short++;
      return 999;
    };
    const web = sites(1, 5);
    const { asked, ends, requests } = await crawlWorld({ seeds: ["http://h0.test/p0"], web, requestMs: 1_000, turnMs });
    assert.deepEqual([turns - short, requests], [asked.length, asked.length]);
    assert.ok(short > 0 && [...ends.values()].every((end) => end === "fetched"));
  });

  it("gives back what waits too long for its address, and counts no attempt of what was not asked for", async () => {
    const seeds = Array.from({ length: 12 }, (_, nth) => `http://h${nth}.test/p0`);
    const clock = new SimulatedClock();
    // As when a store is away: turns are given back by what is committed, and a commit takes longer than leases last.
    let away = 700_000;
    const bodies = {
      async keep() {
        const ms = away;
        away = 0;
        await clock.sleep(ms);
      },
    };
    const { settled, end } = await crawlWorld({
      seeds,
      web: sites(12, 1),
      clock,
      bodies,
      addressOf: () => "192.0.2.1",
    });
    assert.equal(end, "done");
    assert.deepEqual(
      settled.map(({ visit }) => [visit!.end, visit!.attempt]),
      seeds.map(() => ["fetched", 1]),
    );
  });

  it("loses little time on an address that many hosts share", async () => {
    const seeds = Array.from({ length: 30 }, (_, i) => `http://h${i}.test/p0`);
    const { asked, elapsedMs } = await crawlWorld({ seeds, web: sites(30, 5), addressOf: () => "192.0.2.1" });
    const ideal = asked.length * 1_020;
    assert.ok(elapsedMs < ideal * 1.1, `${elapsedMs} ms for what could take ${ideal} ms`);
  });

  it("lets a slow host slow nobody else", async () => {
    const slow = "User-agent: *\nCrawl-delay: 60\n";
    const web = sites(10, 5, { "http://h0.test/robots.txt": robotsOf(slow) });
    const seeds = Array.from({ length: 10 }, (_, i) => `http://h${i}.test/p0`);
    const addressOf = (name: string) => `192.0.2.${/\d+/.exec(name)![0]}`;
    const { asked } = await crawlWorld({ seeds, web, addressOf, concurrency: 2 });
    const start = asked[0]!.startedAt;
    const quick = asked.filter(({ host }) => host !== "http://h0.test");
    assert.ok(Math.max(...quick.map(({ endedAt }) => endedAt)) - start < 20_000);
    assert.ok(
      smallestGap(
        asked.filter(({ host }) => host === "http://h0.test"),
        "host",
      ) >= 60_000,
    );
  });

  it("opens several requests to one host when told to", async () => {
    const web = (href: string): Reply =>
      href.endsWith("/robots.txt")
        ? { status: 404 }
        : { links: href.endsWith("/") ? Array.from({ length: 40 }, (_, i) => `/x${i}`) : [], ms: 500 };
    const { elapsedMs, asked } = await crawlWorld({ seeds: ["http://a.test/"], web, delayMs: 0, hostConcurrency: 8 });
    assert.equal(asked.length, 42);
    assert.ok(elapsedMs < 500 * 10, `took ${elapsedMs} ms`);
    assert.equal(asked.filter(({ href }) => href.endsWith("/robots.txt")).length, 1);
  });

  it("backs off after 429 for as long as Retry-After asks, and comes back", async () => {
    const web = (href: string, nth: number): Reply | undefined => {
      if (href !== "http://a.test/p") return undefined;
      return nth === 1 ? { status: 429, headers: ["Retry-After", "120"] } : { links: [] };
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/p"], web });
    const pages = asked.filter(({ href }) => href.endsWith("/p"));
    assert.equal(pages.length, 2);
    assert.ok(pages[1]!.startedAt - pages[0]!.endedAt >= 120_000);
    assert.equal(ends.get("http://a.test/p"), "fetched");
  });

  it("starts nothing more on a host that has just answered 429, although requests stood in line for it", async () => {
    const web = (href: string, nth: number): Reply | undefined => {
      if (href.endsWith("/robots.txt")) return { status: 404 };
      if (href.endsWith("/")) return { links: Array.from({ length: 30 }, (_, i) => `/${i}`) };
      return nth === 1 && href.endsWith("/0")
        ? { status: 429, headers: ["Retry-After", "60"], ms: 5 }
        : { links: [], ms: 50 };
    };
    const { asked } = await crawlWorld({ seeds: ["http://a.test/"], web, delayMs: 100, hostConcurrency: 4 });
    const limited = asked.find(({ href }) => href.endsWith("/0"))!;
    const soon = asked.filter(({ startedAt }) => startedAt > limited.endedAt && startedAt < limited.endedAt + 60_000);
    // What was committed with the answer is all that may have been given out before it was known: a batch's worth of time.
    assert.ok(soon.every(({ startedAt }) => startedAt <= limited.endedAt + 60));
  });

  it("never speaks to a refused address, and records it", async () => {
    const web = (): Reply => ({ links: ["http://inside.test/", "http://10.0.0.1/"] });
    const addressOf = (name: string) => (name === "inside.test" ? "10.0.0.7" : "192.0.2.1");
    const guard = (address: string) => (address.startsWith("10.") ? "private" : null);
    const { asked, backend, ends } = await crawlWorld({ seeds: ["http://a.test/"], web, addressOf, guard });
    assert.ok(asked.every(({ address }) => address === "192.0.2.1"));
    assert.equal(ends.get("http://inside.test/"), "refused-address");
    assert.equal((await backend.endCounts()).get("refused-address"), 2);
  });

  it("ends the URLs of a name that does not exist", async () => {
    const addressOf = (name: string) => (name === "gone.test" ? null : "192.0.2.1");
    const { ends } = await crawlWorld({
      seeds: ["http://gone.test/", "http://a.test/"],
      web: () => ({ links: [] }),
      addressOf,
    });
    assert.equal(ends.get("http://gone.test/"), "dns");
    assert.equal(ends.get("http://a.test/"), "fetched");
  });

  it("treats the target of a redirect as a URL of its own, and follows one to its own key", async () => {
    const web = (href: string): Reply | undefined => {
      if (href === "http://a.test/a") return { status: 301, headers: ["Location", "/a/"] };
      if (href === "http://a.test/a/") return { status: 302, headers: ["Location", "/b"] };
      return href === "http://a.test/b" ? { links: [] } : undefined;
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/a"], web });
    assert.deepEqual(
      asked.map(({ href }) => href).filter((href) => !href.endsWith("robots.txt")),
      ["http://a.test/a", "http://a.test/a/", "http://a.test/b"],
    );
    assert.equal(ends.get("http://a.test/b"), "fetched");
  });

  it("ends a redirect that leads to itself for ever", async () => {
    const web = (href: string): Reply | undefined =>
      href.endsWith("robots.txt") ? undefined : { status: 302, headers: ["Location", href] };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/loop"], web });
    assert.equal(ends.get("http://a.test/loop"), "redirect-loop");
    assert.ok(asked.length <= 22);
  });

  it("retries what may pass, four times in all, and records why it gave up", async () => {
    const web = (href: string): Reply | undefined => (href.endsWith("robots.txt") ? undefined : { fails: "closed" });
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/x"], web });
    assert.equal(asked.filter(({ href }) => href.endsWith("/x")).length, 4);
    assert.equal(ends.get("http://a.test/x"), "closed");
  });

  it("ends for now when all that is left is on a host that asked to be left alone for longer than a day", async () => {
    const web = (href: string): Reply | undefined => {
      if (href.endsWith("robots.txt")) return undefined;
      return href.startsWith("http://a.test/") ? { status: 503, headers: ["Retry-After", "999999"] } : { links: [] };
    };
    const world = await crawlWorld({ seeds: ["http://a.test/", "http://b.test/"], web });
    assert.equal(world.end, "parked");
    assert.equal(world.ends.get("http://b.test/"), "fetched");
    const { queued, delayed } = await world.backend.pending();
    assert.equal(queued + delayed, 1);
  });

  it("keeps a page whose handler never ends, or throws, and goes on", async () => {
    for (const read of [() => new Promise<never>(() => {}), () => Promise.reject(new Error("mine"))]) {
      const world = await crawlWorld({ seeds: ["http://a.test/"], web: () => ({ links: [] }), read });
      assert.equal(world.end, "done");
      assert.equal(world.ends.get("http://a.test/"), "fetched");
      assert.match(world.settled[0]?.visit?.page?.readError ?? "", /did not end|mine/);
    }
  });

  it("stops at its limit, to the page, and leaves the rest queued", async () => {
    const world = await crawlWorld({ seeds: ["http://h0.test/p0"], web: sites(5, 10), limit: 7 });
    assert.equal(world.end, "limit");
    assert.equal((await world.backend.endCounts()).get("fetched"), 7);
    assert.ok((await world.backend.pending()).queued > 0);
  });

  it("stops when told, after open visits have ended, with no lease left open", async () => {
    const stop = new AbortController();
    const world = await crawlWorld({
      seeds: Array.from({ length: 10 }, (_, i) => `http://h${i}.test/p0`),
      web: sites(10, 50),
      stop: stop.signal,
      onAsked: ({ href }) => href === "http://h3.test/p3" && stop.abort(),
    });
    assert.equal(world.end, "stopped");
    assert.equal((await world.backend.pending()).leased, 0);
    assert.ok((await world.backend.pending()).queued > 0);
    const fetched = world.asked.filter(({ href }) => !href.endsWith("robots.txt")).length;
    assert.equal((await world.backend.endCounts()).get("fetched"), fetched);
  });

  it("asks for nothing while it is paused, ends what is open, and goes on when it is told to", async () => {
    const [from, to] = [5_000, 60_000];
    const since = (clock: { now(): number }) => clock.now() - Date.UTC(2026, 0, 1);
    const world = await crawlWorld({
      seeds: Array.from({ length: 5 }, (_, i) => `http://h${i}.test/p0`),
      web: sites(5, 10),
      inbox: (clock) => ({ look: async () => since(clock) >= from && since(clock) < to }),
    });
    assert.equal(world.end, "done");
    assert.equal((await world.backend.endCounts()).get("fetched"), 50);
    const during = world.asked.filter(({ startedAt }) => {
      const at = startedAt - Date.UTC(2026, 0, 1);
      return at > from + 500 && at < to;
    });
    assert.deepEqual(during, []);
  });

  it("takes what is added while it runs, and what is added when it is about to end", async () => {
    let looked = 0;
    const world = await crawlWorld({
      seeds: ["http://h0.test/p0"],
      web: sites(2, 1),
      inbox: (_, backend, admit) => ({
        async look(eager) {
          if (!eager || looked++ > 0) return false;
          const found = { source: "added", depth: 0, hops: 0, via: 0, ofSeed: false } as const;
          await backend.add([admit("http://h9.test/late", "http://h9.test/" as Href, found)!]);
          return false;
        },
      }),
    });
    assert.equal(world.end, "done");
    assert.equal(world.ends.get("http://h9.test/late"), "http-4xx");
  });

  it("leaves nobody in line for an address when it fails, which would keep the process from ending", async () => {
    const clock = new SimulatedClock();
    const seeds = Array.from({ length: 30 }, (_, i) => `http://h${i}.test/p0`);
    let looked = 0;
    const inbox = () => ({
      async look() {
        if (looked++ > 5) throw new Error("the store is gone");
        return false;
      },
    });
    const world = crawlWorld({ seeds, web: sites(30, 5), addressOf: () => "192.0.2.1", clock, inbox });
    await assert.rejects(world, /the store is gone/);
    const failedAt = clock.now();
    for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
    assert.ok(clock.now() - failedAt < 30_000, `somebody has waited ${clock.now() - failedAt} ms more`);
  });

  it("commits nothing before the archive is durable", async () => {
    const world = await crawlWorld({ seeds: ["http://h0.test/p0"], web: sites(2, 3) });
    assert.ok(world.synced() > 0);
    assert.equal((await world.backend.marks()).get("memory.warc.gz"), world.asked.length);
  });
});
