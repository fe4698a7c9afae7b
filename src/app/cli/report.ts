/** `trawl report DIR`: how polite a crawl has been, what its hosts and domains have had, and what it took for traps; also while it runs. */
import { readArguments, type Table } from "../config/arguments.ts";
import { OPTIONS } from "../config/options.ts";
import { reportLines, reportOn } from "../inspect/report/report.ts";
import { openCrawl } from "../place/open.ts";
import { PLACE } from "../place/place.ts";
import { until } from "../place/stopping.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneCrawl } from "./positionals.ts";
import { untilStopped } from "./signals.ts";

const TABLE = {
  ...PLACE,
  json: { group: "Options", kind: "flag", default: false, says: "as one JSON object, with every host and address" },
} as const satisfies Table;

/** Of a crawl whose configuration is not kept. */
const STANDING = {
  delay: OPTIONS.delay.default,
  hostConcurrency: OPTIONS.hostConcurrency.default,
  budget: OPTIONS.budget.default,
  domainBudget: OPTIONS.domainBudget.default,
  maxPerHost: OPTIONS.maxPerHost.default,
  maxPerDomain: OPTIONS.maxPerDomain.default,
};

export const reportCommand: Command = {
  name: "report",
  usage: "report DIR",
  says: "how polite a crawl has been: the smallest gaps kept, and every breach; what it took for traps, by rule; who has had its budget",
  more: `Computed from the recorded times of all requests, robots.txt and its redirects included: from the
end of one to the start of the next, for each host and each address, held against the --delay and
--host-concurrency that were in force at the time. What was left out as a trap is counted by its
rule. With --seen bloom and the like it says how many new URLs were probably taken for seen ones.
Pages of hosts and registrable domains are held against budgets and limits, by all crawlers
together.`,
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("report", argv, TABLE);
    const { given } = line;
    const place = oneCrawl("report", line, shell.cwd);
    return await untilStopped(shell, async (signal) => {
      await using crawl = until(signal, await openCrawl(place, { frozen: true }));
      const report = await reportOn(crawl.state, crawl.config ?? STANDING, crawl.name, crawl.domains);
      shell.stdout.write(given.json ? `${JSON.stringify(report)}\n` : `${reportLines(report).join("\n")}\n`);
      return EXIT.done;
    });
  },
};
