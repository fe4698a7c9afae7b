/** `trawl migrate FROM TO`: a crawl is moved into a Redis Cluster, or out of one. */
import { resolve } from "node:path";
import { readArguments, type Table } from "../config/arguments.ts";
import { settlePaths } from "../config/config.ts";
import { frontierName, parseFrontier } from "../config/frontier.ts";
import { OPTIONS } from "../config/options.ts";
import type { SharedCrawl } from "../config/sharing.ts";
import { withoutPassword } from "../config/values.ts";
import { moveIntoCluster } from "../migrate/into-cluster.ts";
import { moveOutOfCluster } from "../migrate/out-of-cluster.ts";
import { placeName } from "../place/place.ts";
import { UsageError } from "../usage-error.ts";
import { count, counted } from "../wording.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { untilStopped } from "./signals.ts";
import { workDisplay } from "./work-display.ts";

const TABLE = {
  name: { ...OPTIONS.name, group: "Options", says: "the name of the crawl in the cluster" },
  shards: { ...OPTIONS.shards, group: "Options" },
  seen: { ...OPTIONS.seen, group: "Options", defaultSays: "that of the crawl" },
  seenCapacity: { ...OPTIONS.seenCapacity, group: "Options", defaultSays: "that of the crawl" },
  seenError: { ...OPTIONS.seenError, group: "Options", defaultSays: "that of the crawl" },
  store: {
    ...OPTIONS.store,
    group: "Options",
    defaultSays: "that of the crawl",
    says: "into a cluster: where the archive goes, s3://bucket/prefix or a directory that all crawlers see",
  },
  storeEndpoint: { ...OPTIONS.storeEndpoint, group: "Options" },
  storeRegion: { ...OPTIONS.storeRegion, group: "Options" },
  storePathStyle: { ...OPTIONS.storePathStyle, group: "Options" },
  local: {
    group: "Options",
    kind: "flag",
    default: false,
    says: "out of a cluster: bring the archive into DIR too, instead of leaving it in the store",
  },
} as const satisfies Table;

const IN = "trawl migrate crawls/example.com redis://h1:6379 --name example --store s3://bucket/example";

export const migrateCommand: Command = {
  name: "migrate",
  usage: "migrate DIR redis://HOST:PORT,... --name CRAWL, or the other way round",
  says: "move a crawl that nobody is at from its directory into a Redis Cluster, or out of one",
  more: `Everything goes along: URLs in every state with their visits, what waits in its order, importance,
what is due when, hosts and their clocks, robots.txt, the archive, the rules. Where it was it stays
as it is: go on with one of the two. A move that was killed is begun again by the same command.
Passwords, header fields and cookies stay with each crawler; lines of pages.jsonl are made anew, one
a page.`,
  options: TABLE,
  async run(argv, shell) {
    const { given, positionals } = readArguments("migrate", argv, TABLE);
    const { from, to } = endsOf(positionals);
    const isIn = isFrontier(to);
    const name = given.name as string | undefined;
    if (name === undefined) throw new UsageError("missing-argument", `name the crawl with --name: ${IN}`);
    const crawl: SharedCrawl = { frontier: frontierIn(isIn ? to : from), name };
    const dir = resolve(shell.cwd, isIn ? from : to);
    let moved = 0;
    const display = workDisplay(
      shell.stderr,
      shell,
      (done, total) => `Moved ${count(done)} of ${counted(total ?? 0, "URL")}`,
    );
    return await untilStopped(shell, async (signal) => {
      const onProgress = (urls: number, total: number): void => {
        signal.throwIfAborted();
        moved = urls;
        display.at(urls, total);
      };
      try {
        const { name: _, local = false, ...options } = await settlePaths(given, shell.cwd, (option) => `--${option}`);
        if (isIn) await moveIntoCluster({ dir, crawl, options, onProgress });
        else await moveOutOfCluster({ dir, crawl, local: local === true, onProgress });
      } finally {
        display.end();
      }
      const there = placeName({ kind: "shared", crawl });
      const [source, target] = isIn ? [dir, there] : [there, dir];
      const next = isIn
        ? `trawl crawl --frontier ${frontierName(crawl.frontier)} --name ${name} goes on there`
        : `trawl crawl --dir ${dir} goes on there`;
      shell.stdout.write(`${counted(moved, "URL")} moved from ${source} to ${target}; ${next}.\n`);
      return EXIT.done;
    });
  },
};

const isFrontier = (text: string): boolean => /^rediss?:/i.test(text);

function frontierIn(text: string): string {
  const address = parseFrontier(text);
  if (!address.ok) throw new UsageError("frontier", `"${withoutPassword(text)}" ${address.error}`);
  return text;
}

function endsOf([from, to, third]: readonly string[]): { readonly from: string; readonly to: string } {
  if (from === undefined || to === undefined)
    throw new UsageError("missing-argument", `name a directory and a Redis Cluster: ${IN}`);
  if (third !== undefined)
    throw new UsageError("unexpected-argument", `"${third}" is one too many; name where from and where to: ${IN}`);
  if (isFrontier(from) === isFrontier(to))
    throw new UsageError("bad-value", `one of the two is a directory, and the other a Redis Cluster: ${IN}`);
  return { from, to };
}
