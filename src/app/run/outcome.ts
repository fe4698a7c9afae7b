/** How a run of the crawler ends, and what it tells while it runs: the seam between the command line and the crawl. */
import type { Log } from "../../base/log.ts";
import type { ChangeEvent } from "../../model/event.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { CrawlStats } from "../../model/stats.ts";
import type { Href } from "../../model/url.ts";

/**
 * `done`: queued + leased + delayed = 0. `limit`, `time-limit`: stopped by --limit, --time-limit. `interrupted`: by a
 * signal. `parked`: all that is left waits for hosts that have asked to be left alone for more than a day.
 * `over-budget`: all that is left is of hosts that have had their pages (--max-per-host, --max-per-domain).
 * `nothing-fetched`: done, but not one page could be had. `disk`: disk full or store broken; `message` says which.
 */
export type StopReason =
  | "done"
  | "limit"
  | "parked"
  | "over-budget"
  | "time-limit"
  | "interrupted"
  | "nothing-fetched"
  | "disk";

/**
 * "none": each URL is visited once. "continuous": URLs come back as they are due, for ever. "pass": what is due when the
 * run begins comes back once.
 */
export type Revisits = "none" | "continuous" | "pass";

export interface CrawlOutcome {
  readonly reason: StopReason;
  readonly revisits: Revisits;
  readonly stats: CrawlStats;
  /** Absolute. */
  readonly dir: string;
  /** Whether the run went on with a crawl found in `dir`. */
  readonly resumed: boolean;
  /** How many URLs were probably taken for seen ones, in words; absent when that cannot be, or could not be told any more. */
  readonly lost?: string;
  /** One sentence with the mend; set for "disk". */
  readonly message?: string;
  /** The crawl's name, where crawlers share it. */
  readonly sharedAs?: string;
  /** Where the archive is, when that is not `dir` alone; and what of it has not gone there yet. */
  readonly store?: { readonly name: string; readonly files: number; readonly bytes: number };
}

/** What can be done to a crawl while it runs. */
export interface Controls {
  /** Admits URLs at once, in scope or not; gives the number of those that were new. */
  add(urls: readonly Href[], found: { readonly via: number; readonly depth: number }): Promise<number>;
  readonly log: Log;
}

export interface CrawlHooks {
  /** Aborts: lease nothing more, let open visits end, commit, close. */
  readonly signal: AbortSignal;
  /** Aborts: drop open visits too, commit what is sealed, close. Always after `signal`. */
  readonly hardSignal?: AbortSignal;
  /** Called once, when everything is open and before the first visit. */
  onStart?(controls: Controls): void;
  /** Called about five times a second. */
  onStats?(stats: CrawlStats): void;
  /** URLs that have just ended, after their commit; the crawl waits for it. */
  onSettled?(records: readonly UrlRecord[]): void | Promise<void>;
  /** What has become of pages, after the commit that holds it. */
  onChanged?(events: readonly ChangeEvent[]): void;
  /** An event of the log, but for those that are for debugging. */
  onEvent?(level: "info" | "warn" | "error", facts: object, event: string): void;
  /** What is to be said while it runs: that the store is away, or back. */
  onNotice?(line: string): void;
  /** A line of the log as people read it, for `verbose`. */
  onLog?(line: string): void;
}
