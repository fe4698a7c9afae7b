/** A crawl that crawlers share, by the real command: on a Redis Cluster, with a directory as its store. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { deniedRequests, requestsBeforeRobots, smallestGap, smallestGaps } from "../web/politeness.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { asked, crawlOf, DELAY_MS, dir, done, haveCluster, LONG, until } from "./cluster-crawls.ts";
import { canonical, fetchedIn, startTrawl, trawl } from "./trawl.ts";

haveCluster();

/** What a crawler has logged of an event. */
async function linesOf(logs: string, event: string): Promise<Record<string, unknown>[]> {
  const texts = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), "utf8")));
  const lines = texts.flatMap((text) => text.trim().split("\n")).map((line) => JSON.parse(line));
  return lines.filter((line) => line.event === event);
}

const twice = (times: ReadonlyMap<string, number>): string[] =>
  [...times].flatMap(([url, n]) => (n > 1 ? [`${url}: ${n} times`] : []));

describe("crawlers that share a crawl", () => {
  it("fetch together what one alone would, each page once, politely, and have all of it in the store", async () => {
    await using web = await spawnFakeWeb({ hosts: 10, pagesPerHost: 6, addresses: 4 });
    const crawl = crawlOf(web);
    const runs = await Promise.all(["a", "b", "c"].map((crawler) => trawl(crawl.begins(crawler))));
    for (const run of runs) done(run);

    await using state = await crawl.state();
    const reachable = canonical(web.site.reachable());
    assert.deepEqual(canonical(await state.fetched()), reachable);
    assert.deepEqual(twice(await asked(web)), []);
    const log = await web.entries();
    const gaps = smallestGaps(log);
    assert.ok(smallestGap(gaps.hosts)!.ms >= DELAY_MS, `host: ${smallestGap(gaps.hosts)!.ms} ms`);
    assert.ok(smallestGap(gaps.addresses)!.ms >= DELAY_MS, `address: ${smallestGap(gaps.addresses)!.ms} ms`);
    assert.deepEqual(deniedRequests(log, web.site.robotsByHost()), []);
    assert.deepEqual(requestsBeforeRobots(log), []);

    assert.deepEqual(await state.unreadable(), []);
    assert.deepEqual(await state.segmented(), []);
    for (const run of runs)
      assert.match(run.stderr, new RegExp(`^Done: ${reachable.size} pages in all; by this crawler`, "m"));
    let met = 0;
    for (const crawler of ["a", "b", "c"]) {
      const names = await readdir(crawl.dirOf(crawler));
      assert.deepEqual(names.sort(), ["archive", "crawl.json", "crawler.json", "lock.db", "logs"]);
      const [said] = await linesOf(join(crawl.dirOf(crawler), "logs"), "links-known-here");
      assert.ok(Number(said?.asked) >= Number(said?.met), JSON.stringify(said));
      met += Number(said?.met);
      assert.deepEqual(await readdir(join(crawl.dirOf(crawler), "archive")), []);
    }
    assert.ok(met > 0);
  });

  it("come and go: one that is told to stop gives back what it has, one that is killed goes on at once, none is missed", async () => {
    await using web = await spawnFakeWeb({ hosts: 8, pagesPerHost: 12, addresses: 8 });
    const crawl = crawlOf(web);
    const first = startTrawl(crawl.begins("a", ...LONG));
    await until("a page is fetched", async () => (await asked(web)).size > 4);
    const second = startTrawl(crawl.joins("b"));
    await until("the second is at work", async () => existsSync(join(crawl.dirOf("b"), "crawl.json")));
    first.process.kill("SIGTERM");
    const stopped = await first.ended;
    assert.equal(stopped.code, 143, stopped.stderr);
    assert.match(stopped.stderr, /^Interrupted: /m);
    const killed = startTrawl(crawl.joins("c"));
    const before = (await asked(web)).size;
    await until("more is fetched", async () => (await asked(web)).size > before + 8);
    killed.process.kill("SIGKILL");
    await killed.ended;
    for (const run of await Promise.all([second.ended, trawl(crawl.joins("a")), trawl(crawl.joins("c"))])) done(run);

    await using state = await crawl.state();
    assert.deepEqual(canonical(await state.fetched()), canonical(web.site.reachable()));
    assert.deepEqual(await state.unreadable(), []);
    assert.deepEqual(await state.segmented(), []);
    assert.ok(twice(await asked(web)).length <= 8, String(twice(await asked(web))));
  });

  it("fetch the same with a filter of seen URLs, whichever of them is killed and begins again, and others know of it", async () => {
    await using web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 10, addresses: 6 });
    const crawl = crawlOf(web);
    const choice = { kind: "scalable-bloom", capacity: 1_000, error: 1e-6 } as const;
    const seen = ["--seen", choice.kind, "--seen-capacity", "1000", "--seen-error", "1e-6"];
    const killed = startTrawl(crawl.begins("a", ...LONG, ...seen));
    await until("a page is fetched", async () => (await asked(web)).size > 4);
    const other = await trawl(crawl.joins("b", "--seen", "bloom"));
    assert.equal(other.code, 2, other.stderr);
    assert.match(other.stderr, /run with --seen scalable-bloom, this one would run with --seen bloom; leave seeds and/);
    const second = startTrawl(crawl.joins("b"));
    await until("more is fetched", async () => (await asked(web)).size > 16);
    killed.process.kill("SIGKILL");
    await killed.ended;
    const runs = await Promise.all([second.ended, trawl(crawl.joins("a"))]);
    for (const run of runs) done(run);
    assert.match(runs[0]!.stderr, /fewer than one URL of \d+, taken wrongly for seen before \(--seen scalable-bloom\)/);

    await using state = await crawl.state(choice);
    assert.deepEqual(canonical(await state.fetched()), canonical(web.site.reachable()));
    assert.deepEqual(await state.unreadable(), []);
    const explained = await trawl(["explain", `${web.origin(0)}/`, ...crawl.where]);
    assert.match(explained.stdout, /\n +importance +not kept\n +state +ended\n +end +fetched/);
    const exact = await trawl(crawl.begins("a", ...LONG));
    assert.equal(exact.code, 2, exact.stderr);
    assert.match(
      exact.stderr,
      /was created with seen scalable-bloom for 1000 URLs at 0.000001, not exact; give it what/,
    );
  });

  it("are looked at, held, and given more to do, from anywhere", async () => {
    await using web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 6, addresses: 6 });
    const crawl = crawlOf(web);
    const ask = async (command: string, ...more: string[]): Promise<string> => {
      const run = await trawl([command, ...crawl.where, ...more]);
      done(run);
      return run.stdout;
    };
    done(await trawl(crawl.begins("a", "--time-limit", "1s")));
    assert.match(await ask("status"), /state {4}stopped/);
    await ask("pause");
    await ask("add", `${web.origin(1)}/added-by-hand`);
    const before = (await asked(web)).size;
    const running = startTrawl(crawl.joins("a"));
    await until("it is there", async () => /running: 1 crawler, /.test(await ask("status")));
    assert.match(await ask("status"), /paused {3}until trawl resume/);
    assert.equal((await asked(web)).size, before);
    await ask("resume");
    done(await running.ended);

    assert.equal((await asked(web)).get("h1.test/added-by-hand"), 1);
    assert.match(await ask("status"), /state {4}finished/);
    assert.match(await ask("verify"), /Sound\.\n$/);
    assert.match(await ask("report"), /breaches {3}none/);
    const rows = (await ask("export", "--to", "-", "--where", "end=fetched")).trim().split("\n");
    assert.deepEqual(canonical(rows.map((row) => JSON.parse(row).url)), canonical(web.site.reachable()));
  });

  it("take over what one that never comes back has had: its URLs when their leases are over, its archive at the end", async () => {
    await using web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 8, addresses: 6 });
    const crawl = crawlOf(web);
    const short = ["--lease", "4s", "--total-timeout", "2s"];
    const lost = startTrawl(crawl.begins("a", ...LONG, ...short));
    await until("a page is fetched", async () => (await asked(web)).size > 8);
    const other = startTrawl(crawl.joins("b"));
    await until("the other is at work", async () => existsSync(join(crawl.dirOf("b"), "crawl.json")));
    lost.process.kill("SIGKILL");
    await lost.ended;
    const run = await other.ended;
    done(run);
    await using state = await crawl.state();
    assert.deepEqual(canonical(await state.fetched()), canonical(web.site.reachable()));
    assert.deepEqual(await state.unreadable(), []);
    assert.deepEqual(await state.segmented(), []);
    assert.ok(twice(await asked(web)).length <= 6, String(twice(await asked(web))));
  });

  it("all take for the crawl's own what a seed was redirected to, whoever saw it", async () => {
    const rules = [0, 1, 2, 3].map((nth) => ({
      ...{ host: `h${nth}.test`, path: "/" },
      behaviour: { kind: "redirect", to: `http://h${nth + 4}.test:{port}/` } as const,
    }));
    await using web = await spawnFakeWeb({ hosts: 8, pagesPerHost: 6, addresses: 8, rules });
    const seeds = rules.slice(1).map((_, nth) => `${web.origin(nth + 1)}/`);
    const narrow = [...seeds, "--scope", "host"];
    const alone = join(dir.path, "alone");
    const reach = ["--allow-net", web.allowNet, "--dns", web.dns, "--delay", `${DELAY_MS}ms`];
    done(await trawl(["crawl", `${web.origin(0)}/`, ...narrow, ...reach, "--dir", alone]));
    const crawl = crawlOf(web);
    for (const run of await Promise.all(["a", "b", "c"].map((one) => trawl(crawl.begins(one, ...narrow))))) done(run);
    await using state = await crawl.state();
    const fetched = canonical(await state.fetched());
    assert.ok([...fetched].some((href) => href.startsWith(web.origin(7)) && href !== `${web.origin(7)}/`));
    assert.deepEqual(fetched, canonical(fetchedIn(alone)));
  });

  it("go on with a crawl that one began alone, and leave it to one again: each page is asked for once", async () => {
    await using web = await spawnFakeWeb({ hosts: 8, pagesPerHost: 8, addresses: 8 });
    const crawl = crawlOf(web);
    const [alone, again] = [join(dir.path, crawl.name, "alone"), join(dir.path, crawl.name, "again")];
    done(await trawl(crawl.begins("alone", "--limit", "15").filter((word) => !crawl.where.includes(word))));
    const frontier = crawl.where[1]!;
    done(await trawl(["migrate", alone, frontier, "--name", crawl.name, "--shards", "16", "--store", crawl.store]));
    const first = startTrawl(crawl.joins("a", "--limit", "40"));
    await until("it is at work", async () => existsSync(join(crawl.dirOf("a"), "crawl.json")));
    done(await trawl(crawl.joins("b")));
    done(await first.ended);
    done(await trawl(["migrate", frontier, again, "--name", crawl.name]));
    const { size } = fetchedIn(again);
    assert.ok(size >= 40 && size <= 55, `${size} pages`);
    done(await trawl(["crawl", "--dir", again, "--limit", "1000"]));
    assert.deepEqual(canonical(fetchedIn(again)), canonical(web.site.reachable()));
    assert.deepEqual(twice(await asked(web)), []);
    const verified = await trawl(["verify", again]);
    assert.match(verified.stdout, /Sound\.\n$/);
    const gaps = smallestGaps(await web.entries());
    assert.ok(smallestGap(gaps.hosts)!.ms >= DELAY_MS, `host: ${smallestGap(gaps.hosts)!.ms} ms`);
  });

  it("stop at a limit of pages that counts those of all", async () => {
    await using web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 20, addresses: 6 });
    const crawl = crawlOf(web);
    const runs = await Promise.all(["a", "b"].map((crawler) => trawl(crawl.begins(crawler, ...LONG, "--limit", "30"))));
    for (const run of runs) done(run);
    await using state = await crawl.state();
    const { size } = await state.fetched();
    // What the others have just fetched is heard of within a second or so. Who counted alone would make it 60.
    assert.ok(size >= 30 && size < 60, `${size} pages`);
  });

  it("ask a domain together for no more than it may have, though some are killed; a higher limit brings its hosts back", async () => {
    const many = Array.from({ length: 90 }, (_, n) => `w${n}.many.test`);
    const record = (n: number) => ({ kind: "addresses", addresses: [`127.0.1.${1 + (n % 9)}`] }) as const;
    const names = Object.fromEntries(many.map((name, n) => [name, record(n)]));
    const robots = { "*": { kind: "status", status: 404 } } as const;
    await using web = await spawnFakeWeb({ hosts: 1, addresses: 9, names, robots });
    const crawl = crawlOf(web);
    const seeds = many.map((name) => `${web.origin(name)}/`);
    const few = ["--concurrency", "8"];
    const begins = (crawler: string, limit: string) =>
      crawl.begins(crawler, ...seeds, ...few, "--max-per-domain", limit);
    const joins = (crawler: string) => startTrawl(crawl.joins(crawler, ...few));
    const pages = async () => [...(await asked(web))].filter(([url]) => url.endsWith(".many.test/"));
    const had = async () => (await pages()).reduce((sum, [, times]) => sum + times, 0);
    const killed = startTrawl(begins("a", "40"));
    await until("some is fetched", async () => (await had()) > 5);
    const others = ["b", "c"].map(joins);
    await until("others are at work", async () => existsSync(join(crawl.dirOf("c"), "crawl.json")));
    killed.process.kill("SIGKILL");
    await killed.ended;
    const again = joins("a");
    for (const run of await Promise.all([...others, again].map(({ ended }) => ended)))
      assert.match(run.stderr, /higher --max-per-host or --max-per-domain goes on/);
    const first = await had();
    // Not counted is what was not committed when one was killed; heard of late, what others have on their way.
    assert.ok(first >= 40 && first <= 40 + 4 * 8, `${first} pages`);
    for (const crawler of ["b", "c"]) assert.match((await joins(crawler).ended).stderr, /goes on/);
    assert.equal(await had(), first, "it has had all for whoever comes");
    const report = (await trawl(["report", ...crawl.where])).stdout;
    assert.match(report, / {2}budgets {4}.*; 1 domain with all their pages \(.*--max-per-domain 40\)/);
    done(await trawl(begins("b", "1000")));
    assert.equal((await pages()).length, seeds.length);
  });
});
