/** A page that comes back: how it is asked for, and what its record says of it afterwards. */
import { distance, parseSimhash } from "../dedup/simhash.ts";
import type { History } from "../model/history.ts";
import { type HostAgain, NEVER_AGAIN } from "../model/host.ts";
import type { Lease } from "../model/lease.ts";
import type { VisitRecord } from "../model/record.ts";
import type { Held } from "../model/visited.ts";
import { type Change, changeOf } from "../policy/change.ts";
import { askedHow, type ConditionalRules, hostAfter, tellingApart } from "../policy/conditional.ts";
import { afterLook, awayBy, bodyIn, historyOf, type Look } from "../policy/history.ts";
import type { StateQueries } from "../ports/frontier.ts";
import { originalOf } from "./originals.ts";

/** What a visit may rely on, where the archive holds the body that the page had; null otherwise, and for what is new. */
export async function heldOf(
  { url, previous, attempt }: Pick<Lease, "url" | "previous" | "attempt">,
  host: HostAgain | null,
  state: Pick<StateQueries, "visitsOf">,
  rules: ConditionalRules,
): Promise<Held | null> {
  if (previous === null) return null;
  const original = await originalOf(previous, state);
  if (original === null) return null;
  const { unread, checks, ...history } = historyOf(previous);
  const validators = tellingApart(history);
  const asking = { urlId: url.id, attempt };
  // Validators are those of one fetch form.
  const known = { ...validators, unread, checks };
  const how = previous.href === url.href ? askedHow(known, asking, host, rules) : "plain";
  return { original, conditional: how === "conditional" ? validators : null };
}

/** What a visit to a page that came back has found. */
export interface LookedAgain {
  /** It goes on with what was known before, where there was nothing new to see. */
  readonly record: VisitRecord;
  /** Null when nothing could be compared. */
  readonly change: Change | null;
}

/** `record`: as of a page that is new. */
export function lookedAgain(record: VisitRecord, previous: VisitRecord, held: Held | null): LookedAgain {
  const before = historyOf(previous);
  const look = lookOf(record, before, held);
  const history = afterLook(before, record.startedAt, look);
  const { page, duplicateOf, nearDuplicateOf } = previous;
  const known = { page, duplicateOf, nearDuplicateOf, history };
  switch (look.kind) {
    case "content": {
      const copy = look.change.kind === "same" ? { duplicateOf, nearDuplicateOf } : {};
      return { record: { ...record, ...copy, history }, change: look.change };
    }
    case "not-modified": {
      // The head of a 304 may leave out what has not changed.
      const contentType = record.contentType ?? previous.contentType;
      const etag = record.etag ?? before.etag;
      const lastModified = record.lastModified ?? before.lastModified;
      return { record: { ...record, ...known, contentType, etag, lastModified }, change: NOT_MODIFIED };
    }
    default:
      return { record: { ...record, ...known }, change: null };
  }
}

const NOT_MODIFIED: Change = { kind: "same", distance: null };

function lookOf(record: VisitRecord, before: History, held: Held | null): Look {
  const { end, status, capture, page, etag, lastModified } = record;
  if (end === "retry" || end === "follow") return { kind: "nothing" };
  const why = awayBy(end, status);
  if (why !== null) return { kind: "away", why };
  if (capture === null || (end !== "fetched" && end !== "sitemap" && end !== "not-modified"))
    return { kind: "nothing" };
  const body = bodyIn(record, capture) ?? bodyHeld(capture.digest, held);
  if (status === 304) return { kind: "not-modified", body };
  const { digest } = capture;
  const simhash = page?.simhash ?? null;
  const apart = simhash === null || before.simhash === null ? null : bitsBetween(before.simhash, simhash);
  const change = changeOf(before, digest, apart);
  return { kind: "content", change, digest, body, simhash, etag, lastModified };
}

const bitsBetween = (one: string, other: string): number => distance(parseSimhash(one), parseSimhash(other));

function bodyHeld(digest: string, held: Held | null): History["body"] {
  if (held === null || held.original.digest !== digest) return null;
  const { urlId, href, at } = held.original;
  return { urlId, href, at };
}

/** What the look at one of its pages tells of a host; the same when it tells nothing. */
export function hostLooked(
  again: HostAgain | null,
  previous: VisitRecord,
  { record, change }: LookedAgain,
  held: Held | null,
): HostAgain | null {
  const before = tellingApart(historyOf(previous));
  const { etag, lastModified } = before;
  const hasValidator = held !== null && previous.href === record.href && (etag !== null || lastModified !== null);
  if (change === null || change.kind === "first" || !hasValidator) return again;
  const asked = held.conditional === null ? "whole" : "conditional";
  const changed = change.kind === "changed";
  return hostAfter(again ?? NEVER_AGAIN, { asked, changed, before, now: tellingApart(record) });
}
