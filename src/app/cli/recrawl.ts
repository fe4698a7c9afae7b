/** `trawl recrawl DIR`: visits what is due, once. */
import { readArguments } from "../config/arguments.ts";
import { keptConfigWith } from "../config/config.ts";
import { OPTIONS } from "../config/options.ts";
import { mustHoldCrawl } from "../dir/crawl-dir.ts";
import type { Command } from "./command.ts";
import { crawlWith, type RunCrawl } from "./crawl.ts";
import { oneCrawl } from "./positionals.ts";

/** The command over any crawl; see `crawlCommand`. */
export function recrawlCommand(load: () => Promise<RunCrawl>): Command {
  return {
    name: "recrawl",
    usage: "recrawl DIR [options]",
    says: "visit again what is due in a crawl, once; trawl due DIR shows what that is",
    more: `Goes on with the crawl's own options; those given here win, and are kept for the next time. New
links that are found on the way are followed, and what was still to do is done. At first, and when
--revisit- options have changed, all pages are scheduled anew from their last visit: nothing is
asked for by that. --limit counts what this pass fetches alone. Of a crawl that crawlers share name
its --frontier and --name in the place of DIR: who gives the same command meanwhile joins the pass.`,
    options: OPTIONS,
    async run(argv, shell) {
      const { given, positionals } = readArguments("recrawl", argv, OPTIONS);
      const place = oneCrawl("recrawl", { given, positionals }, shell.cwd);
      if (place.kind === "directory") await mustHoldCrawl(place.dir);
      const dir = place.kind === "directory" ? place.dir : undefined;
      return crawlWith(await keptConfigWith(given, dir, shell), shell, load, "pass");
    },
  };
}
