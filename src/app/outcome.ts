/** How a run of the crawler ends, and what it tells while it runs: the seam between the command line and the crawl. */
import type { UrlRecord } from "../model/record.ts";
import type { CrawlStats } from "../model/stats.ts";

/**
 * `done`: queued + leased + delayed = 0. `limit`, `time-limit`: stopped by --limit, --time-limit. `interrupted`: by a
 * signal. `nothing-fetched`: done, but not one page could be had. `disk`: disk full or store broken; `message` says which.
 */
export type StopReason = "done" | "limit" | "time-limit" | "interrupted" | "nothing-fetched" | "disk";

export interface CrawlOutcome {
  readonly reason: StopReason;
  readonly stats: CrawlStats;
  /** Absolute. */
  readonly dir: string;
  /** Whether the run went on with a crawl found in `dir`. */
  readonly resumed: boolean;
  /** One sentence with the mend; set for "disk". */
  readonly message?: string;
}

export interface CrawlHooks {
  /** Aborts: lease nothing more, let open visits end, commit, close. */
  readonly signal: AbortSignal;
  /** Aborts: drop open visits too, commit what is sealed, close. Always after `signal`. */
  readonly hardSignal?: AbortSignal;
  /** Called about five times a second. */
  onStats?(stats: CrawlStats): void;
  /** URLs that have just ended, after their commit; the crawl waits for it. */
  onSettled?(records: readonly UrlRecord[]): void | Promise<void>;
  /** A line of the log as people read it, for `verbose`. */
  onLog?(line: string): void;
}
