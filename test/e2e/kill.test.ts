import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { smallestGap, smallestGaps } from "../web/politeness.ts";
import { random } from "../web/random.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { ask, canonical, checkArchive, fetchedIn, startTrawl, tempDir, trawl } from "./trawl.ts";

const KILLS = 20;
/** So long that a run that is killed within it gets through a page or two of each host, and enough is left for all kills. */
const DELAY_MS = 400;

describe("a crawl that is killed with SIGKILL, again and again", () => {
  it("ends with the same pages as one that is not, a sound archive, and nothing counted twice", async () => {
    await using web = await spawnFakeWeb({ hosts: 12, pagesPerHost: 40, addresses: 12 });
    await using dir = await tempDir();
    const command = (to: string) => [
      ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", `${DELAY_MS}ms`, "--dir", to],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ];
    const whole = join(dir.path, "whole");
    const broken = join(dir.path, "broken");
    assert.equal((await trawl(command(whole))).code, 0);
    const logBefore = (await web.entries()).length;

    const moments = random(2026, "kills");
    let killed = 0;
    for (let attempt = 0; attempt < KILLS * 3 && killed < KILLS; attempt++) {
      const before = visits(broken);
      const { process, ended } = startTrawl(command(broken));
      await atWork(broken, before, process.pid!);
      await sleep(moments.int(0, DELAY_MS));
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
    assert.deepEqual(ask(broken, "SELECT url FROM urls WHERE state <> 'ended'"), []);

    const log = (await web.entries()).slice(logBefore);
    const gap = smallestGap(smallestGaps(log).hosts);
    assert.ok(gap === null || gap.ms >= DELAY_MS, `a host was asked again after ${gap?.ms} ms`);
  });
});

/** Waits until the run has recorded a visit of its own: then it is at work. Or until it has ended. */
async function atWork(dir: string, before: number, pid: number): Promise<void> {
  for (let i = 0; i < 400 && alive(pid); i++) {
    if (visits(dir) > before) return;
    await sleep(25);
  }
}

/** Visits recorded so far; 0 while there is no state yet. */
function visits(dir: string): number {
  try {
    return ask(dir, "SELECT count(*) AS n FROM visit WHERE attempt > 0")[0]!.n as number;
  } catch {
    return 0;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
