/** No host is crowded out by another: not by a slow one, not by a large one, not by one that takes every place. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { type HostKey, hostnameOf } from "../../src/model/host.ts";
import { firstTier, weightOf } from "../../src/policy/budget.ts";
import { openEmbedded } from "../../src/store/embedded/backend.ts";
import { type Asked, crawlWorld, type Reply } from "./world.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-fair-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const onDisk =
  (more: { hostConcurrency?: number; hostShare?: number } = {}) =>
  (clock: Clock) =>
    openEmbedded(dir, { clock, ...more });

const NO_ROBOTS: Reply = { status: 404 };

/** Every host of its own address: `h17.test` is on 10.0.0.17. */
const apart = (name: string): string =>
  `10.0.${Number(/\d+/.exec(name)?.[0] ?? 0) >> 8}.${Number(/\d+/.exec(name)?.[0] ?? 0) & 255}`;

/** Sites whose root links to all of their `pagesOf(n)` pages. */
const flatSites =
  (pagesOf: (host: number) => number, more: (href: string) => Reply | undefined = () => undefined) =>
  (href: string): Reply | undefined => {
    const told = more(href);
    if (told !== undefined) return told;
    const { hostname, pathname } = new URL(href);
    if (pathname === "/robots.txt") return NO_ROBOTS;
    const host = Number(/\d+/.exec(hostname)![0]);
    if (pathname === "/") return { links: Array.from({ length: pagesOf(host) - 1 }, (_, i) => `/${i}`) };
    return { links: [] };
  };

const roots = (count: number): string[] => Array.from({ length: count }, (_, i) => `http://h${i}.test/`);
const of = (asked: readonly Asked[], host: number): Asked[] =>
  asked.filter((one) => one.host === `http://h${host}.test`);
const last = (asked: readonly Asked[]): number => Math.max(...asked.map(({ endedAt }) => endedAt));

describe("fairness", () => {
  it("a host with a delay of 60 s slows none of 99 quick ones", async () => {
    const slow = (href: string): Reply | undefined =>
      href === "http://h0.test/robots.txt" ? { text: "User-agent: *\nCrawl-delay: 60\n" } : undefined;
    const options = { seeds: roots(100), addressOf: apart, backend: onDisk(), concurrency: 8 };
    const world = await crawlWorld({ ...options, web: flatSites(() => 10, slow) });
    assert.equal(world.end, "done");
    const start = world.asked[0]!.startedAt;
    const quick = world.asked.filter(({ host }) => host !== "http://h0.test");
    // 11 requests a host, 1.02 s each: what they would take without the slow one, and a little for the full house.
    assert.ok(last(quick) - start < 11 * 1_020 * 1.25, `${last(quick) - start} ms`);
    assert.equal(of(world.asked, 0).length, 11);
  });

  it("a host of 20,000 URLs holds up none of 400 of 20", async () => {
    const large = 20_000;
    const world = await crawlWorld({
      seeds: roots(401),
      web: flatSites(
        (host) => (host === 0 ? large : 20),
        (href) => (href.endsWith("robots.txt") ? NO_ROBOTS : undefined),
      ),
      addressOf: apart,
      backend: onDisk(),
      // Fewer places than hosts that are due: 401 ask for a place each second, and 8 places give 400.
      concurrency: 8,
      limit: 400 * 20 + 200,
    });
    assert.equal(world.end, "limit");
    const small = world.asked.filter(({ host }) => host !== "http://h0.test");
    assert.equal(small.length, 400 * 21, "every small host is complete");
    const before = of(world.asked, 0).filter(({ startedAt }) => startedAt < last(small)).length;
    assert.ok(
      before <= 26,
      `${before} requests to the large host until the small ones were done: an equal share is 21`,
    );
  });

  it("as many hosts are in work at once as there are, so that no place waits for a host", async () => {
    const options = { seeds: roots(200), web: flatSites(() => 5), addressOf: apart, backend: onDisk() };
    const world = await crawlWorld({ ...options, concurrency: 16 });
    assert.equal(world.end, "done");
    // 200 hosts, each asked once in 1.02 s at most: six requests each take as long as six of one host.
    const start = world.asked[0]!.startedAt;
    assert.ok(last(world.asked) - start < 6 * 1_020 * 1.25, `${last(world.asked) - start} ms`);
  });

  it("with several requests a host, a host that is slow to answer holds a tenth of the places while others wait", async () => {
    const concurrency = 20;
    const [hostConcurrency, hostShare] = [16, 2];
    let open = 0;
    let most = 0;
    const world = await crawlWorld({
      seeds: roots(30),
      web: flatSites(
        () => 60,
        (href) => {
          const isSlow = href.startsWith("http://h0.test/") && !href.endsWith("robots.txt");
          return isSlow && href !== "http://h0.test/" ? { links: [], ms: 5_000 } : undefined;
        },
      ),
      addressOf: apart,
      backend: onDisk({ hostConcurrency, hostShare }),
      concurrency,
      hostConcurrency,
      delayMs: 0,
      obeyRobots: false, // while a host waits for its robots.txt it has no need of places
    });
    assert.equal(world.end, "done");
    const quickDone = last(world.asked.filter(({ host }) => host !== "http://h0.test"));
    // In the last second fewer than ten quick hosts are left: then there are more than two places for each.
    const events = of(world.asked, 0)
      .filter(({ startedAt }) => startedAt < quickDone - 1_000)
      .flatMap(({ startedAt, endedAt }) => [[startedAt, 1] as const, [endedAt, -1] as const])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const [, step] of events) {
      open += step;
      most = Math.max(most, open);
    }
    assert.ok(most <= hostShare, `${most} of ${concurrency} places`);
    const after = of(world.asked, 0).filter(({ startedAt }) => startedAt > quickDone);
    assert.ok(after.length > 40, "and all the places that it may have once nobody waits");
    assert.ok(last(after) - quickDone < 6 * 5_000, "16 at a time");
  });
});

const ofPages = (asked: readonly Asked[]): Asked[] => asked.filter(({ href }) => !href.endsWith("/robots.txt"));

describe("a limit of pages", () => {
  const fetched = (asked: readonly Asked[], host: number) => ofPages(of(asked, host)).length;

  it("leaves what is over it queued, while the others go on, and a larger one goes on with it", async () => {
    const options = { seeds: roots(3), addressOf: apart, web: flatSites((host) => (host === 0 ? 50 : 5)) };
    const first = await crawlWorld({ ...options, backend: onDisk(), maxPerHost: 12 });
    assert.equal(first.end, "over-budget");
    assert.deepEqual(
      [0, 1, 2].map((host) => fetched(first.asked, host)),
      [12, 5, 5],
    );
    const { queued, leased, delayed } = await first.backend.pending();
    assert.deepEqual([queued, leased, delayed], [50 - 12, 0, 0]);
    assert.equal((await first.backend.endCounts()).get("budget"), undefined);
    await first.backend[Symbol.asyncDispose]();
    const second = await crawlWorld({ ...options, backend: onDisk(), maxPerHost: 100 });
    assert.equal(second.end, "done");
    assert.equal((await second.backend.endCounts()).get("fetched"), 60);
    await second.backend[Symbol.asyncDispose]();
  });

  it("of a registrable domain holds for all its hosts together, to the page, and from run to run", async () => {
    const seeds = ["a.big.test", "b.big.test", "c.big.test", "small.test"].map((name) => `http://${name}/`);
    const web = (href: string): Reply =>
      new URL(href).pathname === "/"
        ? { links: Array.from({ length: 20 }, (_, i) => `/${i}`) }
        : href.endsWith("robots.txt")
          ? NO_ROBOTS
          : { links: [] };
    const count = (asked: readonly Asked[], end: string) =>
      ofPages(asked).filter(({ host }) => host.endsWith(end)).length;
    for (const [run, maxPerDomain] of [30, 30, 40].entries()) {
      const addressOf = (name: string) => `192.0.2.${name.charCodeAt(0)}`;
      const world = await crawlWorld({ seeds, web, addressOf, backend: onDisk(), maxPerDomain, hostConcurrency: 1 });
      assert.equal(world.end, "over-budget");
      assert.equal(count(world.asked, "big.test"), [30, 0, 10][run]);
      assert.equal(count(world.asked, "small.test"), run === 0 ? 21 : 0);
      await world.backend[Symbol.asyncDispose]();
    }
  });
});

describe("what a domain may have", () => {
  it("is held to the page also where what is leased is held against today's rules first", async () => {
    const names = Array.from({ length: 24 }, (_, n) => `w${n}.many.test`);
    const { asked, end } = await crawlWorld({
      seeds: names.map((name) => `http://${name}/`),
      web: () => ({ links: [] }),
      addressOf: (name) => `192.0.2.${1 + names.indexOf(name)}`,
      ...{ obeyRobots: false, concurrency: 24, maxPerDomain: 10 },
      recheck: async () => null,
    });
    assert.equal(end, "over-budget");
    assert.equal(asked.length, 10);
  });
});

describe("a budget", () => {
  it("puts a host off that has had it, behind all that have not, and drops nothing", async () => {
    // Two places, 0.25 s an answer, 1 s between: more hosts are due than there is room for.
    const small = 20;
    const web = (href: string): Reply => {
      const late = href === "http://h0.test/140" ? roots(small + 1) : [];
      const reply = flatSites((host) => (host === 0 ? 300 : 40))(href)!;
      return { ...reply, links: [...reply.links!, ...late], ms: 250 };
    };
    const options = { seeds: roots(1), web, addressOf: apart, concurrency: 2, obeyRobots: false };
    /** How many pages the large host gets while the small ones, found when it has had its budget, are fetched. */
    const meanwhile = async (perHost: number | null): Promise<number> => {
      const { asked, end, backend } = await crawlWorld({
        ...options,
        backend: onDisk(),
        budget: { perHost, perDomain: null },
      });
      assert.equal(end, "done");
      await backend[Symbol.asyncDispose]();
      rmSync(dir, { recursive: true });
      const large = of(asked, 0);
      const others = asked.filter(({ host }) => host !== "http://h0.test");
      assert.deepEqual([large.length, others.length], [300, small * 40]);
      const from = others[0]!.startedAt;
      return large.filter(({ startedAt }) => startedAt > from && startedAt < last(others)).length;
    };
    assert.ok((await meanwhile(null)) >= 35, "without a budget it has its turns");
    assert.ok((await meanwhile(100)) <= 3);
  });

  it("of a domain holds hosts back that have never been asked", async () => {
    const seeds = ["big", "s1", "s2"].flatMap((name) =>
      Array.from({ length: 60 }, (_, i) => `http://w${i}.${name === "big" ? "big" : `${name}x${i}`}.test/`),
    );
    const web = (href: string): Reply => {
      const { pathname, hostname } = new URL(href);
      const count = hostname.endsWith(".big.test") ? 4 : 3;
      return { ms: 250, links: pathname === "/" ? Array.from({ length: count }, (_, i) => `/${i}`) : [] };
    };
    const addressOf = (name: string) =>
      `10.0.${seeds.indexOf(`http://${name}/`) >> 8}.${seeds.indexOf(`http://${name}/`) & 255}`;
    const budget = { perHost: null, perDomain: 100 };
    const world = await crawlWorld({
      seeds,
      web,
      addressOf,
      concurrency: 2,
      obeyRobots: false,
      backend: onDisk(),
      budget,
    });
    assert.equal(world.end, "done");
    const isBig = ({ host }: Asked) => host.endsWith(".big.test");
    const others = world.asked.filter((one) => !isBig(one));
    assert.deepEqual([world.asked.filter(isBig).length, others.length], [60 * 5, 120 * 4]);
    const before = world.asked.filter((one) => isBig(one) && one.startedAt < last(others)).length;
    assert.ok(before <= 110, `${before} pages of a domain with 100 while others waited`);
  });

  it("of more weight brings a domain's hosts before the others, where there is no place for all", async () => {
    const weights = new Map([["h7.test", 2]]);
    const first = (host: HostKey) => firstTier(weightOf(hostnameOf(host), weights));
    const web = (href: string) => ({ ...flatSites(() => 20)(href)!, ms: 250 });
    const world = await crawlWorld({
      ...{ seeds: roots(40), web, addressOf: apart, concurrency: 2, obeyRobots: false, weights },
      backend: (clock) => openEmbedded(dir, { clock, firstTier: first }),
    });
    assert.equal(world.end, "done");
    const heavy = of(world.asked, 7);
    const start = world.asked[0]!.startedAt;
    assert.ok(last(heavy) - start < 20 * 1_500, "at its own pace");
    const meanwhile = of(world.asked, 8).filter(({ startedAt }) => startedAt < last(heavy)).length;
    assert.ok(meanwhile > 0 && meanwhile < 8, `the others go on: ${meanwhile}`);
  });
});
