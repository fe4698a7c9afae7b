/** `trawl crawl URL...`: from arguments to a crawl, its progress and its summary. */

import { changeLine } from "../../export/changes.ts";
import { pageLine } from "../../export/jsonl.ts";
import { type Resolved, resolveConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { frontierName } from "../config/frontier.ts";
import { OPTIONS } from "../config/options.ts";
import { sharedCrawl } from "../config/sharing.ts";
import { shownPath, summaryLines } from "../inspect/summary.ts";
import type { CrawlHooks, CrawlOutcome, Revisits } from "../run/outcome.ts";
import { counted, printable } from "../wording.ts";
import type { Command, Shell } from "./command.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { progressDisplay } from "./progress-display.ts";
import { listenForSignals } from "./signals.ts";

/** A list of seeds may be no list of seeds: a screen of its faults is enough. */
const MOST_NOTICES = 20;

/** Who was told to stop at once has ended so long after its last word, in ms. */
const LINGER_MS = 250;

export type RunCrawl = (config: CrawlConfig, hooks: CrawlHooks, revisits: Revisits) => Promise<CrawlOutcome>;

/** The command over any crawl: the real one is loaded only when it is wanted, so that help comes at once. */
export function crawlCommand(load: () => Promise<RunCrawl>): Command {
  return {
    name: "crawl",
    usage: "crawl URL... [options]",
    says: "crawl from these URLs; trawl URL is short for it",
    more: `A URL without a scheme is taken as https (http for localhost and IP addresses). The same command in
the same place goes on with the same crawl, whether it was stopped, killed or limited:
  trawl crawl https://example.com/ --limit 1000           into crawls/example.com
  trawl crawl --dir crawls/example.com --limit 5000       goes on with it, by its own options
With --frontier and --name any number of crawlers work at one crawl, each in a directory of its own.
The first begins it; who names no URLs joins it, by its options (docs/cluster.md):
  trawl crawl https://example.com/ --frontier redis://10.0.0.1:7001 --name CRAWL --store s3://B/P
  trawl crawl --frontier redis://10.0.0.1:7001 --name CRAWL --dir DIR`,
    options: OPTIONS,
    async run(argv, shell) {
      const resolved = await resolveConfig(argv, shell);
      return crawlWith(resolved, shell, load, resolved.config.continuous ? "continuous" : "none");
    },
  };
}

/** Runs a crawl with its progress and its summary; the exit code. */
export async function crawlWith(
  { config, notices }: Resolved,
  shell: Shell,
  load: () => Promise<RunCrawl>,
  revisits: Revisits,
): Promise<number> {
  for (const notice of notices.slice(0, MOST_NOTICES)) shell.stderr.write(`trawl: ${printable(notice)}\n`);
  if (notices.length > MOST_NOTICES)
    shell.stderr.write(`trawl: and ${notices.length - MOST_NOTICES} more like these\n`);
  const display = progressDisplay(shell.stderr, { quiet: config.quiet, env: shell.env });
  const more = config.seeds.length > 1 ? ` and ${counted(config.seeds.length - 1, "more seed")}` : "";
  const dir = shownPath(config.dir, shell.cwd);
  const shared = sharedCrawl(config);
  const crawlName = shared === null ? dir : `--frontier ${frontierName(shared.frontier)} --name ${shared.name}`;
  const where = shared === null ? `into ${dir}` : `as a crawler of ${shared.name}, from ${dir}`;
  const runCrawl = await load();
  using stops = listenForSignals(shell.signals, shell.clock, display.say);
  let paused = false;
  const hooks: CrawlHooks = {
    signal: stops.signal,
    hardSignal: stops.hardSignal,
    // Not before: the directory may be locked, or somebody else's.
    onStart: () =>
      display.say(`${revisits === "pass" ? "Visiting what is due of" : "Crawling"} ${config.seeds[0]}${more} ${where}`),
    onStats(stats) {
      if (stats.paused !== paused)
        display.say(stats.paused ? `Paused; trawl resume ${crawlName} lets it go on.` : "Going on.");
      paused = stats.paused;
      display.show(stats);
    },
    onNotice: (line) => display.say(line),
    ...(config.verbose ? { onLog: display.say } : {}),
    ...(config.jsonl
      ? {
          onSettled(records) {
            let lines = "";
            for (const record of records) lines += pageLine(record);
            if (lines !== "") shell.stdout.write(lines);
          },
        }
      : {}),
  };
  if (config.events === "-") hooks.onChanged = (events) => shell.stdout.write(events.map(changeLine).join(""));
  let outcome: CrawlOutcome;
  try {
    outcome = await runCrawl(config, hooks, revisits);
  } finally {
    display.end();
  }
  for (const line of summaryLines(outcome, shell.cwd, config)) display.say(line);
  if (config.quiet && outcome.reason === "disk")
    shell.stderr.write(`trawl: ${outcome.message ?? "the disk is full"}\n`);
  const code = exitCodeOf(outcome.reason, { failOnLimit: config.failOnLimit, signal: stops.received() });
  // All is closed: a library that still waits for a peer that hangs is not waited for.
  if (stops.hardSignal.aborted) setTimeout(() => shell.signals.exit(code), LINGER_MS).unref();
  return code;
}
