/** Crawlers that share a crawl come back to its pages together: by the real command, with one killed on the way. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { NO_HISTORY } from "../../src/model/history.ts";
import type { VisitRecord } from "../../src/model/record.ts";
import { historyOf } from "../../src/policy/history.ts";
import type { Server } from "../web/changing.ts";
import { type SpawnedWeb, spawnFakeWeb } from "../web/spawn.ts";
import { asked, done, haveCluster, crawlOf as sharedCrawlOf, until } from "./cluster-crawls.ts";
import { startTrawl, trawl } from "./trawl.ts";

const SERVERS: readonly Server[] = ["strong", "modified", "noisy"];
/** What a killed crawler had open comes back soon. */
const SHORT = ["--total-timeout", "5s", "--lease", "10s"];

/** All pages after so long. */
const EVENLY = ["--revisit-policy", "uniform", "--revisit-min", "1s", "--revisit-every"];

haveCluster();

/** A crawl of its own, in a place of its own. */
function crawlOf(web: SpawnedWeb) {
  const crawl = sharedCrawlOf(web);
  return {
    ...crawl,
    eventsOf: (crawler: string) => `${crawl.dirOf(crawler)}.jsonl`,
    begins: (crawler: string, ...more: string[]) =>
      crawl.begins(crawler, "--delay", "1s", ...SHORT, "--no-soft-404", "--pattern-budget", "0", ...more),
    recrawls: (crawler: string, ...more: string[]) => [
      "recrawl",
      ...crawl.where,
      "--dir",
      crawl.dirOf(crawler),
      ...more,
    ],
  };
}

/** Of a URL, as `asked` has it. */
const pathOf = (href: string): string => href.replace(/^http:..|:\d+/g, "");

const sum = (times: ReadonlyMap<string, number>): number => [...times.values()].reduce((all, one) => all + one, 0);

/** What the visits to a URL, as they are recorded, have to tell. */
function changesIn(visits: readonly VisitRecord[]): string[] {
  let before = NO_HISTORY;
  return visits.flatMap((visit) => {
    if (visit.end === "retry" || visit.end === "follow") return [];
    const now = historyOf(visit);
    const was = before;
    before = now;
    const event =
      now.away !== null
        ? now.away.why !== was.away?.why && now.seenAt !== null && now.away.why
        : was.seenAt === null
          ? now.seenAt !== null && "new"
          : was.away !== null
            ? "back"
            : now.changes > was.changes && "changed";
    return event === false ? [] : [`${visit.urlId} ${new Date(visit.startedAt).toISOString()} ${event}`];
  });
}

describe("crawlers that share a crawl", () => {
  it("make one pass over what is due, also when one is killed and one joins: each page once, but for what was open", async () => {
    await using web = await spawnFakeWeb({
      ...{ hosts: 9, pagesPerHost: 8, addresses: 9 },
      robots: { "*": { kind: "status", status: 404 } },
    });
    const crawl = crawlOf(web);
    for (const run of await Promise.all(["a", "b"].map((one) => trawl(crawl.begins(one, "--delay", "100ms")))))
      done(run);
    const before = await asked(web);
    assert.equal(sum(before), before.size);

    await sleep(2_000); // all are due by then
    const soon = [...EVENLY, "1s", "--delay", "300ms"];
    const [a, b, c] = ["a", "b", "c"].map((one) => startTrawl(crawl.recrawls(one, ...soon)));
    await until("pages are visited again", async () => sum(await asked(web)) > before.size + 15);
    c!.process.kill("SIGKILL");
    const d = startTrawl(crawl.recrawls("d", ...soon));
    const killed = await c!.ended;
    assert.equal(killed.signal, "SIGKILL", "it was at it still");
    for (const run of [await a!.ended, await b!.ended, await d.ended]) done(run);

    await using state = await crawl.state();
    const ends = await state.ends();
    assert.ok([...ends.values()].every((end) => end === "fetched" || end === "not-modified"));
    const times = await asked(web);
    const again = new Map(Array.from(ends.keys(), pathOf).map((page) => [page, times.get(page)! - before.get(page)!]));
    const missed = [...again].filter(([, looks]) => looks === 0);
    assert.deepEqual(missed, []);
    const open = 9; // a lease a host
    assert.ok(sum(again) <= again.size + open, `${sum(again)} visits to ${again.size} pages`);
    const due = await trawl(["due", ...crawl.where, "--json", "--limit", "1000"]);
    assert.equal(due.stdout.trim().split("\n").length, again.size);
    assert.deepEqual([await state.unreadable(), await state.segmented()], [[], []]);
  });

  it("are all at the same, or are told", async () => {
    await using web = await spawnFakeWeb({ hosts: 2, pagesPerHost: 4 });
    const crawl = crawlOf(web);
    const rules = [...EVENLY, "2s", "--delay", "10ms"];
    const running = startTrawl(crawl.begins("a", "--continuous", ...rules));
    await until("it has begun", async () => (await asked(web)).size > 0);
    const pass = await trawl(crawl.recrawls("b"));
    assert.equal(pass.code, 2, pass.stderr);
    assert.match(pass.stderr, /visit pages again for ever \(--continuous\), and this one would visit once more/);
    const once = await trawl(crawl.begins("b", ...rules));
    assert.equal(once.code, 2, once.stderr);
    assert.match(once.stderr, /run with --continuous, this one would run without --continuous/);
    const joined = startTrawl(crawl.joins("b"));
    await until("both are at it", async () => {
      const status = await trawl(["status", ...crawl.where, "--json"]);
      return (JSON.parse(status.stdout) as { crawlers?: unknown[] }).crawlers?.length === 2;
    });
    const times = sum(await asked(web));
    running.process.kill("SIGTERM");
    assert.equal((await running.ended).code, 143);
    await until("it goes on alone", async () => sum(await asked(web)) > times + 30);
    joined.process.kill("SIGTERM");
    assert.equal((await joined.ended).code, 143, joined.said());
  });

  it("tell each change once, each in its own file, whoever is killed", async () => {
    await using web = await spawnFakeWeb({
      ...{ hosts: 9, pagesPerHost: 3, addresses: 9, dressed: false, bytes: [2_000, 3_000] },
      robots: { "*": { kind: "status", status: 404 } },
      changing: { servers: SERVERS, speed: 2 * 86_400, medianDays: 8, spread: 1.5, fleeting: 0.3, days: 2_000 },
    });
    const crawl = crawlOf(web);
    const often = ["--continuous", "--delay", "20ms", "--revisit-every", "1s", "--revisit-min", "1s"];
    const start = (one: string) => startTrawl(crawl.begins(one, ...often, "--events", crawl.eventsOf(one)));
    const begun = ["a", "b", "c"].map(start);
    await until("pages come back", async () => sum(await asked(web)) > 80);
    const same = await trawl(crawl.begins("d", ...often, "--events", crawl.eventsOf("a")));
    assert.match(same.stderr, /--events: \S+ is written by another crawler of this crawl; name a file/);
    for (let round = 0; round < 3; round++) {
      begun[2]!.process.kill("SIGKILL");
      await begun[2]!.ended;
      begun[2] = start("c");
      const times = sum(await asked(web));
      await until("they go on", async () => sum(await asked(web)) > times + 60);
    }
    for (const { process } of begun) process.kill("SIGTERM");
    for (const { ended } of begun) assert.equal((await ended).code, 143);

    const files = await Promise.all(["a", "b", "c"].map((one) => readFile(crawl.eventsOf(one), "utf8")));
    const told = files.flatMap((text) => text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line))));
    await using state = await crawl.state();
    const expected = (await state.visits()).flatMap(changesIn);
    assert.deepEqual(told.map(({ event, id, at }) => `${id} ${at} ${event}`).sort(), expected.sort());
    assert.ok(told.filter(({ event }) => event === "changed").length > 10);
    assert.ok(files.filter((text) => text !== "").length > 1);
  });
});
