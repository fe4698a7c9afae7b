/** The archive of one crawl, imported into another directory: the same pages, whatever happens on the way, and one can go on from there. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { crawlCommand } from "../torture/round.ts";
import { type SpawnedWeb, spawnFakeWeb } from "../web/spawn.ts";
import { ask, canonical, checkArchive, fetchedIn, type TempDir, tempDir, trawl } from "./trawl.ts";

/** What an import must have as the crawl had it. */
const FACTS = `url, end, status, content_type, media_type, charset, bytes, title, language, description, canonical,
  noindex, nofollow, links, redirect_to, depth, strftime('%s', fetched_at) AS second, fetch_ms, address, etag, digest, truncated, robots_id IS NULL AS free`;
const visited = (dir: string) =>
  ask(dir, `SELECT ${FACTS} FROM urls WHERE warc_file IS NOT NULL ORDER BY url`).map((row) => JSON.stringify(row));
const sameVisits = (one: string, other: string) => {
  const [a, b] = [visited(one), visited(other)];
  for (const [i, row] of a.entries()) assert.equal(row, b[i]);
  assert.equal(a.length, b.length);
};

let web: SpawnedWeb;
let dir: TempDir;
let crawled: string;
const archivesOf = async (of: string) => (await readdir(join(of, "archive"))).map((name) => join(of, "archive", name));

before(async () => {
  web = await spawnFakeWeb({ hosts: 4, pagesPerHost: 40, addresses: 4, seed: 7 });
  dir = await tempDir();
  crawled = join(dir.path, "crawled");
  const run = await trawl(crawlCommand({ web, dir: crawled, delayMs: 1 }, "--warc-size", "1MiB"));
  assert.equal(run.code, 0, run.stderr);
});
after(async () => {
  await web[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

describe("an archive that is imported", () => {
  it("gives every capture that the crawl had, with the same facts, and nothing is waiting", async () => {
    const to = join(dir.path, "imported");
    const run = await trawl(["import", ...(await archivesOf(crawled)), "--dir", to]);
    assert.equal(run.code, 0, run.stderr);
    sameVisits(to, crawled);
    assert.deepEqual(ask(to, "SELECT count(*) AS n FROM urls WHERE state <> 'ended'")[0]?.n, 0);
    assert.deepEqual(
      ask(to, "SELECT count(*) AS n FROM robots"),
      ask(crawled, "SELECT count(*) AS n FROM robots WHERE file IS NOT NULL"),
    );
    assert.deepEqual((await checkArchive(to)).faults, []);
    const verified = await trawl(["verify", to]);
    assert.equal(verified.code, 0, verified.stdout);
    const url = String(ask(crawled, "SELECT url FROM urls WHERE end = 'fetched' LIMIT 1 OFFSET 9")[0]!.url);
    assert.equal((await trawl(["get", to, url])).stdout, (await trawl(["get", crawled, url])).stdout);
    assert.equal((await trawl(["export", to, "--to", join(dir.path, "i.wacz")])).code, 0);
    const ranked = async (of: string) => (await trawl(["rank", of, "--top", "5"])).stdout;
    assert.equal(await ranked(to), await ranked(crawled), "ranks do not depend on the order of coming to know");

    const again = await trawl(["import", ...(await archivesOf(crawled)), "--dir", to]);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /0 visits of 0 URLs.*\n.*imported before/s);
    sameVisits(to, crawled);
    assert.equal((await archivesOf(to)).length, (await archivesOf(crawled)).length);
  });

  it("is whole after kills at any step, when the same command has run to its end", async () => {
    const to = join(dir.path, "killed");
    const command = ["import", ...(await archivesOf(crawled)), "--dir", to, "--link"];
    for (const point of ["import copy:1", "visit:5", "imported:2", "after commit:9"]) {
      const run = await trawl(command, { env: { TRAWL_TORTURE_KILL_AT: point } });
      assert.ok(run.signal === "SIGKILL" || run.code === 0, `${point}: ${run.stderr}`);
    }
    const last = await trawl(command);
    assert.equal(last.code, 0, last.stderr);
    sameVisits(to, crawled);
    assert.equal(ask(to, "SELECT count(*) AS n FROM urls WHERE state <> 'ended'")[0]?.n, 0);
    const verified = await trawl(["verify", to]);
    assert.equal(verified.code, 0, verified.stdout);
    assert.deepEqual((await checkArchive(to)).faults, []);
  });

  it("can be crawled on from: what was left undone is found in what was read", async () => {
    const part = join(dir.path, "part");
    const to = join(dir.path, "going on");
    assert.equal((await trawl(crawlCommand({ web, dir: part, delayMs: 1 }, "--limit", "30"))).code, 0);
    assert.equal((await trawl(["import", ...(await archivesOf(part)), "--dir", to])).code, 0);
    const before = fetchedIn(to).size;
    const run = await trawl(crawlCommand({ web, dir: to, delayMs: 1 }));
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(canonical(fetchedIn(to)), canonical(fetchedIn(crawled)));
    assert.ok(before >= 30 && before < fetchedIn(to).size);
    const verified = await trawl(["verify", to]);
    assert.equal(verified.code, 0, verified.stdout);
  });
});
