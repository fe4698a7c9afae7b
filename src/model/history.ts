/**
 * What looking at a URL again and again has told of it. It travels with the record of each visit, so that the latest record
 * of a URL carries the whole; that of a URL visited once is in its record already (policy/history).
 */
import type { Instant } from "../base/clock.ts";
import type { Original } from "./capture.ts";
import type { Listed } from "./listed.ts";

/** Checks of many looks together, or of many pages: of a URL's past, of a host, of a pattern of URLs. */
export interface Pool {
  readonly changes: number;
  /** Spans in which a change was found, and in which none was, added up. */
  readonly changedMs: number;
  readonly unchangedMs: number;
}

/** So many looks are kept one by one; those before are in a pool. */
export const SPANS_KEPT = 16;

/** Where a page was, and is not: gone (404, 410), led to another URL, or forbidden by robots.txt. */
export interface Away {
  readonly why: "gone" | "moved" | "denied";
  readonly since: Instant;
  /** Looks that have found it so. */
  readonly looks: number;
}

/** What a server tells apart one content of a page from another by (RFC 9110, section 8.8), as received. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface History extends Validators {
  /** Looks after the first that could tell whether it had changed. */
  readonly checks: number;
  /** Of these, those that found a change. */
  readonly changes: number;
  /** The last looks, the newest last: seconds since the look before, negative where nothing had changed. At most `SPANS_KEPT`. */
  readonly spans: readonly number[];
  /** The looks before those; null when there are none. */
  readonly olderPool: Pool | null;
  /** When its content was seen last; an answer that it had not changed counts. Null: never. */
  readonly seenAt: Instant | null;
  /** When its content was new last; the first time counts. */
  readonly changedAt: Instant | null;
  /** Of the content seen last, as in its capture. */
  readonly digest: string | null;
  /** The capture that holds its body; null when it is not known, or holds but a part. */
  readonly body: Omit<Original, "digest"> | null;
  /** Of the content as it was at `changedAt`: what changes a little with each look has changed once that adds up. */
  readonly simhash: string | null;
  /** Answers in a row that it had not changed, without a body, since the last whole one. */
  readonly unread: number;
  /** Null while it is there. */
  readonly away: Away | null;
  /** What had been said of it at the last look (crawl/hints). */
  readonly listed: Listed | null;
}

/** Of a URL that nothing is known of. */
export const NO_HISTORY: History = {
  checks: 0,
  changes: 0,
  spans: [],
  olderPool: null,
  seenAt: null,
  changedAt: null,
  digest: null,
  body: null,
  simhash: null,
  etag: null,
  lastModified: null,
  unread: 0,
  away: null,
  listed: null,
};
