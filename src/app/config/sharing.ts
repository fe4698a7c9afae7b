/** A crawl that crawlers share: what does not go with that, and which options are the crawl's and not a crawler's own. Pure. */
import type { SharedSeen } from "../../store/cluster/shards/seen-filter.ts";
import { UsageError } from "../usage-error.ts";
import { typedFlag } from "./arguments.ts";
import type { CrawlConfig } from "./crawl-config.ts";
import type { Option } from "./option.ts";
import { type CrawlOptions, OPTION_LIST } from "./options.ts";
import { printValue } from "./values.ts";

/** Which crawl, and where. */
export interface SharedCrawl {
  readonly frontier: string;
  readonly name: string;
}

/** Null for a crawl of one crawler. Throws a `UsageError` where half of it is said. */
export function sharedCrawl(said: Readonly<Partial<Record<keyof SharedCrawl, unknown>>>): SharedCrawl | null {
  const { frontier, name } = said;
  if (typeof frontier === "string" && typeof name === "string") return { frontier, name };
  if (typeof frontier === "string")
    throw new UsageError("frontier", "--frontier needs the name of a crawl; write --name CRAWL");
  if (typeof name === "string")
    throw new UsageError(
      "frontier",
      `the crawl ${name} is in a Redis Cluster; say in which with --frontier redis://HOST:PORT`,
    );
  return null;
}

/** Throws a `UsageError` when something in the configuration of a shared crawl is for one crawler alone. */
export function mustBeShareable(
  options: Omit<CrawlOptions, "input" | "config">,
  seeds: readonly string[],
  shared: SharedCrawl,
): void {
  const refuse = (sentence: string): never => {
    throw new UsageError("frontier", sentence);
  };
  const { store, storeSync, overwrite, seen } = options;
  if (store === null)
    refuse(
      "crawlers that share a crawl keep its archive in one place; name it with --store s3://bucket/prefix, or a directory that all of them see",
    );
  if (storeSync !== "segments")
    refuse("--store-sync files does not go with --frontier: what only one machine has is lost with it; leave it out");
  if (overwrite)
    refuse(
      `--overwrite does not go with --frontier: others may be at ${shared.name}; begin a new crawl under another --name`,
    );
  if (seen === "counting-bloom" || seen === "bloom+exact") refuse(`--seen ${seen} ${IN_PLACE_OF[seen]}`);
  const file = seeds.find((seed) => seed.startsWith("file:"));
  if (file !== undefined)
    refuse(`${file} is a file of this machine, and the crawl is shared with others; leave it out`);
}

const IN_PLACE_OF = {
  "counting-bloom": "does not go with --frontier; take --seen scalable-bloom, or leave it out",
  "bloom+exact": "does not go with --frontier; leave it out: exact is what keeps all ids there",
} as const;

/** How a crawl with this configuration, which may be shared, remembers what was seen. */
export function sharedSeen({ seen: kind, seenCapacity: capacity, seenError: error }: CrawlConfig): SharedSeen {
  return kind === "bloom" || kind === "scalable-bloom" ? { kind, capacity, error } : { kind: "exact" };
}

/** Those that all crawlers of a crawl have alike. */
export const isOfCrawl = ({ runOnly, ofSharedCrawl, ownToCrawler }: Option): boolean =>
  (!runOnly || ofSharedCrawl === true) && !ownToCrawler;

/** Why a crawler with this configuration is none of a crawl that others are at: a sentence; null when it is one. */
export function unlike(mine: CrawlConfig, theirs: CrawlConfig, name: string): string | null {
  if (!isSame(mine.seeds, theirs.seeds))
    return `the crawlers at ${name} have other seeds; ${JOIN} (trawl add puts URLs in)`;
  for (const [option, row] of OPTION_LIST) {
    const [own, other] = [mine, theirs].map((config) => config[option as keyof CrawlConfig]);
    if (!isOfCrawl(row) || isSame(own, other)) continue;
    const [said, kept] = [own, other].map((value) => written(option, row, value));
    return `the crawlers at ${name} run ${kept}, this one would run ${said}; ${JOIN}`;
  }
  return null;
}

const JOIN = "leave seeds and options out to join them, or stop them first";

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function written(name: string, row: Option, value: unknown): string {
  const flag = typedFlag(name, row);
  const isUnset = row.kind === "flag" ? value === row.default : value === null || isSame(value, []);
  if (isUnset) return `without ${flag}`;
  if (row.kind === "flag") return `with ${flag}`;
  return `with ${flag} ${typeof value === "number" ? printValue(row, value) : String(value)}`;
}
