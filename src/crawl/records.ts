/** The rows of URLs that have just ended, as users see them. */
import type { Instant } from "../base/clock.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { UrlRecord, VisitRecord } from "../model/record.ts";
import type { Outcome } from "./settle.ts";

export function endedRecords(outcomes: readonly Outcome[]): UrlRecord[] {
  const records: UrlRecord[] = [];
  for (const { settled } of outcomes)
    if (settled.verdict.kind === "end" && !settled.verdict.dropped && settled.record !== null)
      records.push(endedRecord(settled.lease.url, settled.record, settled.dueAt ?? null));
  return records;
}

function endedRecord(url: LeasedUrl, visit: VisitRecord, dueAt: Instant | null): UrlRecord {
  const { id, host, depth, hops, via, source, priority, admittedAt } = url;
  return { id, href: visit.href, host, depth, hops, via, source, priority, admittedAt, state: "ended", dueAt, visit };
}
