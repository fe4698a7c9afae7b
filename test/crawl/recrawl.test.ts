/** The real loop brings pages back: by their rates, within the budget, beside discovery, for ever or once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { byImportance, DueTimes } from "../../src/crawl/due-times.ts";
import { Recrawl } from "../../src/crawl/recrawl.ts";
import { leaveUnscheduled, panelRecords, weighed } from "../../src/crawl/schedule.ts";
import { NO_HISTORY } from "../../src/model/history.ts";
import type { HostKey } from "../../src/model/host.ts";
import { NO_ANSWER, type UrlRecord } from "../../src/model/record.ts";
import { type Href, parseUrl } from "../../src/model/url.ts";
import { rateOf } from "../../src/policy/change-rate.ts";
import type { RecrawlRules } from "../../src/policy/recrawl.ts";
import type { Backend } from "../../src/ports/frontier.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { expected, spearman, uniform } from "./changing-pages.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { crawlWorld, type Reply, type World, type WorldOptions } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const HOSTS = 4;

/** A day here is an hour: pages change within minutes. */
const RULES: RecrawlRules = {
  policy: "freshness",
  everyMs: 10 * MINUTE,
  budget: null,
  bounds: { minMs: 20 * SECOND, maxMs: 3 * HOUR },
  share: 0.5,
};

const NO_ROBOTS: Reply = { status: 404 };
const root = (host: number): string => `http://h${host}.test/`;

/** Pages of `HOSTS` hosts, whose texts change by clocks of their own. */
function changingWeb(pages: number, rateOfPage: (page: number) => number, seed = 1) {
  const chance = uniform(seed, "changes");
  const changes = new Map<string, number[]>();
  const start = new SimulatedClock().now();
  const versionAt = (href: string, rate: number, at: number): number => {
    const times = changes.get(href) ?? [start - Math.log(chance()) / rate];
    changes.set(href, times);
    while (times.at(-1)! <= at) times.push(times.at(-1)! - Math.log(chance()) / rate);
    return times.length;
  };
  const web = (href: string, at: number): Reply => {
    const { pathname } = new URL(href);
    if (pathname === "/robots.txt") return NO_ROBOTS;
    if (pathname === "/") return { links: Array.from({ length: pages }, (_, page) => `/p/${page}`) };
    const page = Number(pathname.slice(3));
    return { links: [`/p/${page}#${versionAt(href, rateOfPage(page), at)}`] };
  };
  return { web, changes };
}

interface Run extends Partial<WorldOptions> {
  readonly clock?: SimulatedClock;
  readonly backend?: () => Backend;
}

/** Crawls on for `ms`, and is stopped then. */
async function crawlFor(ms: number, web: (href: string, at: number) => Reply, rules: RecrawlRules, run: Run = {}) {
  const clock = run.clock ?? new SimulatedClock();
  const backend = run.backend?.() ?? memoryBackend({ clock });
  const stop = new AbortController();
  let recrawl: Recrawl | null = null;
  void clock.sleep(ms).then(() => stop.abort());
  const parts = { frontier: backend, urls: backend, clock, random: uniform(2, "looks"), weightOf: () => 1 };
  const made = new Recrawl({ ...parts, until: null }, rules);
  await made.open(backend);
  const world = await crawlWorld({
    seeds: Array.from({ length: HOSTS }, (_, host) => root(host)),
    web: (href) => web(href, clock.now()),
    addressOf: (host) => `192.0.2.${host.charCodeAt(1)}`,
    ...run,
    clock,
    backend: () => backend,
    stop: stop.signal,
    recrawl: () => {
      recrawl = made;
      return made;
    },
  });
  await made.close();
  return { world, backend, clock, recrawl: recrawl! as Recrawl };
}

const pagesOf = ({ asked }: World) => asked.filter(({ href }) => href.includes("/p/"));

describe("a continuous crawl", () => {
  it("ends only when it is stopped, and comes to know how often each page changes", async () => {
    // From a change in twenty seconds to one in six hours.
    const rate = (page: number): number => 1 / (20 * SECOND * 1_000 ** (page / 24));
    const { web } = changingWeb(25, rate);
    const { world, backend, recrawl } = await crawlFor(3 * HOUR, web, RULES);
    assert.equal(world.end, "stopped");
    const pairs: [number, number][] = [];
    for await (const { visit, ...url } of backend.urls({ endedOnly: true }))
      if (url.href.includes("/p/"))
        pairs.push([
          rateOf(recrawl.dueTimes.reasons({ ...url, importance: 0 }, visit).belief),
          rate(Number(url.href.split("/p/")[1])),
        ]);
    assert.equal(pairs.length, 25 * HOSTS);
    const correlation = spearman(
      pairs.map(([found]) => found),
      pairs.map(([, truth]) => truth),
    );
    assert.ok(correlation > 0.85, `rank correlation ${correlation}`);
  });

  it("spends its budget, all of it and not more, on the pages that are worth it", async () => {
    const rate = (page: number): number => (page < 10 ? 1 / SECOND : 1 / (15 * MINUTE));
    const { web } = changingWeb(25, rate);
    const { world } = await crawlFor(4 * HOUR, web, RULES);
    const asked = pagesOf(world);
    const start = asked[0]!.startedAt;
    const after = (hours: number) => asked.filter(({ startedAt }) => startedAt >= start + hours * HOUR);
    // A hundred pages, and four roots, each once in ten minutes in the mean.
    const perHour = after(2).length / 2;
    assert.ok(perHour > 0.85 * 6 * 100 && perHour < 1.05 * 6 * 104, `${perHour} visits an hour`);
    const hopeless = after(2).filter(({ href }) => rate(Number(href.split("/p/")[1])) > 1 / MINUTE).length;
    assert.ok(hopeless < 0.15 * after(2).length, `${hopeless} of ${after(2).length} to pages that cannot be followed`);
  });

  it("is uniform if told so", async () => {
    const { web } = changingWeb(25, (page) => (page < 10 ? 1 / SECOND : 1 / (15 * MINUTE)));
    const { world } = await crawlFor(2 * HOUR, web, { ...RULES, policy: "uniform" });
    const times = new Map<string, number>();
    for (const { href } of pagesOf(world)) times.set(href, (times.get(href) ?? 0) + 1);
    assert.ok(Math.max(...times.values()) - Math.min(...times.values()) <= 4, [...times.values()].join(" "));
  });

  it("takes what is added while it waits", async () => {
    const clock = new SimulatedClock();
    const added = clock.now() + HOUR;
    const { web } = changingWeb(2, () => 1 / HOUR);
    const { world } = await crawlFor(2 * HOUR, web, RULES, {
      clock,
      inbox: (_, backend, admit) => ({
        async look() {
          const url = parseUrl("http://late.test/p/0");
          assert.ok(url.ok);
          const found = { via: 0, depth: 0, hops: 0, source: "added", ofSeed: false } as const;
          if (clock.now() >= added) await backend.add([admit(url.value.href, url.value.href as Href, found)!]);
          return false;
        },
      }),
    });
    const [first, second] = world.asked.filter(({ href }) => href === "http://late.test/p/0");
    assert.ok(first!.startedAt - added < 2 * SECOND);
    assert.ok(second !== undefined, "and it comes back like any other");
  });

  it("gives revisits no more than their share of fetches, on each host too, while there are new URLs", async () => {
    // Host 0 has 2,000 pages, which take more than half an hour; the others are done in a minute.
    const web = (href: string, at: number): Reply => {
      const { hostname, pathname } = new URL(href);
      if (pathname === "/robots.txt") return NO_ROBOTS;
      if (pathname !== "/") return { links: [`${pathname}#${at}`] };
      return { links: Array.from({ length: hostname === "h0.test" ? 2_000 : 20 }, (_, page) => `/p/${page}`) };
    };
    const rules: RecrawlRules = { ...RULES, everyMs: 20 * SECOND, share: 0.2 };
    const { world } = await crawlFor(HOUR / 2, web, rules);
    const seen = new Set<string>();
    let [again, againOfLarge, ofLarge] = [0, 0, 0];
    for (const { href } of pagesOf(world)) {
      const isAgain = seen.has(href);
      seen.add(href);
      again += Number(isAgain);
      if (!href.startsWith(root(0))) continue;
      ofLarge++;
      againOfLarge += Number(isAgain);
    }
    const share = again / pagesOf(world).length;
    assert.ok(share > 0.15 && share < 0.21, `${share} of all`);
    assert.ok(againOfLarge / ofLarge < 0.21, `${againOfLarge} of ${ofLarge}`);
  });

  it("spends nothing on what robots.txt denies, however much that is", async () => {
    const visits = async (denied: number): Promise<number> => {
      const links = [...Array(10).keys()]
        .map((n) => `/p/${n}`)
        .concat([...Array(denied).keys()].map((n) => `/no/${n}`));
      const web = (href: string, at: number): Reply => {
        const { pathname } = new URL(href);
        if (pathname === "/robots.txt") return { text: "User-agent: *\nDisallow: /no/\n" };
        return pathname === "/" ? { links } : { links: [`${pathname}#${Math.floor(at / (5 * MINUTE))}`] };
      };
      const { world } = await crawlFor(HOUR, web, { ...RULES, policy: "uniform" });
      assert.ok(world.asked.every(({ href }) => !href.includes("/no/")));
      return pagesOf(world).length;
    };
    const [alone, among] = [await visits(0), await visits(100)];
    assert.ok(among > 0.9 * alone, `${among} visits among what is denied, ${alone} without`);
  });

  it("goes on when the clock is set back", async () => {
    const clock = new SimulatedClock();
    let back = 0;
    const shifted: Clock = { now: () => clock.now() - back, sleep: (ms, signal) => clock.sleep(ms, signal) };
    const urls = memoryBackend({ clock: shifted });
    let asked = 0;
    const frontier = {
      pending: async () => ({ queued: 0, leased: 0, delayed: 0, hosts: 0 }),
      revisit: async () => 0,
      schedule: async () => {},
      due: async () => [],
      rests: async () => false,
      async nextDueAt() {
        asked++;
        return null;
      },
    };
    const parts = { frontier, urls, clock: shifted, random: () => 0, weightOf: () => 1, until: null };
    const recrawl = new Recrawl(parts, RULES);
    await recrawl.take();
    await recrawl.take();
    assert.equal(asked, 1);
    back = 24 * HOUR;
    await recrawl.take();
    assert.equal(asked, 2);
  });

  it("looks again at what is gone, after twice as long each time, and by its rate once it is back", async () => {
    const gone = "http://h0.test/p/0";
    const clock = new SimulatedClock();
    const start = clock.now();
    const { web } = changingWeb(5, () => 1 / (10 * MINUTE));
    const isGone = (at: number) => at > start + 2 * HOUR && at < start + 3.5 * HOUR;
    const missing = (href: string, at: number) => (href === gone && isGone(at) ? { status: 404 } : web(href, at));
    const { world } = await crawlFor(6 * HOUR, missing, RULES, { clock });
    const times = world.asked.filter(({ href }) => href === gone).map(({ startedAt }) => startedAt);
    const while404 = times.filter(isGone);
    const gaps = while404.slice(1).map((at, nth) => at - while404[nth]!);
    assert.ok(gaps.length >= 2, times.map((at) => Math.round((at - start) / MINUTE)).join(" "));
    for (const [nth, gap] of gaps.slice(1).entries()) assert.ok(gap > 1.8 * gaps[nth]!, gaps.join(" "));
    const back = times.filter((at) => at > start + 3.5 * HOUR);
    assert.ok(back.length > 4, `${back.length} visits since it is back`);
  });
});

describe("a continuous crawl that goes on", () => {
  it("lets others see while it runs what is believed", async () => {
    const clock = new SimulatedClock();
    const backend = memoryBackend({ clock });
    const { web } = changingWeb(25, () => 1 / HOUR);
    const seen = new DueTimes(RULES, () => 1);
    void clock.sleep(HOUR).then(async () => seen.load(await panelRecords(backend, backend)));
    await crawlFor(2 * HOUR, web, RULES, { clock, backend: () => backend });
    assert.equal(seen.economy.pages, 26 * HOSTS);
  });
});

describe("a panel that was kept", () => {
  it("stands for as many pages when it is loaded as it did before", () => {
    const crawled = Array.from({ length: 40_000 }, (_, nth) => ({ ...seenOnce(nth + 1), importance: 0 }));
    const before = new DueTimes(RULES, () => 1);
    for (const { visit, ...url } of crawled) before.learn(url, visit!);
    const { zeros, ids } = before.panel;
    assert.ok(ids.length < crawled.length / 2 && Math.abs(before.economy.pages / crawled.length - 1) < 0.05);
    const after = new DueTimes(RULES, () => 1);
    after.load({ zeros, records: ids.map((id) => crawled[id - 1]!) });
    assert.equal(after.economy.pages, ids.length * 2 ** zeros);
  });
});

/** A page that was fetched once. */
function seenOnce(id: number): UrlRecord {
  const host = "http://a.test" as HostKey;
  const href = `${host}/${id}` as Href;
  const given = { urlId: id, href, end: "fetched", detail: null, attempt: 1, startedAt: 0, endedAt: 0 } as const;
  const where = { depth: 0, hops: 0, via: 0, source: "link", priority: 4, admittedAt: 0 } as const;
  const visit = { ...NO_ANSWER, ...given, history: null };
  return { id, host, href, ...where, state: "ended", dueAt: null, visit };
}

describe("a due pass", () => {
  async function plainCrawl(clock: SimulatedClock, backend: Backend): Promise<void> {
    const { web } = changingWeb(20, () => 1 / HOUR);
    const world = await crawlWorld({
      seeds: [root(0)],
      web: (href) => web(href, clock.now()),
      clock,
      backend: () => backend,
    });
    assert.equal(world.end, "done");
    await leaveUnscheduled(backend);
  }

  async function pass(clock: SimulatedClock, backend: Backend, rules = RULES): Promise<World> {
    const { web } = changingWeb(20, () => 1 / HOUR);
    const parts = { frontier: backend, urls: backend, clock, random: uniform(3, "pass"), weightOf: () => 1 };
    const recrawl = new Recrawl({ ...parts, until: clock.now() }, rules);
    await recrawl.open(backend);
    const options = { seeds: [root(0)], web: (href: string) => web(href, clock.now()), clock, backend: () => backend };
    const world = await crawlWorld({ ...options, recrawl: () => recrawl });
    await recrawl.close();
    return world;
  }

  it("schedules a crawl that ran without schedules, visits what is due, and ends", async () => {
    const clock = new SimulatedClock();
    const backend = memoryBackend({ clock });
    await plainCrawl(clock, backend);
    assert.equal(await backend.nextDueAt(), null);
    await clock.sleep(5 * MINUTE);
    const until = clock.now();
    const world = await pass(clock, backend);
    assert.equal(world.end, "done");
    const asked = new Set(pagesOf(world).map(({ href }) => href));
    assert.ok(asked.size >= 5 && asked.size <= 15, `about half of twenty are due after half the time: ${asked.size}`);
    assert.equal(pagesOf(world).length, asked.size, "each once");
    assert.ok((await backend.nextDueAt())! > until);
  });

  it("right after another has nothing to do", async () => {
    const clock = new SimulatedClock();
    const backend = memoryBackend({ clock });
    await plainCrawl(clock, backend);
    await clock.sleep(HOUR);
    assert.equal(pagesOf(await pass(clock, backend)).length, 20);
    assert.equal(pagesOf(await pass(clock, backend)).length, 0);
  });

  it("by other rules than the last goes by these from then on", async () => {
    const clock = new SimulatedClock();
    const backend = memoryBackend({ clock });
    await plainCrawl(clock, backend);
    const rarely: RecrawlRules = { ...RULES, everyMs: 100 * HOUR, bounds: { minMs: 50 * HOUR, maxMs: 500 * HOUR } };
    await pass(clock, backend, rarely);
    assert.ok((await backend.nextDueAt())! > clock.now() + 49 * HOUR);
    await clock.sleep(HOUR);
    assert.equal(pagesOf(await pass(clock, backend)).length, 20, "due by the new rules, not by the old");
    await pass(clock, backend, rarely);
    assert.ok((await backend.nextDueAt())! > clock.now() + 49 * HOUR, "and the other way round");
  });

  it("keeps for the next run, and for others to look at, what is believed", async () => {
    const clock = new SimulatedClock();
    const backend = memoryBackend({ clock });
    await plainCrawl(clock, backend);
    for (let round = 0; round < 5; round++) {
      await clock.sleep(HOUR);
      await pass(clock, backend);
    }
    const seen = new DueTimes(RULES, () => 1);
    seen.load(await panelRecords(backend, backend));
    assert.equal(seen.economy.pages, 21);
    const page = (await weighed(5, backend))!;
    const rate = rateOf(seen.reasons(page, page.visit).belief);
    assert.ok(rate * HOUR > 0.2 && rate * HOUR < 5, String(rate * HOUR));
    const { freshness } = expected({ rates: [rate], weights: [1] }, [1 / (10 * MINUTE)]);
    assert.ok(freshness > 0.5);
  });
});

describe("when a page is due", () => {
  const looks = { ...NO_HISTORY, checks: 4, changes: 2, spans: [600, -600, 600, -600] };
  const seen = {
    ...NO_ANSWER,
    detail: null,
    attempt: 1,
    startedAt: 0,
    endedAt: 0,
    end: "fetched",
    history: looks,
  } as const;
  const afterMs = (importance: (id: number) => number): number[] => {
    const dueTimes = new DueTimes(RULES, byImportance);
    const pages = Array.from({ length: 20 }, (_, at) => {
      const href = `${root(0)}p/${at}` as Href;
      const url = { id: at + 1, host: "http://h0.test" as HostKey, href, importance: importance(at + 1) };
      return { url, visit: { ...seen, urlId: at + 1, href } };
    });
    for (const { url, visit } of pages) dueTimes.learn(url, visit);
    return pages.map(({ url, visit }) => dueTimes.reasons(url, visit).afterMs);
  };

  it("depends on the importance that links have given it, where pages change alike", () => {
    const [one, other] = afterMs((id) => (id % 2 === 0 ? 0.01 : 0.16));
    assert.ok(one! < other! / 2, `${one} ms, and ${other} ms for one of a sixteenth of its importance`);
  });

  it("does not where no importance is kept", () => {
    assert.equal(new Set(afterMs(() => 0)).size, 1);
  });
});
