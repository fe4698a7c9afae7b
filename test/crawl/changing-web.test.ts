/** A web that changes by seeded clocks, looked at again and again by the real loop: what is told is what has happened. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Recrawl } from "../../src/crawl/recrawl.ts";
import type { ChangeEvent } from "../../src/model/event.ts";
import { rateOf } from "../../src/policy/change-rate.ts";
import type { RecrawlRules } from "../../src/policy/recrawl.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { type ChangingOptions, changingAnswer, type Server, type Version } from "../web/changing.ts";
import { site } from "../web/site.ts";
import { spearman, uniform } from "./changing-pages.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { type Asked, crawlWorld, type Kept, type WorldOptions } from "./world.ts";

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;
const PORT = 80;
const SERVERS: readonly Server[] = ["strong", "weak", "modified", "none", "churning", "noisy", "deaf", "stuck"];
const DENIED = "h1.test";
const LOOKS = 24;
const DAYS = 45;

const LIARS: readonly Server[] = ["deaf", "stuck"];
const PAGES = 6;

/** What the web gave, as it knows it. */
interface Given {
  readonly at: number;
  readonly status: number;
  readonly version: Version;
}

const serverOf = (href: string): Server => SERVERS[Number(new URL(href).hostname.slice(1, -5))]!;

/** Eight hosts of as many kinds, and a log of what they gave. `speed`: their ms in one of the crawl's. */
function changingWeb(changing: ChangingOptions, speed = 1) {
  const web = site(
    {
      hosts: SERVERS.length,
      pagesPerHost: PAGES,
      bytes: [2_000, 4_000],
      robots: { "*": { kind: "status", status: 404 } },
      changing: { from: START, servers: SERVERS, spread: 1.5, moving: 0.1, ...changing },
    },
    PORT,
  );
  const given = new Map<string, Given[]>();
  let answers = 0;

  const answer: WorldOptions["web"] = (href, _nth, _cookie, request) => {
    const { headers, at } = request!;
    const webAt = START + (at - START) * speed;
    const { hostname, pathname, search } = new URL(href);
    if (pathname === "/robots.txt")
      return web.changing!.denies(hostname, webAt) ? { text: "User-agent: *\nDisallow: /\n" } : { status: 404 };
    const served = web.serve(hostname, pathname + search, webAt);
    if (served === null) return { status: 404 };
    if (served.version === undefined) return { status: 301, headers: ["Location", served.moved!] };
    const {
      status,
      headers: fields,
      body,
    } = changingAnswer(served, served.version, serverOf(href), headers, answers++);
    const all = given.get(href) ?? [];
    given.set(href, all);
    all.push({ at, status, version: served.version });
    return { status, headers: Object.entries(fields).flat(), text: String(body) };
  };

  return { web, given, answer };
}

/** What a crawl of such a web has told and kept. */
interface Seen {
  readonly given: ReadonlyMap<string, readonly Given[]>;
  readonly events: readonly ChangeEvent[];
  readonly kept: readonly Kept[];
}

const seeds = SERVERS.map((_, host) => `http://h${host}.test/`);

/** What holds of each such crawl, however it comes back. */
function tellsWhatHasHappened({ given, events, kept }: Seen): void {
  const eventsOf = (href: string): ChangeEvent[] => events.filter((event) => event.href === href);

  it("tells of each page exactly what its own answers show, in order", () => {
    for (const [href, all] of given) {
      const expected: string[] = [];
      let [seen, away]: [number | null, string | null] = [null, null];
      for (const { status, version } of all) {
        const why = status === 404 || status === 410 ? "gone" : status === 301 ? "moved" : null;
        if (why !== null) {
          if (seen !== null && away !== why) expected.push(why);
          away = why;
          continue;
        }
        const is: number | null = status === 304 ? seen : version.number;
        if (seen === null) expected.push("new");
        else if (away !== null) expected.push("back");
        else if (is !== seen) expected.push("changed");
        [seen, away] = [is, null];
      }
      const told = eventsOf(href).map(({ kind }) => kind);
      assert.deepEqual(
        told.filter((kind) => kind !== "denied"),
        expected,
        href,
      );
    }
  });

  it("tells of no change that has not happened since the page was read before", () => {
    let changes = 0;
    for (const { kind, href, at, distance } of events) {
      if (kind !== "changed") continue;
      changes++;
      assert.ok(distance === null || distance > 3);
      const read = given.get(href)!.filter((one) => one.status === 200 && one.at <= at);
      assert.equal(read.at(-1)!.at, at);
      assert.ok(read.at(-1)!.version.number > read.at(-2)!.version.number, `${href} at ${new Date(at).toISOString()}`);
    }
    assert.ok(changes > 100, `${changes} changes`);
  });

  it("misses no change of servers that tell the truth", () => {
    for (const [href, all] of given) {
      if (LIARS.includes(serverOf(href)) || href.startsWith(`http://${DENIED}/`)) continue;
      const there = all.filter(({ status }) => status === 200 || status === 304);
      const changes = there.slice(1).filter(({ version }, n) => version.number !== there[n]!.version.number).length;
      const told = eventsOf(href).filter(
        ({ kind, digest, digestBefore }) => kind === "changed" || (kind === "back" && digest !== digestBefore),
      );
      assert.equal(told.length, changes, href);
    }
  });

  it("is told by a 304 wherever a server can say so, and keeps it without a body", () => {
    const notModified = kept.filter(({ status }) => status === 304);
    assert.ok(notModified.length > 200, `${notModified.length} of ${kept.length}`);
    for (const { bytes, revisit } of notModified) {
      assert.equal(bytes, 0);
      assert.equal(revisit?.profile, "server-not-modified");
    }
    for (const server of ["none", "noisy", "churning"] as const)
      assert.ok(!notModified.some(({ href }) => serverOf(href) === server));
  });
}

describe("a crawl that comes back to a web that changes", () => {
  const clock = new SimulatedClock(START);
  const { given, answer } = changingWeb({ medianDays: 4, fleeting: 0.3, denies: { [DENIED]: 12 } });
  const backend = memoryBackend({ clock });
  const events: ChangeEvent[] = [];
  const kept: Kept[] = [];
  const asked: Asked[] = [];

  before(async () => {
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) {
        await clock.sleep(DAY);
        const ended = await Array.fromAsync(backend.urls({ endedOnly: true }));
        await backend.revisit(ended.map(({ id }) => ({ id, priority: 4 })));
      }
      const options = {
        seeds,
        web: answer,
        clock,
        backend: () => backend,
        asHtml: true,
        wholeEvery: 5,
        concurrency: 8,
      };
      const world = await crawlWorld(options);
      events.push(...world.changes);
      kept.push(...world.kept);
      asked.push(...world.asked);
    }
  });

  tellsWhatHasHappened({ given, events, kept });

  it("finds out the servers that lie, and after that no change is hidden", async () => {
    for (const server of LIARS) {
      const host = `http://h${SERVERS.indexOf(server)}.test`;
      assert.ok((await backend.host(host as never))?.again?.liar, server);
    }
    for (const server of ["strong", "weak", "modified", "churning"] as const) {
      const host = `http://h${SERVERS.indexOf(server)}.test`;
      assert.equal((await backend.host(host as never))?.again?.liar, false, server);
    }
  });

  it("asks a host that denies everything for nothing but its robots.txt", () => {
    const from = START + 14 * DAY; // it has denied from the twelfth day on, and a copy holds for a day
    const late = asked.filter(({ href, startedAt }) => href.startsWith(`http://${DENIED}/`) && startedAt > from);
    assert.ok(late.length > 0);
    assert.ok(late.every(({ href }) => href.endsWith("/robots.txt")));
    const denied = new Set(events.filter(({ kind }) => kind === "denied").map(({ href }) => href));
    assert.ok(denied.size > 0);
    for (const href of denied) assert.equal(events.findLast((event) => event.href === href)!.kind, "denied");
  });
});

describe("a continuous crawl of a web that changes", () => {
  // A day of the web takes a minute.
  const clock = new SimulatedClock(START);
  const { web, given, answer } = changingWeb({ medianDays: 4, fleeting: 0.3, days: DAYS }, DAY / MINUTE);
  const backend = memoryBackend({ clock });
  const rules: RecrawlRules = {
    policy: "freshness",
    everyMs: MINUTE,
    budget: null,
    bounds: { minMs: 3 * SECOND, maxMs: 30 * MINUTE },
    share: 0.5,
  };
  const parts = { frontier: backend, urls: backend, clock, random: uniform(1, "looks"), weightOf: () => 1 };
  const recrawl = new Recrawl({ ...parts, until: null }, rules);
  const events: ChangeEvent[] = [];
  const kept: Kept[] = [];

  before(async () => {
    await recrawl.open(backend);
    const stop = new AbortController();
    void clock.sleep(DAYS * MINUTE).then(() => stop.abort());
    const options = { seeds, web: answer, clock, backend: () => backend, asHtml: true, wholeEvery: 5, concurrency: 8 };
    const world = await crawlWorld({ ...options, delayMs: 100, recrawl: () => recrawl, stop: stop.signal });
    assert.equal(world.end, "stopped");
    events.push(...world.changes);
    kept.push(...world.kept);
  });

  tellsWhatHasHappened({ given, events, kept });

  it("comes to know how often each page changes", async () => {
    const found = new Map<string, number>();
    for await (const { visit, ...url } of backend.urls({ endedOnly: true }))
      found.set(url.href, rateOf(recrawl.dueTimes.belief({ ...url, importance: 0 }, visit)));
    const pairs = SERVERS.flatMap((server, host) =>
      Array.from({ length: PAGES }, (_, page) => ({ server, id: { host, page } })),
    ).map(({ server, id }) => ({
      server,
      found: found.get(new URL(web.urlOf(id)).href)!,
      truth: web.changing!.rateOf(id),
    }));
    const correlation = (of: typeof pairs) =>
      spearman(
        of.map((one) => one.found),
        of.map((one) => one.truth),
      );
    const [all, honest] = [correlation(pairs), correlation(pairs.filter(({ server }) => !LIARS.includes(server)))];
    assert.ok(honest > 0.8, `rank correlation ${honest} over the hosts that tell the truth`);
    assert.ok(all > 0.7, `rank correlation ${all} over all`);
  });
});
