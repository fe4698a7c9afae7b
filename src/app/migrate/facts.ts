/** What a state keeps beside its records, and goes along when a crawl is moved. */

/** Of the run, of the rules, of where the archive is. When pages come back is reckoned anew from their visits. */
export const MOVED_FACTS = [
  "startedAt",
  "finishedAt",
  "paces",
  "seen",
  "rules",
  "seedsMoved",
  "store",
  "storeId",
] as const;

/** Of a crawl in a cluster: "in" until all of it is there; then "". */
export const MOVING = "moving";
