import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlReport } from "../../src/app/inspect/report/report.ts";
import { requestsOf } from "../web/log.ts";
import { smallestGaps } from "../web/politeness.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { tempDir, trawl } from "./trawl.ts";

/** Times are whole milliseconds here. */
const ROUNDING_MS = 2;
/** What the way to the server and back may add to a gap as the server sees it (test/web/log.ts), on a machine with much else to do. */
const WAY_MS = 250;
const DELAY_MS = 150;

describe("trawl report", () => {
  it("agrees with what the servers saw, robots.txt and its redirects included", async () => {
    await using web = await spawnFakeWeb({
      hosts: 8,
      pagesPerHost: 4,
      addresses: 3,
      robots: {
        "h1.test": { kind: "redirect", to: "http://h2.test:{port}/robots.txt" },
        "h3.test": { kind: "status", status: 404 },
      },
    });
    await using dir = await tempDir();
    const run = await trawl([
      ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", `${DELAY_MS}ms`, "--dir", dir.path],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ]);
    assert.equal(run.code, 0, run.stderr);
    const told = await trawl(["report", dir.path, "--json"]);
    assert.equal(told.code, 0, told.stderr);
    const report = JSON.parse(told.stdout) as CrawlReport;
    const log = await web.entries();
    const seen = smallestGaps(log);
    assert.equal(report.requests, requestsOf(log).length);
    assert.equal(report.breaches, 0);
    const agree = (kept: CrawlReport["hosts"], gaps: typeof seen.hosts, nameOf: (name: string) => string) => {
      for (const { name, smallestMs } of kept) {
        const server = gaps.get(nameOf(name))?.ms ?? null;
        if (smallestMs === null || server === null) assert.equal(smallestMs, server, name);
        else {
          assert.ok(smallestMs >= DELAY_MS, `${name}: ${smallestMs} ms`);
          assert.ok(smallestMs <= server + ROUNDING_MS, `${name}: ${smallestMs} ms told, ${server} ms seen`);
          assert.ok(smallestMs >= server - WAY_MS, `${name}: ${smallestMs} ms told, ${server} ms seen`);
        }
      }
    };
    agree(report.hosts, seen.hosts, (name) => new URL(name).hostname);
    agree(report.addresses, seen.addresses, (name) => name);
    assert.equal(report.hosts.length, 8);
    assert.equal(report.addresses.length, 3);
  });
});
