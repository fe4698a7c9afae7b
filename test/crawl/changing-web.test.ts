/** A web that changes by seeded clocks, looked at again and again by the real loop: what is told is what has happened. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ChangeEvent } from "../../src/model/event.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { changingAnswer, type Server, type Version } from "../web/changing.ts";
import { site } from "../web/site.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { crawlWorld, type Kept, type Reply } from "./world.ts";

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const PORT = 80;
const SERVERS: readonly Server[] = ["strong", "weak", "modified", "none", "churning", "noisy", "deaf", "stuck"];
const DENIED = "h1.test";
const LOOKS = 24;

/** What the web gave, as it knows it. */
interface Given {
  readonly at: number;
  readonly status: number;
  readonly version: Version;
}

describe("a crawl that comes back to a web that changes", () => {
  const clock = new SimulatedClock(START);
  const web = site(
    {
      hosts: SERVERS.length,
      pagesPerHost: 6,
      bytes: [2_000, 4_000],
      robots: { "*": { kind: "status", status: 404 } },
      changing: {
        from: START,
        servers: SERVERS,
        medianDays: 4,
        spread: 1.5,
        fleeting: 0.3,
        moving: 0.1,
        denies: { [DENIED]: 12 },
      },
    },
    PORT,
  );
  const backend = memoryBackend({ clock });
  const given = new Map<string, Given[]>();
  const events: ChangeEvent[] = [];
  const kept: Kept[] = [];
  const asked: { readonly href: string; readonly startedAt: number }[] = [];
  let answers = 0;

  function answer(href: string, headers: Readonly<Record<string, string>>, at: number): Reply {
    const { hostname, pathname, search } = new URL(href);
    if (pathname === "/robots.txt")
      return web.changing!.denies(hostname, at) ? { text: "User-agent: *\nDisallow: /\n" } : { status: 404 };
    const served = web.serve(hostname, pathname + search, at);
    if (served === null) return { status: 404 };
    if (served.version === undefined) return { status: 301, headers: ["Location", served.moved!] };
    const server = web.changing!.serverOf(Number(hostname.slice(1, -5)));
    const { status, headers: fields, body } = changingAnswer(served, served.version, server, headers, answers++);
    const all = given.get(href) ?? [];
    given.set(href, all);
    all.push({ at, status, version: served.version });
    return { status, headers: Object.entries(fields).flat(), text: String(body) };
  }

  before(async () => {
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) {
        await clock.sleep(DAY);
        const ended = await Array.fromAsync(backend.urls({ endedOnly: true }));
        await backend.revisit(ended.map(({ id }) => ({ id, priority: 4 })));
      }
      const world = await crawlWorld({
        seeds: SERVERS.map((_, host) => `http://h${host}.test/`),
        web: (href, _nth, _cookie, request) => answer(href, request!.headers, request!.at),
        clock,
        backend: () => backend,
        asHtml: true,
        wholeEvery: 5,
        concurrency: 8,
      });
      events.push(...world.changes);
      kept.push(...world.kept);
      asked.push(...world.asked);
    }
  });

  const eventsOf = (href: string): ChangeEvent[] => events.filter((event) => event.href === href);
  const serverOf = (href: string): Server => SERVERS[Number(new URL(href).hostname.slice(1, -5))]!;

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
      if (["deaf", "stuck"].includes(serverOf(href)) || href.startsWith(`http://${DENIED}/`)) continue;
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
    for (const { revisit } of notModified) assert.equal(revisit?.profile, "server-not-modified");
    for (const server of ["none", "noisy", "churning"] as const)
      assert.ok(!notModified.some(({ href }) => serverOf(href) === server));
  });

  it("finds out the servers that lie, and after that no change is hidden", async () => {
    for (const server of ["deaf", "stuck"] as const) {
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
    for (const href of denied) assert.equal(eventsOf(href).at(-1)!.kind, "denied");
  });
});
