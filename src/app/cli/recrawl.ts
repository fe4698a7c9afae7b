/** `trawl recrawl DIR`: visits what is due, once. */
import { resolve } from "node:path";
import { readArguments } from "../config/arguments.ts";
import { keptConfigWith } from "../config/config.ts";
import { OPTIONS } from "../config/options.ts";
import { mustHoldCrawl } from "../dir/crawl-dir.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";
import { crawlWith, type RunCrawl } from "./crawl.ts";
import { oneDirectory } from "./positionals.ts";

/** The command over any crawl; see `crawlCommand`. */
export function recrawlCommand(load: () => Promise<RunCrawl>): Command {
  return {
    name: "recrawl",
    usage: "recrawl DIR [options]",
    says: "visit again what is due in a crawl, once; trawl due DIR shows what that is",
    more: `Goes on with the crawl's own options; those given here win, and are kept for the next time. New
links that are found on the way are followed, and what was still to do is done. At first, and when
--revisit- options have changed, all pages are scheduled anew from their last visit: nothing is
asked for by that. --limit counts what this pass fetches alone.`,
    options: OPTIONS,
    async run(argv, shell) {
      const { given, positionals } = readArguments("recrawl", argv, OPTIONS);
      if (given.frontier !== undefined)
        throw new UsageError(
          "frontier",
          "trawl recrawl does not go with --frontier yet; name the directory of a crawl alone",
        );
      const dir = resolve(shell.cwd, oneDirectory("recrawl", positionals));
      await mustHoldCrawl(dir);
      return crawlWith(await keptConfigWith(given, dir, shell), shell, load, "pass");
    },
  };
}
