/** Which visits are worth telling to those who keep something made of a page. Pure. */
import type { ChangeEvent, EventKind } from "../model/event.ts";
import { type History, NO_HISTORY } from "../model/history.ts";
import type { VisitRecord } from "../model/record.ts";
import type { Change } from "./change.ts";
import { historyOf } from "./history.ts";

/**
 * Of the visit with which a URL has ended, and of the one with which it had ended before; null when there is nothing to
 * tell. A page that cannot be reached is as it was.
 */
export function eventOf(record: VisitRecord, previous: VisitRecord | null, change: Change | null): ChangeEvent | null {
  const now = historyOf(record);
  const before = previous === null ? NO_HISTORY : historyOf(previous);
  const kind = kindOf(now, before, change) ?? (movedOn(record, previous) ? "moved" : null);
  if (kind === null || now.seenAt === null) return null; // what was never there cannot go
  return {
    kind,
    urlId: record.urlId,
    href: record.href,
    at: record.startedAt,
    seenAt: before.seenAt,
    status: record.status,
    distance: change?.distance ?? null,
    digest: now.away === null ? now.digest : null,
    digestBefore: before.digest,
    to: kind === "moved" ? record.redirectTo : null,
  };
}

function kindOf({ away }: History, before: History, change: Change | null): EventKind | null {
  if (away !== null) return away.why === before.away?.why ? null : away.why;
  if (before.seenAt === null) return "new";
  if (before.away !== null) return "back";
  return change?.kind === "changed" ? "changed" : null;
}

const movedOn = (record: VisitRecord, previous: VisitRecord | null): boolean =>
  record.end === "redirected" && previous?.end === "redirected" && record.redirectTo !== previous.redirectTo;
