/** Snapshots for tests. */
import type { CrawlStats } from "../../src/model/stats.ts";

export const STARTED = 1_700_000_000_000;

export function stats(changes: Partial<CrawlStats> = {}): CrawlStats {
  return {
    at: STARTED + 50_000,
    startedAt: STARTED,
    fetched: 412,
    shared: null,
    again: { looks: 0, changed: 0, unchanged: 0, away: 0 },
    failed: 3,
    byEnd: { fetched: 412, "http-4xx": 2, dns: 1, robots: 12, scope: 880 },
    requests: 430,
    bytes: 12_400_000,
    queued: 2_310,
    leased: 14,
    delayed: 0,
    hosts: 41,
    rateNow: 9.8,
    rateMean: 8.24,
    limit: null,
    deadline: null,
    nextVisitAt: null,
    paused: false,
    waiting: null,
    ...changes,
  };
}
