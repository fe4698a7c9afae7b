/** What crawlers that share a crawl say and do where something is amiss: the cluster is away, or has lost something, or does not fit. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnFakeWeb } from "../web/spawn.ts";
import { asked, cluster, crawlOf, dir, done, haveCluster, LONG, until } from "./cluster-crawls.ts";
import { frontierOf } from "./sides.ts";
import { canonical, startTrawl, trawl } from "./trawl.ts";

haveCluster();

describe("crawlers that share a crawl, where something is amiss", () => {
  it("leave a directory free in which they could not begin", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 2 });
    const [first, second] = [crawlOf(web), crawlOf(web)];
    done(await trawl(first.begins("one")));
    const begins = second.begins("one");
    const nowhere = begins.map((word) => (word === frontierOf(cluster) ? "redis://127.0.0.1:1" : word));
    const away = await trawl(nowhere);
    assert.match(away.stderr, /^trawl: no Redis Cluster answers at 127\.0\.0\.1:1 /m);
    assert.equal(away.code, 3);
    const taken = await trawl(begins.map((word) => (word === second.store ? first.store : word)));
    assert.match(taken.stderr, /holds the archive of another crawl/);
    assert.equal(taken.code, 2);
    const asked = await trawl(["status", ...second.where]);
    assert.match(asked.stderr, /there is no crawl /, "what did not begin is not there");
    const other = first.joins("two");
    done(await trawl(other.map((word) => (word === first.dirOf("two") ? second.dirOf("one") : word))));
    const late = await trawl(begins);
    assert.match(late.stderr, /belongs to a crawler of another crawl/);
    done(await trawl(second.begins("two").map((word) => (word === "16" ? "8" : word))));
  });

  it("wait for a cluster that is away, and say so; who is told to stop does not wait, and nothing is lost", async () => {
    await using web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 10, addresses: 6 });
    const crawl = crawlOf(web);
    const first = startTrawl(crawl.begins("a", ...LONG, "--metrics", "0"));
    await until("a page is fetched", async () => (await asked(web)).size > 4);
    for (const node of cluster.nodes) cluster.pause(node);
    await until("it says so", async () => /^the frontier does not answer \(.*\); the crawl waits/m.test(first.said()));
    const health = await fetch(/^Metrics at (\S+)$/m.exec(first.said())![1]!.replace(/metrics$/, "healthz"));
    assert.deepEqual([health.status, (await health.text()).slice(0, 23)], [503, "waits for the frontier:"]);
    first.process.kill("SIGINT");
    await sleep(400);
    first.process.kill("SIGINT");
    const stopped = await first.ended;
    for (const node of cluster.nodes) cluster.resume(node);
    assert.equal(stopped.code, 130, stopped.stderr);
    done(await trawl(crawl.begins("a")));
    await using state = await crawl.state();
    assert.deepEqual(canonical(await state.fetched()), canonical(web.site.reachable()));
    assert.deepEqual([await state.unreadable(), await state.segmented()], [[], []]);
  });

  it("say that a crawl was emptied under them, and take nothing away from its store", async () => {
    await using web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 20, addresses: 6 });
    const crawl = crawlOf(web);
    const running = startTrawl(crawl.begins("a", ...LONG));
    await until("a page is fetched", async () => (await asked(web)).size > 4);
    const segment = join(crawl.store, "segments/trawl-20261201-dead_0-00000.warc.gz/0000000000000000");
    await mkdir(dirname(segment), { recursive: true });
    await writeFile(segment, "bytes");
    for (const node of cluster.nodes) await cluster.ask(node, "FLUSHALL"); // replicas refuse
    const run = await running.ended;
    assert.equal(run.code, 3, run.stderr);
    assert.match(run.stderr, /the crawl \S+ is in Redis no longer: it was emptied/);
    assert.ok(existsSync(segment));
  });

  it("leave a crawl of which Redis has lost a part that nobody takes for finished, or sound", async () => {
    await using web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 2, addresses: 6 });
    const crawl = crawlOf(web);
    done(await trawl(crawl.begins("a")));
    assert.match((await trawl(["status", ...crawl.where])).stdout, /state {4}finished/);
    for (const shard of [2, 5]) {
      const answers = cluster.nodes.map((node) => cluster.ask(node, "DEL", `trawl:{${crawl.name}:${shard}}`));
      assert.equal((await Promise.all(answers)).filter((answer) => answer === "1").length, 1);
    }
    const status = await trawl(["status", ...crawl.where]);
    assert.match(status.stdout, /state {4}broken; its own command says what mends it/);
    assert.match(status.stdout, /lost {5}Redis has lost 2 of its 16 shards; all that is told here is of the others/);
    assert.doesNotMatch(status.stdout, /nothing: every URL has ended/);
    const verified = await trawl(["verify", ...crawl.where]);
    assert.equal(verified.code, 3, verified.stdout);
    assert.match(verified.stdout, /FAULT {4}Redis has lost 2 of its 16 shards: /);
    const again = await trawl(crawl.joins("a"));
    assert.equal(again.code, 3, again.stderr);
    assert.match(again.stderr, /2 of its 16 shards are gone; put back /);
  });

  it("are told, in one sentence, what does not fit the crawl", async () => {
    await using web = await spawnFakeWeb({ hosts: 3, pagesPerHost: 30 });
    const crawl = crawlOf(web);
    const none = await trawl(crawl.joins("z"));
    assert.equal(none.code, 2);
    assert.match(none.stderr, /^trawl: there is no crawl crawl-\d+ in redis:\S+ yet; name its seeds to begin it\n$/);
    const running = startTrawl(crawl.begins("a"));
    await until("it has begun", async () => (await asked(web)).size > 0);
    const other = await trawl(crawl.joins("b", "--depth", "3"));
    assert.equal(other.code, 2, other.stderr);
    assert.match(other.stderr, /run with --depth 15, this one would run with --depth 3; leave seeds and options out/);
    const held = await trawl(crawl.joins("a"));
    assert.equal(held.code, 2, held.stderr);
    assert.match(held.stderr, /is being run by another process/);
    running.process.kill("SIGINT");
    assert.equal((await running.ended).code, 130);
    const divided = await trawl(crawl.begins("a", "--shards", "8"));
    assert.equal(divided.code, 2, divided.stderr);
    assert.match(divided.stderr, /was created with shards 16, not 8/);
    const moved = await trawl(crawl.begins("a", "--store", join(dir.path, "elsewhere")));
    assert.equal(moved.code, 2, moved.stderr);
    assert.match(moved.stderr, /the archive of this crawl is in \S+, not \S+elsewhere; give --store/);
    done(await trawl(crawl.joins("b", "--time-limit", "1s"))); // by the rules that it had
    const alone = await trawl(["crawl", "--dir", crawl.dirOf("a")]);
    assert.equal(alone.code, 2, alone.stderr);
    assert.match(alone.stderr, /belongs to a crawler that shares a crawl with others; give --frontier and --name/);
  });
});
