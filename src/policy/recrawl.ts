/**
 * When a page is due again: by what is believed of its rate of change, its weight, and the price of a visit, within bounds.
 * Spans are ms, rates events per ms.
 */
import type { Instant } from "../base/clock.ts";
import type { EndReason } from "../model/end.ts";
import { type Belief, RATES } from "./change-rate.ts";
import { hopelessness, type RevisitBounds, type RevisitPolicy, visitsBelieved, within } from "./revisit-rate.ts";

export interface RecrawlRules {
  readonly policy: RevisitPolicy;
  /** The mean time between two visits of a page, all pages together. */
  readonly everyMs: number;
  /** Visits a ms, for all pages together; null: as `everyMs` has it. */
  readonly budget: number | null;
  readonly bounds: RevisitBounds;
  /** Of all fetches that of revisits, at most, while there are URLs that were never fetched. */
  readonly share: number;
}

/** What all pages together are given, and what they ask. */
export interface Economy {
  /** Visits a ms that can be paid for. */
  readonly visits: number;
  readonly pages: number;
  /** Changes a ms of all pages. */
  readonly changes: number;
  /** Of one more visit, in freshness times weight for each visit a ms. */
  readonly price: number;
  /** Visits a ms that go into finding out how fast pages change. */
  readonly soundings: number;
}

/** Soundings take at most so much of all visits. */
const MOST_SOUNDINGS = 0.5;
/** It is in doubt whether a page changes too fast to be followed when the chance that it does lies between this and 1 less this. */
const DOUBT = 0.1;

export interface NextLook {
  readonly afterMs: number;
  /** Visits a ms beyond those that are worth their price. */
  readonly soundings: number;
}

/**
 * How long until the next look. Where it is in doubt whether a page changes too fast to be followed, the next look is
 * soon: a change found after a long time says nothing of that, none found after a short one says nearly all.
 */
export function nextLook(belief: Belief, weight: number, economy: Economy, rules: RecrawlRules): NextLook {
  const { bounds } = rules;
  const visits = visitsOf(belief, weight, economy, rules);
  const plain = { afterMs: 1 / visits, soundings: 0 };
  if (rules.policy !== "freshness" || economy.price === 0) return plain;
  const chance = hopelessness(belief, weight, economy.price);
  const inDoubt = chance >= DOUBT && chance <= 1 - DOUBT;
  if (!inDoubt || economy.soundings > MOST_SOUNDINGS * economy.visits) return plain;
  // At the rate at which a page stops being worth a visit, so long a look finds no change in one of e.
  const soonMs = Math.max(economy.price / weight, bounds.minMs);
  return soonMs * 1.5 < plain.afterMs ? { afterMs: soonMs, soundings: 1 / soonMs - visits } : plain;
}

function visitsOf(belief: Belief, weight: number, economy: Economy, { policy, bounds }: RecrawlRules): number {
  if (policy === "freshness") return visitsBelieved(belief, weight, economy.price, bounds);
  if (policy === "uniform") return within(economy.visits / Math.max(economy.pages, 1), bounds);
  let changes = 0;
  for (let at = 0; at < RATES.length; at++) changes += belief[at]! * RATES[at]!;
  return within((economy.visits * changes) / economy.changes, bounds);
}

/**
 * What can be paid for when `pages` pages are to be visited again: visits a ms. Of a budget for all, crawlers that share a
 * crawl have as much as they look after of all pages; `others`: how many the others do.
 */
export function budgetOf(pages: number, { budget, everyMs }: RecrawlRules, others = 0): number {
  if (budget === null) return pages / everyMs;
  return others === 0 ? budget : (budget * pages) / (pages + others);
}

/** What an end means for the next look. */
export type Return =
  /** There was a content to compare: by its rate of change. */
  | "by-rate"
  /** There was no content to compare; there may be one another time: after twice as long each time. */
  | "later"
  /** A rule of the crawl left it out: only other rules bring it back. */
  | "never";

export function returnOf(end: EndReason): Return {
  switch (end) {
    case "fetched":
    case "sitemap":
    case "not-modified":
    case "duplicate-of":
      return "by-rate";
    case "scope":
    case "trap":
    case "depth":
    case "budget":
    case "too-long":
    case "refused-address":
      return "never";
    default:
      return "later";
  }
}

/** After a look that found nothing: twice as long as after the one before. `lastMs`: since the look before; null for the first. */
export const laterMs = (lastMs: number | null, { everyMs, bounds }: RecrawlRules): number =>
  Math.min(Math.max(lastMs === null ? everyMs : 2 * lastMs, bounds.minMs), bounds.maxMs);

/**
 * What may be spent by and by: it grows with time, and what is not spent is kept for a day at most. Once there is an
 * hour's worth too much, what is due next is visited before its time.
 */
export interface Purse {
  readonly visits: number;
  readonly at: Instant;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export const filled = ({ visits, at }: Purse, now: Instant, budget: number): Purse => ({
  visits: Math.min(visits + Math.max(now - at, 0) * budget, Math.max(budget * DAY_MS, 1)),
  at: now,
});

/** How many visits it holds beyond what an hour brings: they are for what is due next. */
export const spare = ({ visits }: Purse, budget: number): number => Math.floor(visits - Math.max(budget * HOUR_MS, 1));

/**
 * Revisits beside discovery: each URL that is fetched for the first time pays for so many revisits, and while URLs are
 * fetched for the first time none goes beyond that.
 */
export interface Turns {
  readonly credit: number;
  /** When a URL was last fetched for the first time; -Infinity: never. */
  readonly firstAt: Instant;
}

export const NO_TURNS: Turns = { credit: 0, firstAt: Number.NEGATIVE_INFINITY };

/** Discovery has come to rest, or has nothing to do, when no URL was fetched for the first time for so long. */
const DISCOVERY_MS = 60_000;
const MOST_CREDIT = 1_000;

export const afterFirst = ({ credit }: Turns, now: Instant, share: number): Turns => ({
  credit: Math.min(credit + (share < 1 ? share / (1 - share) : MOST_CREDIT), MOST_CREDIT),
  firstAt: now,
});

export const afterRevisit = ({ credit, firstAt }: Turns): Turns => ({ credit: Math.max(credit - 1, 0), firstAt });

export const hasTurn = ({ credit, firstAt }: Turns, now: Instant): boolean =>
  credit >= 1 || now - firstAt > DISCOVERY_MS || now < firstAt; // the clock was set back
