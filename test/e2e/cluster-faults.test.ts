/** The short form of `npm run torture:cluster`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clusterPlace } from "../torture/cluster-place.ts";
import { oddWeb } from "../torture/odd-web.ts";

describe("a crawl by four crawlers, of which one is killed, one stops for twice its lease and one more joins, while a master of Redis dies and the store is away", () => {
  // On a machine that is busy with much else it takes many times as long.
  it("fetches what an embedded crawl fetches, hurries nobody, has every page in the store, and fetches no more again than was open", {
    timeout: 900_000,
  }, async () => {
    await using place = await clusterPlace(oddWeb(1, 2));
    const report = await place.crawl({ delayMs: 300, leaseMs: 12_000, awayMs: 4_000, seed: 2026 });
    assert.deepEqual(report.faults, [], report.happened.join("\n"));
  });
});
