/** `trawl explain URL`: every decision about a URL, with its rule. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StateQueries } from "../../ports/frontier.ts";
import { type Given, readArguments, type Table } from "../config/arguments.ts";
import { defaultDir, standingConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { guardOf, refusalOf, seedsMoved } from "../config/rules.ts";
import { sharedCrawl } from "../config/sharing.ts";
import { type ExplainContext, explain } from "../inspect/explain.ts";
import { openCrawl } from "../place/open.ts";
import { type CrawlPlace, PLACE } from "../place/place.ts";
import type { Command, Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { directoryFirst, exactlyOne, urlIn } from "./positionals.ts";

const TABLE = {
  dir: {
    group: "Options",
    kind: "file",
    default: null,
    defaultSays: "crawls/HOST, if there is one",
    word: "DIR",
    says: "the crawl to ask, as DIR",
  },
  ...PLACE,
  config: {
    group: "Options",
    kind: "file",
    default: null,
    says: "without a crawl: the configuration to explain from",
  },
} as const satisfies Table;

export const explainCommand: Command = {
  name: "explain",
  usage: "explain [DIR] URL",
  says: "why a URL is crawled or not: scope, traps, robots.txt, and what became of it",
  more: `Without DIR the crawl in crawls/HOST is asked, or, where there is none, the configuration alone.
Nothing is fetched: robots.txt is judged by the copy that the crawl holds.`,
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("explain", argv, TABLE);
    const words = directoryFirst(line.positionals, shell.cwd);
    const isTold = line.given.dir !== undefined || line.given.frontier !== undefined;
    const given = words.length === 2 && !isTold ? { ...line.given, dir: words[0] } : line.given;
    const rest = given === line.given ? words : words.slice(1);
    const url = urlIn(exactlyOne(rest, "one URL", "trawl explain crawls/example.com https://example.com/page"));
    const place = placeIn(given, url.href, shell.cwd);
    await using crawl = place === null ? null : await openCrawl(place);
    const path = typeof given.config === "string" ? resolve(shell.cwd, given.config) : null;
    const config = crawl?.config ?? (await standingConfig(shell.cwd, path));
    const lines = await explain(url, await contextOf(config, crawl?.state ?? null, shell));
    const from = crawl?.name ?? "the configuration alone; no crawl of it is known here";
    shell.stdout.write(`${url.href}\nby ${from}\n${lines.map((line) => `  ${line}\n`).join("")}`);
    return EXIT.done;
  },
};

function placeIn(given: Given, href: string, cwd: string): CrawlPlace | null {
  const crawl = sharedCrawl(given);
  if (crawl !== null) return { kind: "shared", crawl };
  if (typeof given.dir === "string") return { kind: "directory", dir: resolve(cwd, given.dir) };
  const usual = defaultDir(cwd, href);
  return existsSync(join(usual, "state.db")) ? { kind: "directory", dir: usual } : null;
}

async function contextOf(
  config: CrawlConfig,
  state: (NonNullable<ExplainContext["state"]> & Pick<StateQueries, "fact">) | null,
  shell: Shell,
): Promise<ExplainContext> {
  const moved = state === null ? [] : await seedsMoved(state);
  return { config, state, moved, refuse: refusalOf(guardOf(config)), now: shell.clock.now() };
}
