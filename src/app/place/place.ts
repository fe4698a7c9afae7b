/** Where a crawl is: in a directory of this machine, or in a Redis Cluster and a store that crawlers share. */
import type { Table } from "../config/arguments.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { frontierName } from "../config/frontier.ts";
import { OPTIONS } from "../config/options.ts";
import { type SharedCrawl, sharedCrawl } from "../config/sharing.ts";

export type CrawlPlace =
  | { readonly kind: "directory"; readonly dir: string }
  | { readonly kind: "shared"; readonly crawl: SharedCrawl };

/** How people know the crawl that is there. */
export const placeName = (place: CrawlPlace): string =>
  place.kind === "directory" ? place.dir : `${place.crawl.name} in ${frontierName(place.crawl.frontier)}`;

/** As it is said on the command line: `DIR`, or `--frontier ... --name ...`. */
export const placeWords = (place: CrawlPlace): string =>
  place.kind === "directory"
    ? place.dir
    : `--frontier ${frontierName(place.crawl.frontier)} --name ${place.crawl.name}`;

/** That of a crawl that one runs oneself. */
export function placeOf(config: CrawlConfig): CrawlPlace {
  const crawl = sharedCrawl(config);
  return crawl === null ? { kind: "directory", dir: config.dir } : { kind: "shared", crawl };
}

/** The options that say it where there is no directory. */
export const PLACE = {
  frontier: {
    ...OPTIONS.frontier,
    group: "Options",
    defaultSays: "the crawl in DIR",
    says: "the Redis Cluster of a crawl that crawlers share; with --name in the place of DIR",
  },
  name: { ...OPTIONS.name, group: "Options", says: "the name of that crawl" },
} as const satisfies Table;
