import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { requestsOf } from "../web/log.ts";
import { type SpawnedWeb, spawnFakeWeb } from "../web/spawn.ts";
import { onBothSides, type Place } from "./sides.ts";
import { startTrawl, tempDir, trawl } from "./trawl.ts";

const PAGES = 12;
const small = () => spawnFakeWeb({ hosts: 1, pagesPerHost: PAGES, robots: { "*": { kind: "status", status: 404 } } });
const crawlOf = (web: SpawnedWeb, place: Place, ...more: string[]) => [
  ...["crawl", `${web.origin(0)}/`, ...place.where, "--delay", "10ms", ...more],
  ...["--allow-net", web.allowNet, "--dns", web.dns],
];

const ok = async (...argv: string[]) => {
  const run = await trawl(argv);
  assert.equal(run.code, 0, run.stderr);
  return run;
};

const timesAsked = async (web: SpawnedWeb): Promise<Map<string, number>> => {
  const times = new Map<string, number>();
  for (const { path } of requestsOf(await web.entries())) times.set(path, (times.get(path) ?? 0) + 1);
  return times;
};

onBothSides("trawl recrawl", (side) => {
  it("visits what is due of a crawl that ran without schedules, and says before and after when what is due", async () => {
    await using web = await small();
    await using place = await side.place();
    await ok(...crawlOf(web, place));
    assert.match((await ok("due", ...place.crawl)).stdout, /^Nothing is scheduled yet/);
    const before = [...(await timesAsked(web)).values()].reduce((sum, times) => sum + times, 0);

    await sleep(2_500);
    const short = ["--revisit-every", "2s", "--revisit-min", "1s", "--revisit-max", "1h"];
    const pass = await ok("recrawl", ...place.again, ...short);
    assert.match(pass.stderr, /^Visiting what is due of /m);
    assert.match(pass.stderr, /^Done: /m);
    assert.match(pass.stderr, /looked at again: \d+ URLs?; 0 changed/);
    const after = [...(await timesAsked(web)).values()].reduce((sum, times) => sum + times, 0);
    assert.ok(after - before >= PAGES * 0.8 && after - before <= PAGES + 2, `${after - before} requests`);

    const due = (await ok("due", ...place.crawl, "--json", "--limit", "100")).stdout.trim().split("\n");
    const rows = due.map((line) => JSON.parse(line));
    assert.equal(rows.length, PAGES);
    for (const { url, dueAt, visitedAt, checks, changes } of rows) {
      assert.ok(url.startsWith(web.origin(0)) && dueAt > visitedAt && changes === 0 && checks <= 1);
    }
    assert.match((await ok("due", ...place.crawl)).stdout, /0 of 1 look found it changed/);
    const idle = await ok("recrawl", ...place.again, "--revisit-every", "7d");
    assert.match(idle.stderr, /^Done: /m);
    assert.deepEqual(await place.faults(), []);
  });

  it("stops at --limit, which counts the visits of this pass alone, and the next pass goes on", async () => {
    await using web = await small();
    await using place = await side.place();
    await ok(...crawlOf(web, place));
    const total = async () => [...(await timesAsked(web)).values()].reduce((sum, times) => sum + times, 0);
    const before = await total();
    await sleep(2_000);
    const all = ["--revisit-every", "1s", "--revisit-min", "1s", "--revisit-policy", "uniform", "--delay", "500ms"];
    const limited = await ok("recrawl", ...place.again, ...all, "--limit", "4");
    assert.match(limited.stderr, /^Stopped at the limit/m);
    const some = (await total()) - before;
    assert.ok(some >= 4 && some < PAGES, `${some} requests`);
    const rest = await ok("recrawl", ...place.again, "--limit", "100");
    assert.match(rest.stderr, /^Done/m);
    assert.ok((await total()) - before >= PAGES);
  });
});

describe("trawl recrawl", () => {
  it("names what is wrong: no crawl, and bounds the wrong way round", async () => {
    await using dir = await tempDir();
    const none = await trawl(["recrawl", dir.path]);
    assert.deepEqual([none.code, none.stderr.split("\n").length], [2, 2], none.stderr);
    const order = await trawl([
      "crawl",
      "http://127.0.0.1:9/",
      "--dir",
      dir.path,
      "--revisit-min",
      "2d",
      "--revisit-max",
      "1d",
    ]);
    assert.equal(order.code, 2);
    assert.match(order.stderr, /--revisit-min 2d is more than --revisit-max 1d/);
  });
});

onBothSides("trawl crawl --continuous", (side) => {
  it("visits pages again until it is stopped, takes what is added, and goes on with the same command", async () => {
    await using web = await small();
    await using place = await side.place();
    const often = ["--continuous", "--revisit-every", "2s", "--revisit-min", "1s"];
    const running = startTrawl(crawlOf(web, place, ...often));
    for (let round = 0; round < 400; round++) {
      const times = [...(await timesAsked(web)).values()];
      if (times.filter((one) => one >= 3).length >= PAGES) break;
      await sleep(100);
    }
    running.process.kill("SIGINT");
    const run = await running.ended;
    assert.match(run.stderr, /^Interrupted: /m);
    assert.ok([...(await timesAsked(web)).values()].filter((one) => one >= 3).length >= PAGES);
    assert.match((await ok("due", ...place.crawl)).stdout, /shared out by freshness/);
    const again = startTrawl(crawlOf(web, place, "--continuous", "--time-limit", "2s"));
    const ended = await again.ended;
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /^Stopped at the time limit: /m);
  });
});
