/** The short form of `npm run torture`; and a crawler of a shared crawl that is killed alike. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { crawlCommand, killAgainAndAgain } from "../torture/round.ts";
import { deniedRequests, smallestGap, smallestGaps } from "../web/politeness.ts";
import { random } from "../web/random.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { fetchedAt, onACluster } from "./sides.ts";
import { canonical, fetchedIn, startTrawl, tempDir, trawl } from "./trawl.ts";

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

/** Steps of a crawler on its way to the store, and random moments. */
const POINTS = ["segment:3", "segment:9", null, "segment:1", null, "uploaded:1", "segments gone:1", null];

onACluster("a crawl whose only crawler is killed with SIGKILL, again and again", (side) => {
  it("loses nothing, shows nothing by half, and ends with the same pages as one that is not", async () => {
    await using web = await spawnFakeWeb({ hosts: 12, pagesPerHost: 20, addresses: 12 });
    await using place = await side.place();
    const chance = random(2026, "kills");
    const command = [
      ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", `${DELAY_MS}ms`, ...place.where],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ];
    let admitted = new Set<string>();
    let killed = 0;
    for (const point of POINTS) {
      const run = startTrawl(command, point === null ? {} : { env: { TRAWL_TORTURE_KILL_AT: point } });
      if (point === null) {
        const asked = (await web.entries()).length;
        for (let i = 0; i < 800 && run.process.exitCode === null && (await web.entries()).length <= asked + 12; i++)
          await sleep(25);
        await sleep(chance.int(0, DELAY_MS));
        run.process.kill("SIGKILL");
      }
      const { code, signal, stderr } = await run.ended;
      assert.ok(signal === "SIGKILL" || code === 0, `${point}: ${stderr}`);
      if (signal === "SIGKILL") killed++;
      const now = new Set((await place.ends()).keys());
      const known = new Set([...now].map(bare));
      assert.deepEqual(
        [...admitted].filter((href) => !known.has(bare(href))),
        [],
        `lost by a kill at ${point}`,
      );
      admitted = now;
      const verified = await trawl(["verify", ...place.crawl]);
      assert.equal(verified.code, 0, `${point}: ${verified.stdout}${verified.stderr}`);
    }
    assert.ok(killed >= POINTS.length / 2, `${killed} kills hit`);
    const last = await trawl(command);
    assert.equal(last.code, 0, last.stderr);
    assert.deepEqual([...canonical(await fetchedAt(place))].sort(), [...web.site.reachable()].sort());
    assert.deepEqual(await place.faults(), []);
    const log = await web.entries();
    const gap = smallestGap(smallestGaps(log).hosts);
    assert.ok(gap === null || gap.ms >= DELAY_MS, `a host was asked again after ${gap?.ms} ms`);
    assert.deepEqual(deniedRequests(log, web.site.robotsByHost()), []);
  });
});

/** A redirect to its own key changes the form of an admitted URL. */
const bare = (href: string): string => href.replace(/\/(?=$|\?)/, "");
