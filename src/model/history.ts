/**
 * What looking at a URL again and again has told of it. It travels with the record of each visit, so that the latest record
 * of a URL carries the whole; that of a URL visited once is in its record already (`historyOf`).
 */
import type { Instant } from "../base/clock.ts";
import type { Capture } from "./capture.ts";
import type { PageInfo } from "./page.ts";

/** Checks of many looks together, or of many pages: of a URL's past, of a host, of a pattern of URLs. */
export interface Pool {
  readonly changes: number;
  /** Spans in which a change was found, and in which none was, added up. */
  readonly changedMs: number;
  readonly unchangedMs: number;
}

export interface History {
  /** Looks after the first that could tell whether it had changed. */
  readonly checks: number;
  /** Of these, those that found a change. */
  readonly changes: number;
  /** The last looks, the newest last: seconds since the look before, negative where nothing had changed. 16 at most. */
  readonly spans: readonly number[];
  /** The looks before those; null when there are none. */
  readonly olderPool: Pool | null;
  /** When its content was seen last; an answer that it had not changed counts. Null: never. */
  readonly seenAt: Instant | null;
  /** When its content was new last; the first time counts. */
  readonly changedAt: Instant | null;
  /** Of the content seen last, as in its capture and its page. */
  readonly digest: string | null;
  readonly simhash: string | null;
  /** The validators that go with that content, as received. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Answers in a row that it had not changed, without a body, since the last whole one. */
  readonly unread: number;
  /** Since when it is gone, and how many looks have found it so; null while it is there. */
  readonly gone: { readonly since: Instant; readonly looks: number } | null;
  /** What a sitemap said of it last. */
  readonly listed: { readonly lastmod: Instant | null; readonly changefreq: string | null } | null;
}

/** What a record tells of what was found. */
interface Look {
  readonly history: History | null;
  readonly startedAt: Instant;
  readonly status: number | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly capture: Capture | null;
  readonly page: PageInfo | null;
}

/** The history up to a record: what it carries, or what the first visit says by itself. */
export function historyOf({ history, startedAt, status, etag, lastModified, capture, page }: Look): History {
  if (history !== null) return history;
  const isThere = capture !== null && status !== null && status >= 200 && status < 300;
  return {
    checks: 0,
    changes: 0,
    spans: [],
    olderPool: null,
    seenAt: isThere ? startedAt : null,
    changedAt: isThere ? startedAt : null,
    digest: isThere ? capture.digest : null,
    simhash: isThere ? (page?.simhash ?? null) : null,
    etag: isThere ? etag : null,
    lastModified: isThere ? lastModified : null,
    unread: 0,
    gone: null,
    listed: null,
  };
}
