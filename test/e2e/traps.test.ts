/** The real program, with its defaults, among traps without end: it fetches what is honest, says why it left the rest, and ends. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { requestsOf } from "../web/log.ts";
import { HONEST_HOST, maze, type Visits, visitsOf } from "../web/maze/maze.ts";
import { type SpawnedWeb, spawnFakeWeb } from "../web/spawn.ts";
import { ask, type Run, type TempDir, tempDir, trawl } from "./trawl.ts";

describe("the real program among traps", () => {
  let dir: TempDir;
  let web: SpawnedWeb;
  let run: Run;
  let visits: Visits;

  before(async () => {
    dir = await tempDir();
    web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 1, maze: true, addresses: 12, robots: {} });
    const where = ["--allow-net", web.allowNet, "--dns", web.dns, "--dir", dir.path];
    // Nothing is said but where to go, and that this web need not be spared: all that has to do with traps is as it comes.
    // 2,500 requests one after another wait for a busy machine 2,500 times.
    const args = ["crawl", `${web.origin(HONEST_HOST)}/`, "--scope", "any", "--delay", "0", ...where];
    run = await trawl(args, { patienceMs: 270_000 });
    visits = visitsOf(requestsOf(await web.entries()), maze({ port: `:${web.port}` }));
  });
  after(async () => {
    await web[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  it("comes to an end", () => assert.equal(run.code, 0, run.stderr));

  it("fetches every honest page, and of eight mirrors one", () => {
    assert.deepEqual(visits.missed, []);
    assert.deepEqual(visits.missedMirrored, []);
  });

  it("spends less than a fifth of its requests in traps", () => {
    assert.ok(visits.wasted <= visits.requests / 5, `${visits.wasted} of ${visits.requests}`);
  });

  it("says of each URL left out which rule it was", () => {
    const rules = ask(dir.path, "SELECT DISTINCT detail FROM urls WHERE end = 'trap'").map(({ detail }) => detail);
    for (const rule of ["feedback: /calendar/{date}", "feedback: *.farm.test"]) assert.ok(rules.includes(rule), rule);
  });
});
