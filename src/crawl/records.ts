/** What a commit tells: the rows of URLs that have just ended, as users see them, and what has become of their pages. */
import type { Instant } from "../base/clock.ts";
import type { ChangeEvent } from "../model/event.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { UrlRecord, VisitRecord } from "../model/record.ts";
import { eventOf } from "../policy/events.ts";
import type { Outcome } from "./settle.ts";

export function endedRecords(outcomes: readonly Outcome[]): UrlRecord[] {
  const records: UrlRecord[] = [];
  for (const { settled } of outcomes)
    if (settled.verdict.kind === "end" && !settled.verdict.dropped && settled.record !== null)
      records.push(endedRecord(settled.lease.url, settled.record, settled.dueAt ?? null));
  return records;
}

/** Which outcome brings which event. */
export function changeEvents(outcomes: readonly Outcome[]): { readonly nth: number; readonly event: ChangeEvent }[] {
  const events: { readonly nth: number; readonly event: ChangeEvent }[] = [];
  for (const [nth, { settled, change }] of outcomes.entries()) {
    const { lease, verdict, record } = settled;
    // Nobody makes anything of a sitemap.
    if (verdict.kind !== "end" || record === null || lease.url.source === "sitemap") continue;
    const event = eventOf(record, lease.previous, change);
    if (event !== null) events.push({ nth, event });
  }
  return events;
}

function endedRecord(url: LeasedUrl, visit: VisitRecord, dueAt: Instant | null): UrlRecord {
  const { id, host, depth, hops, via, source, priority, admittedAt } = url;
  return { id, href: visit.href, host, depth, hops, via, source, priority, admittedAt, state: "ended", dueAt, visit };
}
