/**
 * Which tier a host waits in: the frontier leases on hosts of a tier only when none of a lower one is due (ports/frontier).
 *
 * A host has a budget of pages, and so has a registrable domain, since names below a domain cost nothing. What is over
 * budget is put off, never dropped: at the budget it falls behind all that are within theirs, at twice the budget one
 * tier more, at four times another (IRLbot: Lee, Leonard, Wang, Loguinov 2008, where the queues of URLs are doubled so).
 * Tiers say who goes first where there are more hosts than places; nobody waits while a place is free.
 *
 * A domain's weight moves its hosts by one tier for each factor of two, and so its budgets by the same factor: with
 * weight 4 a host at four times its budget is where others are at theirs. It stands here and not in the classes of URLs,
 * because it is the same for all URLs of a host, and classes only order these.
 */

/** A site has this many pages before a budget puts it off, whatever the budget. */
export const SMALL_SITE = 100;

/** Beyond these a difference means nothing any more, and each tier costs the frontier a look. */
const FIRST_TIER = -4;
const LAST_TIER = 8;

export interface BudgetRules {
  /** In pages; null: none. */
  readonly perHost: number | null;
  /** Of all hosts of a registrable domain together; null: none. */
  readonly perDomain: number | null;
}

/** Pages asked for so far. */
export interface Spent {
  readonly host: number;
  /** Null where nobody counts. */
  readonly domain: number | null;
}

/** 0 for a host of weight 1 that is within its budgets. */
export function tierOf({ host, domain }: Spent, weight: number, { perHost, perDomain }: BudgetRules): number {
  const over = Math.max(doublings(host, perHost), domain === null ? 0 : doublings(domain, perDomain));
  return Math.min(Math.max(over - Math.round(Math.log2(weight)), FIRST_TIER), LAST_TIER);
}

/** That of a host of which nothing has been asked yet. */
export function firstTier(weight: number): number {
  return tierOf({ host: 0, domain: null }, weight, { perHost: null, perDomain: null });
}

/**
 * How many pages more of a domain that has had so many put its hosts into another tier, or are all that it may have
 * (`most`; null: no limit). Infinity: none do, it has had all.
 */
export function untilNext(pages: number, { perDomain }: Pick<BudgetRules, "perDomain">, most: number | null): number {
  if (most !== null && pages >= most) return Number.POSITIVE_INFINITY;
  const before = doublings(pages, perDomain);
  const tier = perDomain === null ? Number.POSITIVE_INFINITY : Math.max(perDomain, SMALL_SITE) * 2 ** before;
  return Math.min(tier, most ?? Number.POSITIVE_INFINITY) - pages;
}

/** 0 within the budget, 1 from there on, 2 from its double on, 3 from four times... */
function doublings(pages: number, budget: number | null): number {
  if (budget === null) return 0;
  const most = Math.max(budget, SMALL_SITE);
  return pages < most ? 0 : 1 + Math.floor(Math.log2(pages / most));
}

/** Weights by domain: `gov`, `example.com`. */
export type Weights = ReadonlyMap<string, number>;

/** That of the longest domain that the host name is or is below; 1 when there is none. */
export function weightOf(hostname: string, weights: Weights): number {
  if (weights.size === 0) return 1;
  for (let name = hostname; ; name = name.slice(name.indexOf(".") + 1)) {
    const weight = weights.get(name);
    if (weight !== undefined) return weight;
    if (!name.includes(".")) return 1;
  }
}
