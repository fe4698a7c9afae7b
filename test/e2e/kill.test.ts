/** The short form of `npm run torture`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crawlCommand, killAgainAndAgain } from "../torture/round.ts";
import { smallestGap, smallestGaps } from "../web/politeness.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { canonical, fetchedIn, tempDir, trawl } from "./trawl.ts";

const KILLS = 20;
const DELAY_MS = 400;

describe("a crawl that is killed with SIGKILL, again and again", () => {
  it("loses nothing, counts nothing twice, and ends with the same pages as one that is not", async () => {
    await using web = await spawnFakeWeb({ hosts: 12, pagesPerHost: 40, addresses: 12 });
    await using dir = await tempDir();
    const whole = join(dir.path, "whole");
    assert.equal((await trawl(crawlCommand({ web, dir: whole, delayMs: DELAY_MS }))).code, 0);
    const pages = canonical(fetchedIn(whole));
    const logBefore = (await web.entries()).length;

    const { killed, faults } = await killAgainAndAgain({
      ...{ web, pages, dir: join(dir.path, "broken"), delayMs: DELAY_MS },
      ...{ kills: KILLS, kinds: ["moment", "moment", "point"], seed: 2026 },
    });
    assert.deepEqual(faults, []);
    assert.equal(killed.moment + killed.point, KILLS);

    const log = (await web.entries()).slice(logBefore);
    const gap = smallestGap(smallestGaps(log).hosts);
    assert.ok(gap === null || gap.ms >= DELAY_MS, `a host was asked again after ${gap?.ms} ms`);
  });
});
