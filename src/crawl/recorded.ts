/** The row that a visit leaves: what came of it, and, of a page that came back, what is known of it now. */
import type { Instant } from "../base/clock.ts";
import type { Lease, Verdict } from "../model/lease.ts";
import { NO_ANSWER, type VisitRecord } from "../model/record.ts";
import type { Href } from "../model/url.ts";
import type { Visited } from "../model/visited.ts";
import type { Change } from "../policy/change.ts";
import { hostLooked, lookedAgain } from "./again.ts";
import type { SettleContext } from "./context.ts";
import { type CopyOf, type Duplicates, NO_COPY } from "./duplicates.ts";
import type { Lesson } from "./feedback.ts";
import type { HostEntry } from "./hosts.ts";

export interface Recorded {
  /** Null when there was no visit to speak of. */
  readonly record: VisitRecord | null;
  /** Whether the page was another than when it was seen before; null when it is new, or nothing could be compared. */
  readonly change: Change | null;
  readonly lesson: Lesson | null;
}

/** Of a finished visit. Tells its host what the look has told of it. */
export function recorded(visited: Visited, verdict: Verdict, entry: HostEntry, context: SettleContext): Recorded {
  const { lease, held } = visited;
  const record = recordOf(visited, verdict);
  if (record === null) return { record, change: null, lesson: null };
  const { hints } = context;
  const noted = (row: VisitRecord): VisitRecord => hints?.noted(row) ?? row;
  if (lease.previous === null) {
    const { copy, lesson } = compared(visited, verdict, context);
    return { record: noted({ ...record, ...copy }), change: null, lesson };
  }
  const looked = lookedAgain(record, lease.previous, held);
  const { change } = looked;
  let again = hostLooked(entry.state.again, lease.previous, looked, held);
  if (hints !== null && change !== null && change.kind !== "first") {
    const look = { at: record.startedAt, changed: change.kind === "changed" };
    again = hints.judged(again, { ...lease.url, importance: lease.importance }, lease.previous, look);
  }
  if (again !== entry.state.again) entry.state = { ...entry.state, again };
  const row = noted(looked.record);
  if (change === null || change.kind === "same") return { record: row, change, lesson: null };
  const { copy, lesson } =
    change.kind === "first"
      ? compared(visited, verdict, context)
      : { copy: copyNow(visited, verdict, context), lesson: null };
  return { record: { ...row, ...copy }, change, lesson };
}

/** Of a lease that ended without a visit. */
export function unvisitedRecord(lease: Lease, verdict: Verdict, now: Instant): VisitRecord | null {
  if (verdict.kind !== "end") return null;
  const record = { ...NO_ANSWER, ...basics(lease, verdict), startedAt: now, endedAt: now };
  return lease.previous === null ? record : lookedAgain(record, lease.previous, null).record;
}

/** As if the page were new. */
export function recordOf(visited: Visited, verdict: Verdict): VisitRecord | null {
  if (verdict.kind === "again") return null;
  const { outcome, lease, startedAt, endedAt, address, robotsId } = visited;
  const decided = { ...NO_ANSWER, ...basics(lease, verdict), startedAt: endedAt, endedAt, robotsId };
  // What ended a URL while its robots.txt was fetched is no answer of the URL's own: it was never asked for.
  if (visited.task === "robots") return decided;
  const common = { ...decided, startedAt, address };
  if (outcome.kind === "failure") return common;
  return {
    ...common,
    status: outcome.status,
    contentType: outcome.contentType === "" ? null : outcome.contentType,
    bytes: outcome.bytes,
    redirectTo: outcome.location as Href | null,
    etag: outcome.etag,
    lastModified: outcome.lastModified,
    capture: visited.capture,
    page: visited.page,
  };
}

function basics(lease: Lease, verdict: Verdict): Pick<VisitRecord, "urlId" | "href" | "end" | "detail" | "attempt"> {
  const { url } = lease;
  const attempt = verdict.kind === "end" && verdict.dropped ? 0 : lease.attempt;
  const end = verdict.kind === "end" ? verdict.end : verdict.kind === "follow" ? "follow" : "retry";
  const detail = verdict.kind === "end" ? (verdict.detail ?? null) : verdict.kind === "retry" ? verdict.reason : null;
  return { urlId: url.id, href: url.href, end, detail, attempt };
}

/** What a new page is a copy of, and what there is to learn of that. */
function compared(
  visited: Visited,
  verdict: Verdict,
  context: SettleContext,
): Pick<Recorded, "lesson"> & { copy: CopyOf } {
  if (verdict.kind === "end" && verdict.end === "soft-404") context.feedback.missing(visited);
  const content = comparable(visited, verdict);
  if (content === null) return { copy: NO_COPY, lesson: null };
  const copy = context.duplicates.copyOf(...content);
  return { copy, lesson: { visited, copy } };
}

/** What a page is a copy of that has changed. */
function copyNow(visited: Visited, verdict: Verdict, { duplicates }: SettleContext): CopyOf {
  const content = comparable(visited, verdict);
  return content === null ? NO_COPY : duplicates.copyNow(...content);
}

/** Pages alone are compared: an error message is like another. */
function comparable(visited: Visited, verdict: Verdict): Parameters<Duplicates["copyOf"]> | null {
  const { lease, href, capture, page, outcome } = visited;
  const isPage = verdict.kind === "end" && verdict.end === "fetched" && outcome.kind === "answer";
  return !isPage || capture === null || page === null ? null : [lease.url.id, href, outcome.bytes, capture, page];
}
