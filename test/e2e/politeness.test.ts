/** What hosts ask for beyond the delay, and what they get, by the server's own log. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { CrawlReport } from "../../src/app/inspect/report/report.ts";
import type { RequestEntry } from "../web/log.ts";
import { requestsOf } from "../web/log.ts";
import { requestsTooSoon, smallestGap, smallestGaps } from "../web/politeness.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { fetchedAt, onBothSides } from "./sides.ts";
import { trawl } from "./trawl.ts";

const DELAY_MS = 100;
const SECOND = 1_000;

onBothSides("politeness, by the server's own log", (side) => {
  it("keeps a Crawl-delay and a Retry-After to each host, and the delay to each host and address, and loses no page", async () => {
    const rules = [
      { host: "h1.test", behaviour: { kind: "limit", status: 429, after: 2, seconds: 1, retryAfter: "seconds" } },
      { host: "h2.test", behaviour: { kind: "limit", status: 503, after: 2, seconds: 2, retryAfter: "date" } },
    ] as const;
    const slow = { kind: "rules", groups: [{ agents: ["*"], crawlDelay: 1 }] } as const;
    const none = { kind: "status", status: 404 } as const;
    await using web = await spawnFakeWeb({
      ...{ hosts: 4, pagesPerHost: 4, addresses: 2, rules, robots: { "h0.test": slow, "*": none } },
    });
    await using place = await side.place();
    const seeds = [0, 1, 2, 3].map((host) => `${web.origin(host)}/`);
    const run = await trawl([
      ...["crawl", ...seeds, "--scope", "any", "--delay", `${DELAY_MS}ms`, "--slowdown", "0", ...place.where],
      ...["--allow-net", web.allowNet, "--dns", web.dns, "--quiet"],
    ]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal((await fetchedAt(place)).size, web.site.reachable({ from: seeds }).size);

    const log = await web.entries();
    const of = (host: string): RequestEntry[] => requestsOf(log).filter((entry) => entry.host === host);
    const gaps = smallestGaps(log);
    assert.ok(smallestGap(gaps.hosts)!.ms >= DELAY_MS, `host: ${smallestGap(gaps.hosts)!.ms} ms`);
    assert.ok(smallestGap(gaps.addresses)!.ms >= DELAY_MS, `address: ${smallestGap(gaps.addresses)!.ms} ms`);
    assert.ok(gaps.hosts.get("h0.test")!.ms >= SECOND, `${gaps.hosts.get("h0.test")!.ms} ms, Crawl-delay 1`);
    // Neighbours on the address are not slowed by it: a host's wish is its own.
    assert.ok(gaps.hosts.get("h2.test")!.ms < SECOND);

    const refusals = (host: string, status: number) => of(host).filter((entry) => entry.status === status).length;
    assert.ok(refusals("h1.test", 429) > 0 && refusals("h2.test", 503) > 0);
    assert.deepEqual(requestsTooSoon(of("h1.test"), SECOND), []);
    assert.deepEqual(requestsTooSoon(of("h2.test"), 2 * SECOND), []);

    const report = JSON.parse((await trawl(["report", ...place.crawl, "--json"])).stdout) as CrawlReport;
    assert.deepEqual([report.breaches, report.requests], [0, requestsOf(log).length]);
    assert.deepEqual(await place.faults(), []);
  });
});
