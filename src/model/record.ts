/** A URL's row as users see it: in state.db, pages.jsonl, exports and the library's pages. */
import type { Instant } from "../base/clock.ts";
import type { Capture } from "./capture.ts";
import type { EndReason } from "./end.ts";
import type { History } from "./history.ts";
import type { HostKey } from "./host.ts";
import type { NewUrl, UrlSource } from "./link.ts";
import type { PageInfo } from "./page.ts";
import type { Href } from "./url.ts";

/** One attempt at a URL that is recorded: a visit, or a decision that there will be none. */
export interface VisitRecord {
  readonly urlId: number;
  readonly href: Href;
  /** The end, or "retry" when another attempt follows. */
  readonly end: EndReason | "retry" | "follow";
  readonly detail: string | null;
  readonly attempt: number;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly status: number | null;
  readonly contentType: string | null;
  readonly bytes: number;
  readonly address: string | null;
  readonly redirectTo: Href | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly robotsId: number;
  readonly capture: Capture | null;
  readonly page: PageInfo | null;
  /** The URL (its id) that had the same body before, to the byte. */
  readonly duplicateOf: number | null;
  /** The URL (its id) whose visible text was nearly the same before; null when `duplicateOf` is set. */
  readonly nearDuplicateOf: number | null;
  /** Null for a URL that was visited once: `historyOf` tells it. */
  readonly history: History | null;
}

/** A content that was new when it came. */
export interface KnownContent {
  readonly urlId: number;
  readonly digest: string;
  /** Null when there is none, or when it was a near-duplicate of another. */
  readonly simhash: string | null;
}

/** What a recorded page is remembered by; null for what is no page, cut, a copy, or looked at again. */
export function contentOf(visit: VisitRecord): KnownContent | null {
  const { urlId, end, bytes, capture, page, duplicateOf, nearDuplicateOf, history } = visit;
  if (history !== null && history.checks > 0) return null;
  if (end !== "fetched" || bytes === 0 || page === null || duplicateOf !== null) return null;
  if (capture === null || capture.truncated !== null) return null;
  return { urlId, digest: capture.digest, simhash: nearDuplicateOf === null ? page.simhash : null };
}

export interface UrlRecord {
  readonly id: number;
  readonly href: Href;
  readonly host: HostKey;
  readonly depth: number;
  readonly hops: number;
  readonly via: number;
  readonly source: UrlSource;
  readonly priority: number;
  readonly admittedAt: Instant;
  readonly state: "queued" | "leased" | "delayed" | "ended";
  /** When it is to be visited again; null while it is pending, and when it is not scheduled. */
  readonly dueAt: Instant | null;
  /** The latest recorded visit, or null. */
  readonly visit: VisitRecord | null;
}

/** What a record holds of an answer, where there was none. */
export const NO_ANSWER = {
  status: null,
  contentType: null,
  bytes: 0,
  address: null,
  redirectTo: null,
  etag: null,
  lastModified: null,
  robotsId: 0,
  capture: null,
  page: null,
  duplicateOf: null,
  nearDuplicateOf: null,
  history: null,
} as const satisfies Partial<VisitRecord>;

/** The record of a URL that is dropped on admission: a decision, no visit, hence attempt 0. */
export function dropRecord(urlId: number, href: Href, drop: NonNullable<NewUrl["drop"]>, now: Instant): VisitRecord {
  return {
    urlId,
    href,
    end: drop.reason,
    detail: drop.detail ?? null,
    attempt: 0,
    startedAt: now,
    endedAt: now,
    ...NO_ANSWER,
  };
}
