/** What a look at a URL adds to its history. Pure. */
import type { Instant } from "../base/clock.ts";
import type { Capture } from "../model/capture.ts";
import type { EndReason } from "../model/end.ts";
import { type Away, type History, NO_HISTORY, type Pool, SPANS_KEPT, type Validators } from "../model/history.ts";
import type { VisitRecord } from "../model/record.ts";
import { type Change, changeOf } from "./change.ts";
import { NO_POOL, pooled } from "./change-rate.ts";

/** What a look found. */
export type Look =
  /** The server says that nothing has changed, and has sent no body. */
  | { readonly kind: "not-modified"; readonly body: History["body"] }
  /** A whole answer. */
  | ({ readonly kind: "content"; readonly change: Change } & Content)
  | { readonly kind: "away"; readonly why: Away["why"] }
  /** Nothing that says whether it has changed: no answer, a fault of the server. */
  | { readonly kind: "nothing" };

export interface Content extends Validators, Pick<History, "body"> {
  readonly digest: string;
  readonly simhash: string | null;
}

/** Of a URL that was there, or never was, why it is not there now; null when its end says something else. */
export function awayBy(end: EndReason, status: number | null): Away["why"] | null {
  if (end === "robots") return "denied";
  if (end === "redirected") return "moved";
  return end === "soft-404" || (end === "http-4xx" && (status === 404 || status === 410)) ? "gone" : null;
}

/** The history up to a record: what it carries, or what the first visit says by itself. */
export function historyOf(record: VisitRecord): History {
  const { history, startedAt, end, status, capture, page, etag, lastModified } = record;
  if (history !== null) return history;
  const why = end === "retry" || end === "follow" ? null : awayBy(end, status);
  if (why !== null) return afterLook(NO_HISTORY, startedAt, { kind: "away", why });
  if (capture === null || (end !== "fetched" && end !== "sitemap")) return NO_HISTORY;
  const { digest } = capture;
  return afterLook(NO_HISTORY, startedAt, {
    kind: "content",
    change: changeOf(NO_HISTORY, digest, null),
    ...{ digest, body: bodyIn(record, capture), simhash: page?.simhash ?? null, etag, lastModified },
  });
}

/** The body of a capture, where its own record holds the whole of it. */
export function bodyIn({ urlId, href }: Pick<VisitRecord, "urlId" | "href">, capture: Capture): History["body"] {
  return capture.truncated === null && capture.revisitOf === undefined ? { urlId, href, at: capture.at } : null;
}

/** The history with one look more. */
export function afterLook(history: History, at: Instant, look: Look): History {
  switch (look.kind) {
    case "nothing":
      return history;
    case "away": {
      const { away } = history;
      if (away?.why === look.why) return { ...history, away: { ...away, looks: away.looks + 1 } };
      return { ...history, away: { why: look.why, since: at, looks: 1 } };
    }
    case "not-modified":
      return { ...checked(history, at, false), body: look.body, unread: history.unread + 1 };
    case "content": {
      const { digest, body, simhash, etag, lastModified, change } = look;
      const seen = { digest, body, etag, lastModified, unread: 0 };
      if (change.kind === "first") return { ...history, ...seen, simhash, seenAt: at, changedAt: at, away: null };
      const changed = change.kind === "changed";
      return { ...checked(history, at, changed), ...seen, ...(changed || history.simhash === null ? { simhash } : {}) };
    }
  }
}

function checked(history: History, at: Instant, changed: boolean): History {
  const { checks, changes, seenAt, changedAt } = history;
  const seconds = Math.max(1, Math.round(at - (seenAt ?? at))) / 1_000;
  const spans = [...history.spans, changed ? seconds : -seconds];
  let { olderPool } = history;
  while (spans.length > SPANS_KEPT) olderPool = withSpan(olderPool ?? NO_POOL, spans.shift()!);
  return {
    ...history,
    checks: checks + 1,
    changes: changes + (changed ? 1 : 0),
    spans,
    olderPool,
    seenAt: at,
    changedAt: changed ? at : changedAt,
    away: null,
  };
}

const withSpan = (pool: Pool, seconds: number): Pool =>
  pooled(pool, { afterMs: Math.abs(seconds) * 1_000, changed: seconds > 0 });
