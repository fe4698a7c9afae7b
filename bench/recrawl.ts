/**
 * How fresh 10,000 pages are kept with 2,000 visits a day for 90 days, by each policy, for several distributions of rates
 * of change; beside the best there can be when all rates are known from the first day (the optimum). The real scheduler
 * over the embedded frontier, a clock of its own, no network.
 *
 *   npx node bench/recrawl.ts [PAGES=10000] [DAYS=90] [SEED=1] [NAME=all]
 *
 * docs/bench/recrawl.md has what was found.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../src/store/embedded/backend.ts";
import { DAY, DISTRIBUTIONS, optimum, type Pages, simulate, uniform, zipf } from "../test/crawl/changing-pages.ts";

const [PAGES = 10_000, DAYS = 90, SEED = 1] = process.argv.slice(2, 5).map(Number);
const only = process.argv[5];
const visitsPerDay = PAGES / 5;

const days = (ms: number): string => `${(ms / DAY).toFixed(1).padStart(5)} d`;

for (const [name, draw] of Object.entries(DISTRIBUTIONS).filter(([name]) => (only ?? name) === name))
  for (const weighted of [false, true]) {
    const chance = uniform(SEED, name);
    const rates = Array.from({ length: PAGES }, () => draw(chance) / DAY);
    const pages: Pages = { rates, weights: weighted ? zipf(PAGES) : rates.map(() => 1) };
    const best = optimum(pages, visitsPerDay);
    console.log(`\n${name}${weighted ? ", importance by Zipf's law" : ""}`);
    console.log(`  optimum       freshness ${best.freshness.toFixed(3)}                age ${days(best.age)}`);
    let equal: number | null = null;
    for (const policy of ["uniform", "proportional", "freshness"] as const) {
      const dir = mkdtempSync(join(tmpdir(), "trawl-bench-"));
      const found = await simulate(pages, {
        ...{ policy, days: DAYS, visitsPerDay, seed: SEED },
        open: (options) => openEmbedded(dir, options),
      });
      rmSync(dir, { recursive: true });
      equal ??= found.freshness;
      console.log(
        [
          `  ${policy.padEnd(13)} freshness ${found.freshness.toFixed(3)} (later ${found.freshnessLater.toFixed(3)})`,
          `age ${days(found.age)}`,
          `${(found.freshness / best.freshness).toFixed(3)} of the optimum (later ${(found.freshnessLater / best.freshness).toFixed(3)})`,
          `${(found.freshness / equal).toFixed(2)} x uniform`,
          `rank correlation ${found.rankCorrelation.toFixed(2)}`,
          `${found.visitsPerDay.toFixed(0)} visits a day`,
          `${found.cpuUs.toFixed(0)} us`,
        ].join("  "),
      );
    }
  }
