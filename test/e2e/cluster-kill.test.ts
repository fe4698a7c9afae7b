/** A crawler of a shared crawl dies between any two steps of a commit and of what goes up; another one finishes the crawl. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { deniedRequests, smallestGap, smallestGaps } from "../web/politeness.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { fetchedAt, onACluster } from "./sides.ts";
import { canonical, startTrawl, trawl } from "./trawl.ts";

const DELAY_MS = 100;
/** In the order of a commit, and then of what goes up; the number: of the times that it is passed. */
const POINTS = ["fenced:4", "ordinal:4", "links:3", "written:4", "settled:3", "confirmed:2", "segment:3"];

onACluster("a crawler that is killed between two steps", (side) => {
  it("leaves nothing behind by which a crawl that another finishes differs", { timeout: 600_000 }, async () => {
    await using web = await spawnFakeWeb({ hosts: 12, pagesPerHost: 20, addresses: 12 });
    await using place = await side.place();
    const command = [
      ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", `${DELAY_MS}ms`, ...place.where],
      ...["--lease", "4s", "--total-timeout", "2s", "--allow-net", web.allowNet, "--dns", web.dns],
    ];
    for (const point of POINTS) {
      const run = startTrawl(command, { env: { TRAWL_TORTURE_KILL_AT: point } });
      const { signal, stderr } = await run.ended;
      assert.equal(signal, "SIGKILL", `${point}: ${stderr}`);
    }
    const own = place.where.at(-1)!;
    const other = await trawl(["crawl", ...place.crawl, "--dir", join(dirname(own), "other")]);
    assert.equal(other.code, 0, other.stderr);
    assert.deepEqual([...canonical(await fetchedAt(place))].sort(), [...web.site.reachable()].sort());
    assert.deepEqual(await place.faults(), []);
    const verified = await trawl(["verify", ...place.crawl]);
    assert.match(verified.stdout, /Sound\.\n$/);
    const log = await web.entries();
    const gap = smallestGap(smallestGaps(log).hosts);
    assert.ok(gap === null || gap.ms >= DELAY_MS, `a host was asked again after ${gap?.ms} ms`);
    assert.deepEqual(deniedRequests(log, web.site.robotsByHost()), []);
  });
});
