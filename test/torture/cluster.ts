/**
 * `npm run torture:cluster [-- CRAWLS [SEED]]`: crawls on a Redis Cluster and an object store (3 unless told), each by four
 * crawlers of which one is killed, one is stopped for twice its lease and goes on, and one more joins, while a master is
 * killed and fails over and the store is away for 30 s; in an order, and of kinds, that the seed decides. After each:
 * the pages are those of an embedded crawl, nobody was asked early or for what it denies, every page is in the store and
 * sound, and no more was fetched again than was open when something happened. Exit code 1 on any fault.
 */
import { clusterPlace } from "./cluster-place.ts";
import { oddWeb } from "./odd-web.ts";

const PAGES_PER_HOST = 6;
const DELAY_MS = 500;
const AWAY_MS = 30_000;
/** A lease that outlives the store's absence, and one that does not. */
const LEASES_MS = [45_000, 12_000];

const [crawls = 3, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);
await using place = await clusterPlace(oddWeb(seed, PAGES_PER_HOST));
console.log(`A web of ${place.pages} pages, to be crawled ${crawls} times; seed ${seed}.`);
let faults = 0;
for (let nth = 0; nth < crawls; nth++) {
  const started = Date.now();
  const leaseMs = LEASES_MS[nth % LEASES_MS.length]!;
  const report = await place.crawl({ delayMs: DELAY_MS, leaseMs, awayMs: AWAY_MS, seed: seed + nth });
  faults += report.faults.length;
  const seconds = Math.round((Date.now() - started) / 1_000);
  const found = report.faults.length === 0 ? "sound" : `${report.faults.length} FAULTS`;
  console.log(
    `crawl ${nth + 1} (lease ${leaseMs / 1_000} s): ${found}; ${report.requests} requests in ${seconds} s, ${report.again} of them again; ${report.open} leases were open`,
  );
  for (const what of report.happened) console.log(`  ${what}`);
  for (const fault of report.faults) console.log(`  FAULT: ${fault}`);
}
process.exitCode = faults === 0 ? 0 : 1;
