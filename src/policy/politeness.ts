/** When a host may be asked again: two clocks a host, the delay and the back-off, neither hiding the other (SPEC 4). All times in ms. */
import type { Instant } from "../base/clock.ts";
import type { HostState } from "../model/host.ts";

export interface Politeness {
  /** Shortest pause from the end of one request to the start of the next. 0: no pause but what robots.txt asks for and back-off. */
  readonly delayMs: number;
  /** A slow host is asked less often: the pause is at least this many times its smoothed response time. */
  readonly slowdown: number;
  /** The adaptive part of the pause is not longer than this. */
  readonly maxAdaptiveMs: number;
  /** A longer Crawl-delay is taken for this long. */
  readonly maxCrawlDelayMs: number;
  /** The first back-off; each further step doubles it. */
  readonly backoffMs: number;
  /** A back-off without Retry-After is not longer than this. */
  readonly maxBackoffMs: number;
  /** Who is told to come back later than this is *parked* until then: see `isParked`. */
  readonly parkAfterMs: number;
}

export const POLITENESS: Politeness = {
  delayMs: 1_000,
  slowdown: 2,
  maxAdaptiveMs: 30_000,
  maxCrawlDelayMs: 60_000,
  backoffMs: 5_000,
  maxBackoffMs: 3_600_000,
  parkAfterMs: 86_400_000,
};

/** No Retry-After is believed beyond a year: the year 9999 in a broken header must still be a time. */
const LONGEST_RETRY_AFTER_MS = 365 * 86_400_000;

/** How much a new response time counts in the smoothed one. */
const SMOOTHING = 0.25;

/**
 * ok: any answer but the next two. rate-limited: 429. unavailable: 503. refused: nobody listens, or nothing can be had
 * before robots.txt is. failed: any other failure; it says that the host is slow, but asks for no back-off.
 */
export type VisitKind = "ok" | "rate-limited" | "unavailable" | "refused" | "failed";

export interface VisitEvent {
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly kind: VisitKind;
  /** The header field as received. It counts with 429 and 503. */
  readonly retryAfter: string | null;
  /** The Crawl-delay in force, 0 when there is none. */
  readonly robotsDelayMs: number;
  /** From 0 up to 1: spreads the returns of hosts that failed together. */
  readonly random: number;
}

/** The clocks of a host after one more request. What else is known of it stays as it is. */
export function afterVisit(state: HostState, event: VisitEvent, rules: Politeness = POLITENESS): HostState {
  const backedOff = backOff(withResponseTime(state, event), event, rules);
  const delay = effectiveDelayMs(backedOff, event.robotsDelayMs, rules);
  const delayUntil = Math.max(state.delayUntil, event.endedAt + delay);
  return {
    ...backedOff,
    delayUntil,
    readyAt: Math.max(delayUntil, backedOff.backoffUntil),
  };
}

/** The pause between two requests: the longest of what the user, robots.txt and the host's own pace ask for. */
export function effectiveDelayMs(
  state: Pick<HostState, "smoothedMs">,
  robotsDelayMs: number,
  rules: Politeness = POLITENESS,
): number {
  return Math.max(rules.delayMs, Math.min(robotsDelayMs, rules.maxCrawlDelayMs), adaptiveMs(state, rules));
}

/** Whoever sets no delay at all has said that the host is theirs and can bear it. */
function adaptiveMs({ smoothedMs }: Pick<HostState, "smoothedMs">, rules: Politeness): number {
  return rules.delayMs === 0 ? 0 : Math.min(rules.slowdown * smoothedMs, rules.maxAdaptiveMs);
}

/**
 * When an address, which may serve many hosts, may be asked again: the configured delay after the end of the request. A
 * host's Crawl-delay and back-off are its own and hold up none of its neighbours.
 */
export function addressReadyAt(endedAt: Instant, rules: Politeness = POLITENESS): Instant {
  return endedAt + rules.delayMs;
}

/** Whether the host is put aside for so long that a crawl with nothing else to do should say so, and may end. */
export function isParked(state: Pick<HostState, "readyAt">, now: Instant, rules: Politeness = POLITENESS): boolean {
  return state.readyAt - now > rules.parkAfterMs;
}

function withResponseTime(state: HostState, { kind, startedAt, endedAt }: VisitEvent): HostState {
  // A refusal is quick, whether by TCP or by 429; it says nothing of how fast pages come.
  const took = endedAt - startedAt;
  if ((kind !== "ok" && kind !== "failed") || took <= 0) return state;
  const smoothed = state.smoothedMs === 0 ? took : state.smoothedMs + SMOOTHING * (took - state.smoothedMs);
  // Who has answered 429 or 503 is not sped up again.
  return { ...state, smoothedMs: state.slowed ? Math.max(smoothed, state.smoothedMs) : smoothed };
}

function backOff(state: HostState, event: VisitEvent, rules: Politeness): HostState {
  const { kind, startedAt, endedAt, retryAfter } = event;
  if (kind === "failed") return state;
  // While the back-off runs nothing is started, so what started before its end was under way when it began: such an
  // outcome belongs to an event that has been counted, and is no sign of recovery either.
  const underWay = startedAt < state.backoffUntil;
  if (kind === "ok") return underWay ? state : { ...state, backoffSteps: 0 };
  const asked = kind === "refused" ? null : parseRetryAfter(retryAfter, endedAt);
  if (underWay) return { ...state, backoffUntil: Math.max(state.backoffUntil, asked ?? 0) };
  const steps = state.backoffSteps + 1;
  // A host that names its time is taken at its word once; when it says so again, our own doubling stands beside it.
  const own = asked !== null && steps === 1 ? 0 : backoffMs(steps, event.random, rules);
  return {
    ...state,
    backoffSteps: steps,
    backoffUntil: Math.max(state.backoffUntil, endedAt + own, asked ?? 0),
    slowed: state.slowed || kind !== "refused",
    smoothedMs: kind === "refused" ? state.smoothedMs : slower(state, event.robotsDelayMs, rules),
  };
}

/** The response time that doubles the pace at which the host was overrun. */
function slower(state: HostState, robotsDelayMs: number, rules: Politeness): number {
  if (rules.slowdown === 0) return state.smoothedMs;
  const doubled = Math.min(2 * effectiveDelayMs(state, robotsDelayMs, rules), rules.maxAdaptiveMs);
  return Math.max(state.smoothedMs, doubled / rules.slowdown);
}

/** Doubles from step to step, up to the cap; the jitter adds up to a half, so a later step is never the shorter one. */
function backoffMs(steps: number, random: number, rules: Politeness): number {
  const plain = rules.backoffMs * 2 ** Math.min(steps - 1, 40);
  return Math.min(plain * (1 + random / 2), rules.maxBackoffMs);
}

/**
 * The time that a Retry-After names (RFC 9110, 10.2.3): seconds after `now` (a fraction is allowed), or an HTTP-date in
 * any of its three forms. Null when it is absent, unreadable, zero, negative or past: as if it were not there.
 */
export function parseRetryAfter(value: string | null, now: Instant): Instant | null {
  const text = value?.trim() ?? "";
  if (text === "") return null;
  const wait = /^\d+(?:\.\d*)?$|^\.\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - now;
  // NaN, from a text that is neither, fails the comparison too.
  return wait > 0 ? now + Math.min(wait, LONGEST_RETRY_AFTER_MS) : null;
}

/** RFC 9110, 5.6.7: IMF-fixdate, RFC 850 and asctime. The last names no zone and is UTC all the same. */
function parseHttpDate(text: string): Instant {
  if (!/^[A-Za-z]{3,9},? /.test(text)) return Number.NaN;
  return Date.parse(/(?:GMT|UTC|[+-]\d{4})$/.test(text) ? text : `${text} GMT`);
}
