/** How a URL's way through the crawl can end. Every admitted URL is queued, leased, delayed, or has one of these. */

/** Decided before any request is made. */
export const DROP_REASONS = [
  "scope", // outside --scope, --include, --exclude
  "trap", // a trap rule; its name is in `detail`
  "depth",
  "budget", // the host has had its pages
  "too-long",
  "robots", // robots.txt says no
  "refused-address", // the address guard says no
] as const;

/** Decided by what a request brought, or failed to bring. */
export const VISIT_REASONS = [
  "fetched",
  "sitemap", // a sitemap file: read for its links, no page
  "not-modified",
  "redirected",
  "redirect-loop",
  "soft-404", // 200, and the page that the host shows for URLs that do not exist
  "duplicate-of",
  "http-4xx",
  "http-5xx",
  "http-other",
  "dns",
  "connect",
  "tls",
  "timeout",
  "closed", // the connection broke before the answer was whole
  "protocol", // not HTTP, or headers past all limits
  "robots-unreachable",
  "unsupported-type",
  "payment-required",
  "blocked-challenge",
] as const;

export type DropReason = (typeof DROP_REASONS)[number];
export type VisitReason = (typeof VISIT_REASONS)[number];
export type EndReason = DropReason | VisitReason;

/** Ends of a page that is there: its content is in the archive, of this visit or of one before. */
const PRESENT: ReadonlySet<string> = new Set<EndReason>(["fetched", "not-modified"]);

export const isPresent = (end: string | undefined): boolean => end !== undefined && PRESENT.has(end);

/** How many URLs are pages that are there. */
export function pagesIn(counts: ReadonlyMap<EndReason, number>): number {
  let pages = 0;
  for (const [end, n] of counts) if (isPresent(end)) pages += n;
  return pages;
}
