/** What an answer to the request for robots.txt means for access (RFC 9309, section 2.3.1), and how long it holds (2.4). */
import type { Instant } from "../base/clock.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";

export type RobotsAccess = RobotsCopy["access"];

/** How the fetch, redirects included, has ended. */
export type RobotsOutcome =
  | { readonly kind: "answer"; readonly status: number }
  /** More than `MOST_ROBOTS_REDIRECTS` in a row, or a redirect to nowhere: no usable Location, another scheme. */
  | { readonly kind: "lost-in-redirects" }
  /** DNS, connect, TLS, timeout, a broken answer, an address that may not be spoken to. */
  | { readonly kind: "no-answer" };

/** RFC 9309, 2.3.1.2: at least five consecutive redirects are followed, across authorities too. */
export const MOST_ROBOTS_REDIRECTS = 5;

/**
 * "rules": parse the body. "allow-all": there is no robots.txt, nothing is restricted. "unreachable": complete
 * disallow for now. 429 is the one 4xx that says "not now" rather than "not here", so it is unreachable too.
 */
export function accessOf(outcome: RobotsOutcome): RobotsAccess {
  if (outcome.kind === "no-answer") return "unreachable";
  if (outcome.kind === "lost-in-redirects") return "allow-all"; // 2.3.1.2: "unavailable"
  const { status } = outcome;
  if (status >= 200 && status < 300) return "rules";
  if (status === 429) return "unreachable";
  if (status >= 300 && status < 500) return "allow-all";
  return "unreachable";
}

export interface RobotsCacheRules {
  /** How long an answer holds (2.4: not longer than 24 hours). */
  readonly lifetimeMs: number;
  /** How long the first failure holds; each one after it doubles, up to `longestRetryMs`. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** After this long out of reach a robots.txt counts as absent (2.3.1.4: "for example, 30 days"). */
  readonly absentAfterMs: number;
}

const HOUR_MS = 3_600_000;

const ROBOTS_CACHE_RULES: RobotsCacheRules = {
  lifetimeMs: 24 * HOUR_MS,
  firstRetryMs: 60_000,
  longestRetryMs: HOUR_MS,
  absentAfterMs: 30 * 24 * HOUR_MS,
};

/**
 * When a copy fetched at `fetchedAt` is to be fetched again. `previous`, the copy before it, makes failures in a row
 * wait longer. `notBefore` is the host's own back-off (Retry-After); an answer holds no shorter than that.
 */
export function robotsExpiry(
  access: RobotsAccess,
  fetchedAt: Instant,
  previous: Pick<RobotsCopy, "access" | "fetchedAt" | "expiresAt"> | null,
  notBefore: Instant = 0,
  rules: RobotsCacheRules = ROBOTS_CACHE_RULES,
): Instant {
  if (access !== "unreachable") return fetchedAt + rules.lifetimeMs;
  const waited = previous?.access === "unreachable" ? previous.expiresAt - previous.fetchedAt : 0;
  const wait = Math.min(Math.max(rules.firstRetryMs, waited * 2), rules.longestRetryMs);
  return Math.max(fetchedAt + wait, notBefore);
}

/** What is known of one host's robots.txt. Plain data. */
export interface RobotsHistory {
  readonly latest: RobotsCopy;
  /** The newest copy that was not "unreachable", or null. */
  readonly lastReached: RobotsCopy | null;
  /** When the failures in a row that `latest` ends began; null when it is no failure. */
  readonly unreachableSince: Instant | null;
}

/** The history that two copies tell: the latest, and the last that was reached. When failures in a row began is known from the latest on. */
export function historyOf(latest: RobotsCopy, lastReached: RobotsCopy | null): RobotsHistory {
  if (latest.access !== "unreachable") return { latest, lastReached: latest, unreachableSince: null };
  return { latest, lastReached, unreachableSince: latest.fetchedAt };
}

/** The history with one more copy. */
export function withCopy(history: RobotsHistory | null, copy: RobotsCopy): RobotsHistory {
  if (copy.access !== "unreachable") return { latest: copy, lastReached: copy, unreachableSince: null };
  return {
    latest: copy,
    lastReached: history?.lastReached ?? null,
    unreachableSince: history?.unreachableSince ?? copy.fetchedAt,
  };
}

export interface RobotsInForce {
  readonly access: RobotsAccess;
  /** The copy that says so: what a capture names. */
  readonly copy: RobotsCopy;
}

/**
 * What holds at `now`: the latest copy; while it is out of reach, the last that was reached (2.4 lets it serve);
 * once it has been out of reach for too long, nothing is restricted (2.3.1.4).
 */
export function robotsInForce(
  { latest, lastReached, unreachableSince }: RobotsHistory,
  now: Instant,
  rules: RobotsCacheRules = ROBOTS_CACHE_RULES,
): RobotsInForce {
  if (latest.access !== "unreachable") return { access: latest.access, copy: latest };
  if (unreachableSince !== null && now - unreachableSince >= rules.absentAfterMs)
    return { access: "allow-all", copy: latest };
  if (lastReached !== null) return { access: lastReached.access, copy: lastReached };
  return { access: "unreachable", copy: latest };
}
