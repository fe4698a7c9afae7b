import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { requestsOf } from "../web/log.ts";
import { type SpawnedWeb, spawnFakeWeb } from "../web/spawn.ts";
import { fetchedAt, onBothSides, type Place } from "./sides.ts";
import { ask, endsIn, fetchedIn, startTrawl, tempDir, trawl } from "./trawl.ts";

const crawlOf = (web: SpawnedWeb, { where }: Pick<Place, "where">, ...more: string[]) => [
  ...["crawl", `${web.origin(0)}/`, ...where, "--allow-net", web.allowNet, "--dns", web.dns, ...more],
];

/** Waits for something to be so, and says what was awaited when it never is. */
async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail(`never: ${what}`);
}

const ok = async (...argv: string[]) => {
  const run = await trawl(argv);
  assert.equal(run.code, 0, run.stderr);
  return run;
};

onBothSides("a crawl that runs", (side) => {
  it("takes what is added, asks for nothing while it is paused, and goes on when it is told to", async () => {
    await using web = await spawnFakeWeb({
      hosts: 3,
      pagesPerHost: 60,
      robots: { "*": { kind: "status", status: 404 } },
    });
    await using place = await side.place();
    const asked = async () => requestsOf(await web.entries());
    const running = startTrawl(crawlOf(web, place, "--delay", "100ms"));
    await until("a page is fetched", async () => (await asked()).length > 3);

    await ok("add", ...place.crawl, `${web.origin(1)}/`);
    await until("the added host is asked", async () => (await asked()).some(({ host }) => host === "h1.test"));

    await ok("pause", ...place.crawl);
    assert.match((await ok("status", ...place.crawl)).stdout, /paused/);
    await until("nothing is asked for any more", async () => {
      const before = (await asked()).length;
      await sleep(700);
      return (await asked()).length === before;
    });
    assert.ok((await fetchedAt(place)).size < 60);

    await ok("add", ...place.crawl, `${web.origin(2)}/`);
    await until("what is added to a paused crawl waits in its queue", async () =>
      [...(await place.ends())].some(([href, end]) => href.startsWith(web.origin(2)) && end === "queued"),
    );
    await ok("resume", ...place.crawl);
    const run = await running.ended;
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /^Paused; trawl resume .* lets it go on\.$/m);
    assert.match(run.stderr, /^Going on\.$/m);
    const ends = await place.ends();
    assert.equal(ends.get(`${web.origin(1)}/`), "fetched");
    assert.equal(ends.get(`${web.origin(2)}/`), "fetched");
    assert.ok(!(await asked()).some(({ host, path }) => host === "h1.test" && path !== "/" && path !== "/robots.txt"));
  });
});

describe("a crawl that stands", () => {
  it("takes what was added when it goes on, though it was done, and --overwrite forgets it", async () => {
    await using web = await spawnFakeWeb({ hosts: 3, pagesPerHost: 4 });
    await using dir = await tempDir();
    await ok(...crawlOf(web, { where: ["--dir", dir.path] }, "--delay", "0"));
    await ok("add", dir.path, `${web.origin(1)}/`, "--priority", "2");
    await ok("add", dir.path, `${web.origin(1)}/`, `${web.origin(0)}/`);
    await ok(...crawlOf(web, { where: ["--dir", dir.path] }, "--delay", "0"));
    assert.deepEqual(
      ask(dir.path, `SELECT source, priority, end FROM urls WHERE url = '${web.origin(1)}/' AND end = 'fetched'`),
      [{ __proto__: null, source: "added", priority: 2, end: "fetched" }],
    );
    await ok("add", dir.path, `${web.origin(2)}/`);
    await ok(...crawlOf(web, { where: ["--dir", dir.path] }, "--delay", "0", "--overwrite"));
    assert.ok(!existsSync(join(dir.path, "spool")));
    assert.ok(![...fetchedIn(dir.path)].some((href) => href.startsWith(web.origin(2))));
  });

  it("goes on with what was added to a crawl that had fetched nothing", async () => {
    await using web = await spawnFakeWeb({
      hosts: 2,
      pagesPerHost: 2,
      robots: { "h0.test": { kind: "rules", groups: [{ agents: ["*"], disallow: ["/"] }] } },
    });
    await using dir = await tempDir();
    assert.equal((await trawl(crawlOf(web, { where: ["--dir", dir.path] }))).code, 4);
    await ok("add", dir.path, `${web.origin(1)}/`);
    await ok(...crawlOf(web, { where: ["--dir", dir.path] }));
    assert.equal(endsIn(dir.path).get(`${web.origin(1)}/`), "fetched");
  });
});
