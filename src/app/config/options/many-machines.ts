/** A crawl that several crawlers share, on one machine or many. Rows of the table of options. */
import type { Option } from "../option.ts";

export const MANY_MACHINES = {
  frontier: {
    group: "Many machines",
    kind: "frontier",
    default: null,
    defaultSays: "the crawl's directory, for one crawler alone",
    runOnly: true,
    says: "share the crawl with other crawlers by this Redis Cluster (some of its nodes are enough)",
  },
  name: {
    group: "Many machines",
    kind: "name",
    default: null,
    word: "CRAWL",
    says: "the crawl in the cluster: the first crawler that names it begins it; who names no seeds joins it, and takes its options",
  },
  shards: {
    group: "Many machines",
    kind: "int",
    min: 1,
    max: 4_096,
    default: 1_024,
    says: "into how many parts the hosts of the crawl are divided, once and for ever: more than there will be crawlers",
  },
  lease: {
    group: "Many machines",
    kind: "duration",
    min: 1_000,
    default: null,
    defaultSays: "10m, or twice --total-timeout if that is longer",
    says: "how long a URL that a crawler has taken is no one else's: what one that has died had, others take after so long",
  },
  redisRows: {
    group: "Many machines",
    kind: "int",
    min: 0,
    default: 20_000_000,
    says: "so many URLs stand in Redis whole, at about 120 bytes each; of those beyond it keeps 20 to 40 bytes, and the store has the rest",
  },
  pins: {
    group: "Many machines",
    flag: "pin",
    kind: "origin",
    many: true,
    word: "HOST",
    default: [],
    ownToCrawler: true,
    says: "this crawler is there for that host (https://example.com), and takes little else: for hosts that are huge",
  },
} as const satisfies Record<string, Option>;
