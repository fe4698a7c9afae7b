/** What becomes of a URL after a visit. Pure: the visit, the host's next time and a random number go in, a verdict comes out. */
import type { Instant } from "../base/clock.ts";
import { never } from "../base/result.ts";
import type { EndReason } from "../model/end.ts";
import type { Verdict } from "../model/lease.ts";
import type { Href, UrlKey } from "../model/url.ts";
import type { Answer, NoAnswer, Visited } from "../model/visited.ts";
import { refusesCondition } from "./conditional.ts";
import { URL_KEY_RULES, type UrlKeyRules, urlKey } from "./url-key.ts";

export interface JudgeRules {
  /** Visits of one URL in all, the first included. */
  readonly maxAttempts: number;
  /** The wait before the second attempt; it doubles from attempt to attempt. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** Redirects in a row that are followed. */
  readonly maxHops: number;
  /** What makes a redirect one to its own key. */
  readonly keys: UrlKeyRules;
}

export const JUDGE_RULES: JudgeRules = {
  maxAttempts: 4,
  retryMs: 5_000,
  maxRetryMs: 3_600_000,
  maxHops: 20,
  keys: URL_KEY_RULES,
};

export interface JudgeState {
  /** When the host may be asked again, as politeness has found after this visit. No retry is earlier. */
  readonly hostReadyAt: Instant;
  /** From 0 up to 1. */
  readonly random: number;
}

/** The verdict on a finished errand. One for robots.txt, or a probe, leaves the page still to be asked for. */
export function judge(visited: Visited, state: JudgeState, rules: JudgeRules = JUDGE_RULES): Verdict {
  if (visited.task !== "page") return { kind: "again" };
  const { outcome } = visited;
  switch (outcome.kind) {
    case "answer":
      return judgeAnswer(visited, outcome, state, rules);
    case "failure":
      return judgeFailure(visited, outcome, state, rules);
    default:
      return never(outcome);
  }
}

function judgeAnswer(visited: Visited, answer: Answer, state: JudgeState, rules: JudgeRules): Verdict {
  const { status } = answer;
  const isSitemap = visited.lease.url.source === "sitemap";
  if (answer.challenge !== null) return end("blocked-challenge", answer.challenge);
  if (status >= 200 && status < 300) {
    if (!answer.bodyRead) return end("unsupported-type", answer.contentType);
    return end(isSitemap ? "sitemap" : "fetched");
  }
  if (answer.notModified) return end(isSitemap ? "sitemap" : "not-modified");
  if (status >= 300 && status < 400 && answer.location !== null) return judgeRedirect(visited, answer.location, rules);
  if (status === 402) return end("payment-required");
  const isRefused = visited.held?.conditional != null && refusesCondition(status);
  if (PASSING.has(status) || isRefused) return retryOr(classOf(status), visited, state, rules);
  return end(classOf(status));
}

function judgeRedirect({ lease, href }: Visited, location: Href, rules: JudgeRules): Verdict {
  const hops = lease.url.hops + 1;
  if (hops > rules.maxHops) return end("redirect-loop", `${hops} redirects in a row`);
  // To its own key ("/a" -> "/a/"): the frontier would take the target for seen, so the lease itself goes on.
  if (keyOf(location, rules) === keyOf(href, rules)) return { kind: "follow", href: location, hops };
  return end("redirected", location);
}

const keyOf = (href: Href, { keys }: JudgeRules): UrlKey => urlKey(new URL(href), keys);

function judgeFailure(visited: Visited, failure: NoAnswer, state: JudgeState, rules: JudgeRules): Verdict {
  // We hung up, because the crawl stops: the URL has had no fair attempt.
  if (failure.detail === "aborted") return { kind: "again" };
  if (failure.cause === "refused-address" || isForGood(failure)) return end(failure.cause, failure.detail);
  return retryOr(failure.cause, visited, state, rules, failure.detail);
}

/** A certificate that does not verify now will not in a minute. */
function isForGood({ cause, detail }: NoAnswer): boolean {
  return cause === "tls" && /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(detail);
}

/** Answers that may be others a while later: 408, 425, 429, and the 5xx but for those that speak of the request itself (501, 505). */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, ...range(500, 599).filter((n) => n !== 501 && n !== 505)]);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function classOf(status: number): EndReason {
  if (status >= 400 && status < 500) return "http-4xx";
  if (status >= 500 && status < 600) return "http-5xx";
  return "http-other";
}

function end(reason: EndReason, detail?: string): Verdict {
  return detail === undefined ? { kind: "end", end: reason } : { kind: "end", end: reason, detail };
}

function retryOr(
  reason: EndReason,
  { lease, endedAt }: Visited,
  { hostReadyAt, random }: JudgeState,
  rules: JudgeRules,
  detail?: string,
): Verdict {
  if (lease.attempt >= rules.maxAttempts) return end(reason, detail);
  const wait = Math.min(rules.retryMs * 2 ** (lease.attempt - 1), rules.maxRetryMs);
  return { kind: "retry", at: Math.max(hostReadyAt, endedAt + wait * (1 + random / 2)), reason };
}
