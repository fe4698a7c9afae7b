import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { smallestGap, smallestGaps } from "../web/politeness.ts";
import { random } from "../web/random.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { ask, canonical, checkArchive, fetchedIn, startTrawl, tempDir, trawl } from "./trawl.ts";

const KILLS = 20;
const DELAY_MS = 20;

describe("a crawl that is killed with SIGKILL, again and again", () => {
  it("ends with the same pages as one that is not, a sound archive, and nothing counted twice", async () => {
    await using web = await spawnFakeWeb({ hosts: 12, pagesPerHost: 30, addresses: 12 });
    await using dir = await tempDir();
    const command = (to: string, ...more: string[]) => [
      ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", `${DELAY_MS}ms`, "--dir", to, ...more],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ];
    const whole = join(dir.path, "whole");
    const broken = join(dir.path, "broken");
    assert.equal((await trawl(command(whole))).code, 0);
    const logBefore = (await web.entries()).length;

    const moments = random(2026, "kills");
    let killed = 0;
    for (let attempt = 0; attempt < KILLS * 3 && killed < KILLS; attempt++) {
      // A limit that grows keeps enough undone for all the kills to hit a crawl at work.
      const limit = String(Math.ceil(((killed + 2) / KILLS) * 330));
      const { process, ended } = startTrawl(command(broken, "--limit", limit));
      await started(broken, process.pid!);
      await sleep(moments.int(0, 600));
      process.kill("SIGKILL");
      const run = await ended;
      if (run.signal === "SIGKILL") killed++;
    }
    assert.equal(killed, KILLS);
    const last = await trawl(command(broken));
    assert.equal(last.code, 0, last.stderr);

    assert.deepEqual([...canonical(fetchedIn(broken))].sort(), [...canonical(fetchedIn(whole))].sort());
    assert.deepEqual((await checkArchive(broken)).faults, []);
    const ends =
      "SELECT url_id, count(*) AS n FROM visit WHERE end NOT IN ('retry', 'follow') GROUP BY url_id HAVING n > 1";
    assert.deepEqual(ask(broken, ends), []);
    assert.deepEqual(ask(broken, "SELECT href FROM urls WHERE state <> 'ended'"), []);

    const log = (await web.entries()).slice(logBefore);
    const gap = smallestGap(smallestGaps(log).hosts);
    assert.ok(gap === null || gap.ms >= DELAY_MS, `a host was asked again after ${gap?.ms} ms`);
  });
});

/** Waits until the run has made its archive file: then it is at work. */
async function started(dir: string, pid: number): Promise<void> {
  const before = new Set(await archiveFiles(dir));
  for (let i = 0; i < 400; i++) {
    if ((await archiveFiles(dir)).some((name) => !before.has(name))) return;
    if (!alive(pid)) return;
    await sleep(25);
  }
}

const archiveFiles = (dir: string): Promise<string[]> => readdir(join(dir, "archive")).catch(() => []);

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
