import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostKey } from "../../src/model/host.ts";
import type { Href } from "../../src/model/url.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { crawlWorld, type Reply, smallestGap } from "./world.ts";

const robotsOf = (body: string): Reply => ({ text: body });

/** `hosts` sites of `pages` pages; each page links to the next, and to the first page of the next site. */
function sites(hosts: number, pages: number, replies: Record<string, Reply> = {}) {
  return (href: string): Reply | undefined => {
    if (href in replies) return replies[href];
    const { hostname, pathname } = new URL(href);
    const [, h] = /^h(\d+)\.test$/.exec(hostname) ?? [];
    const [, p] = /^\/p(\d+)$/.exec(pathname) ?? [];
    if (h === undefined || p === undefined || Number(p) >= pages || Number(h) >= hosts) return undefined;
    const next = Number(p) + 1 < pages ? [`/p${Number(p) + 1}`] : [];
    const over = Number(p) === 0 && Number(h) + 1 < hosts ? [`http://h${Number(h) + 1}.test/p0`] : [];
    return { links: [...next, ...over] };
  };
}

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

  it("asks for robots.txt first, once a host, and never for what it denies", async () => {
    const web = sites(2, 4, { "http://h0.test/robots.txt": robotsOf("User-agent: *\nDisallow: /p2\n") });
    const { asked, ends } = await crawlWorld({ seeds: ["http://h0.test/p0"], web });
    const byHost = Map.groupBy(asked, ({ host }) => host);
    for (const [host, requests] of byHost) {
      assert.equal(requests[0]!.href, `${host}/robots.txt`);
      assert.equal(requests.filter(({ href }) => href.endsWith("/robots.txt")).length, 1);
    }
    assert.ok(!asked.some(({ href }) => href === "http://h0.test/p2"));
    assert.equal(ends.get("http://h0.test/p2"), "robots");
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

  it("disallows all while robots.txt answers 503, and goes on when it answers again", async () => {
    const web = (href: string, nth: number): Reply | undefined => {
      if (href.endsWith("/robots.txt")) return nth < 3 ? { status: 503 } : robotsOf("");
      return { links: [] };
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/"], web });
    assert.deepEqual(
      asked.map(({ href }) => href),
      [...Array(3).fill("http://a.test/robots.txt"), "http://a.test/"],
    );
    assert.equal(ends.get("http://a.test/"), "fetched");
  });

  it("leaves a host alone for longer and longer whose robots.txt cannot be had, whatever the fault", async () => {
    const faults: readonly Reply[] = [
      ...[429, 500, 503].map((status) => ({ status })),
      ...(["closed", "timeout", "connect"] as const).map((fails) => ({ fails })),
    ];
    for (const fault of faults) {
      const web = (href: string): Reply => (href.endsWith("/robots.txt") ? fault : { links: [] });
      const { asked } = await crawlWorld({ seeds: ["http://a.test/"], web });
      const gaps = asked.slice(1).map(({ startedAt }, i) => startedAt - asked[i]!.endedAt);
      assert.equal(gaps.length, 3);
      assert.ok(gaps[0]! >= 2_500 && gaps[1]! > gaps[0]! && gaps[2]! > gaps[1]!, `${JSON.stringify(fault)}: ${gaps}`);
    }
  });

  it("gives a host up whose robots.txt cannot be had, and says so of its URLs", async () => {
    const web = (href: string): Reply => (href.endsWith("/robots.txt") ? { status: 500 } : { links: [] });
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/", "http://a.test/b"], web });
    assert.ok(asked.every(({ href }) => href.endsWith("/robots.txt")));
    assert.deepEqual([...ends.values()], ["robots-unreachable", "robots-unreachable"]);
  });

  it("asks for robots.txt again after a day, and goes on by the old copy while the new one cannot be had", async () => {
    const day = 86_400_000;
    const web = (href: string, nth: number): Reply | undefined => {
      if (href.endsWith("/robots.txt")) return nth === 1 ? robotsOf("User-agent: *\nDisallow: /no\n") : { status: 500 };
      return { links: href.endsWith("/") ? Array.from({ length: 30 }, (_, i) => `/${i < 29 ? i : "no"}`) : [] };
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/"], web, delayMs: day / 12 });
    const robots = asked.filter(({ href }) => href.endsWith("/robots.txt"));
    assert.ok(robots.length >= 2);
    assert.ok(robots[1]!.startedAt - robots[0]!.endedAt >= day);
    assert.equal([...ends.values()].filter((end) => end === "fetched").length, 30);
    assert.equal(ends.get("http://a.test/no"), "robots");
  });

  it("follows robots.txt through redirects to another host, within both hosts' delays", async () => {
    const web = (href: string): Reply | undefined => {
      if (href === "http://a.test/robots.txt") return { status: 301, headers: ["Location", "http://b.test/r"] };
      if (href === "http://b.test/r") return robotsOf("User-agent: *\nDisallow: /secret\n");
      return href.endsWith("robots.txt") ? undefined : { links: ["/secret"] };
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/", "http://b.test/x"], web });
    assert.equal(ends.get("http://a.test/"), "fetched");
    assert.equal(ends.get("http://a.test/secret"), "robots");
    assert.ok(smallestGap(asked, "host") >= 1_000);
    assert.ok(smallestGap(asked, "address") >= 1_000);
  });

  it("follows five redirects of robots.txt in a row, and takes a sixth for none", async () => {
    const chain =
      (hops: number) =>
      (href: string): Reply | undefined => {
        const at = href.endsWith("/robots.txt") ? 0 : Number(/\/r(\d)$/.exec(href)?.[1] ?? Number.NaN);
        if (Number.isNaN(at)) return { links: [] };
        if (at < hops) return { status: 302, headers: ["Location", `/r${at + 1}`] };
        return robotsOf("User-agent: *\nDisallow: /\n");
      };
    const endOf = async (hops: number) =>
      (await crawlWorld({ seeds: ["http://a.test/"], web: chain(hops) })).ends.get("http://a.test/");
    assert.deepEqual([await endOf(1), await endOf(5), await endOf(6)], ["robots", "robots", "fetched"]);
  });

  it("holds it against robots.txt, not against the host, when its redirect leads to a name that does not exist", async () => {
    const web = (href: string): Reply | undefined =>
      href.endsWith("/robots.txt")
        ? { status: 302, headers: ["Location", "http://gone.test/robots.txt"] }
        : { links: [] };
    const addressOf = (name: string) => (name === "gone.test" ? null : "192.0.2.1");
    const { asked, ends, backend } = await crawlWorld({ seeds: ["http://a.test/"], web, addressOf });
    assert.equal(ends.get("http://a.test/"), "robots-unreachable");
    assert.equal(asked.filter(({ href }) => href === "http://a.test/robots.txt").length, 4);
    assert.match((await backend.robots("http://a.test" as HostKey))?.failure ?? "", /^dns/);
  });

  it("opens one request at a time to a host that asks for a Crawl-delay, whatever it was told", async () => {
    const web = (href: string): Reply =>
      href.endsWith("/robots.txt")
        ? robotsOf("User-agent: *\nCrawl-delay: 2\n")
        : { links: href.endsWith("/") ? ["/1", "/2", "/3", "/4"] : [], ms: 700 };
    const { asked } = await crawlWorld({ seeds: ["http://a.test/"], web, delayMs: 0, hostConcurrency: 8 });
    assert.equal(asked.length, 6);
    assert.ok(smallestGap(asked, "host") >= 2_000);
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

  it("takes the sitemaps that robots.txt names, those they name in turn, and the pages they list", async () => {
    const web = (href: string): Reply | undefined => {
      if (href === "http://a.test/robots.txt") return { text: "Sitemap: http://a.test/index.xml\n" };
      if (href === "http://a.test/index.xml") return { links: ["/one.xml"] };
      if (href === "http://a.test/one.xml") return { links: ["/listed"] };
      return href === "http://a.test/" || href === "http://a.test/listed" ? { links: [] } : undefined;
    };
    const { settled } = await crawlWorld({ seeds: ["http://a.test/"], web });
    assert.deepEqual(
      settled.map(({ href, source, visit }) => [new URL(href).pathname, source, visit?.end]),
      [
        ["/", "seed", "fetched"],
        ["/index.xml", "sitemap", "sitemap"],
        ["/one.xml", "sitemap", "sitemap"],
        ["/listed", "listed", "fetched"],
      ],
    );
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

  it("commits nothing before the archive is durable", async () => {
    const world = await crawlWorld({ seeds: ["http://h0.test/p0"], web: sites(2, 3) });
    assert.ok(world.synced() > 0);
    assert.equal((await world.backend.marks()).get("memory.warc.gz"), world.asked.length);
  });
});
