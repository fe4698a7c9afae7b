/** A crawl at a glance: what progress lines, summaries, metrics and the dashboard show. A snapshot; nothing in it changes. */
import type { Instant } from "../base/clock.ts";
import type { EndReason } from "./end.ts";
import type { HostKey } from "./host.ts";

/** Ends that mean "we asked, and could not get it": what a progress line counts as failed. */
export const FAILURES: ReadonlySet<EndReason> = new Set<EndReason>([
  "http-4xx",
  "http-5xx",
  "http-other",
  "dns",
  "connect",
  "tls",
  "timeout",
  "closed",
  "protocol",
  "redirect-loop",
  "soft-404",
  "robots-unreachable",
  "payment-required",
  "blocked-challenge",
]);

/** Why nothing moves just now: the host that is due next, and what holds it. */
export interface Waiting {
  readonly host: HostKey;
  readonly until: Instant;
  /** "delay": the politeness delay of the host or of its address; "backoff": it asked for rest; "retry": a URL's own retry time. */
  readonly cause: "delay" | "backoff" | "retry";
  /** What made it so, for people: "503", "429, Retry-After 120 s"; "" when there is nothing to add. */
  readonly detail: string;
}

/** Looks in this run at URLs that had ended before. */
export interface Again {
  readonly looks: number;
  /** Of these, those that found other content, the same, and none: gone, led elsewhere, or forbidden. */
  readonly changed: number;
  readonly unchanged: number;
  readonly away: number;
}

/** Counts are of the whole crawl, earlier runs and other crawlers included, unless a row says "this run". */
export interface CrawlStats {
  /** When the snapshot was taken. */
  readonly at: Instant;
  /** When this run started. */
  readonly startedAt: Instant;
  /** URLs that are pages: fetched, and there when they were looked at last. */
  readonly fetched: number;
  /** Of a crawl that crawlers share: how many are at it, the pages that this run has fetched, and the leases that it has. Null for one alone. */
  readonly shared: { readonly crawlers: number; readonly here: number; readonly leases: number } | null;
  readonly again: Again;
  /** URLs whose end is one of `FAILURES`. */
  readonly failed: number;
  /** Ended URLs by reason; absent means 0. */
  readonly byEnd: Readonly<Partial<Record<EndReason, number>>>;
  /** Requests made in this run, robots.txt and retries included. */
  readonly requests: number;
  /** Body bytes received in this run. */
  readonly bytes: number;
  readonly queued: number;
  readonly leased: number;
  readonly delayed: number;
  /** Hosts that have something pending. */
  readonly hosts: number;
  /** Pages that this run has fetched, or looked at again, a second over the last 10 s. */
  readonly rateNow: number;
  /** The same over this run. */
  readonly rateMean: number;
  readonly limit: number | null;
  /** When the time limit strikes. */
  readonly deadline: Instant | null;
  /** It asks for nothing until it is told to go on. */
  readonly paused: boolean;
  /** When the first URL is visited again; set only while nothing is pending. */
  readonly nextVisitAt: Instant | null;
  /** Set only while nothing is leased and something is pending. */
  readonly waiting: Waiting | null;
}
