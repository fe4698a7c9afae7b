/** From what a visit brought to what is committed of it: clocks moved, robots.txt understood, the URL judged. */
import type { Instant } from "../base/clock.ts";
import { type HostState, isWebHost } from "../model/host.ts";
import type { Lease, Verdict } from "../model/lease.ts";
import type { RequestRecord } from "../model/request.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Href } from "../model/url.ts";
import type { Visited } from "../model/visited.ts";
import { isOfSeed } from "../policy/admission.ts";
import type { Change } from "../policy/change.ts";
import { afterVisit, type Politeness, type VisitKind } from "../policy/politeness.ts";
import type { Settled } from "../ports/frontier.ts";
import type { Judged, SettleContext } from "./context.ts";
import type { Lesson } from "./feedback.ts";
import { giveUp, hostFailed, reached } from "./host-failure.ts";
import { type HostEntry, tierOfHost } from "./hosts.ts";
import { type Refusal, targetOf, type Unreachable } from "./permit.ts";
import { recorded, unvisitedRecord } from "./recorded.ts";
import { settlePage } from "./settle-page.ts";
import { robotsLedNowhere, settleRobots } from "./settle-robots.ts";

export interface Outcome {
  readonly settled: Settled;
  /** Of a page that came back; see `Recorded`. */
  readonly change: Change | null;
  readonly hosts: readonly HostState[];
  readonly robots: RobotsCopy | null;
  /** What was asked, when the URL's own record does not tell. */
  readonly request: RequestRecord | null;
  /** Where a seed was redirected to, when it was. */
  readonly seedMoved: Href | null;
  readonly lesson: Lesson | null;
}

export function settleVisit(visited: Visited, context: SettleContext): Outcome {
  const { hosts, rules, random } = context;
  const entry = hosts.get(visited.lease.url.host);
  const target = targetOf(visited.href, entry, hosts);
  const politeness = isWebHost(target.state.host) ? rules.politeness : rules.localPoliteness;
  // Budgets are for pages, not for looks at one.
  const pages = visited.task === "page" && visited.lease.previous === null ? 1 : 0;
  const move = () => {
    moveClocks(target, visited, politeness, random());
    hosts.count(target, pages);
  };
  let outcome: Judged;
  if (visited.task === "robots") {
    outcome = settleRobots(visited, entry, context);
    move(); // by the Crawl-delay that has just been learnt
  } else {
    move();
    outcome = settlePage(visited, entry, context); // no retry is earlier than the host's next time
    if (visited.task === "probe") context.softNotFound.answered(visited);
    else context.feedback.ended(visited.lease.url);
  }
  // A host that must be waited for does not keep the place of others of its domain.
  if (entry.state.backoffUntil > visited.endedAt) context.feedback.ended(visited.lease.url);
  const { record, change, lesson } = recorded(visited, outcome.verdict, entry, context);
  const states = target === entry ? [entry.state] : [entry.state, target.state];
  return {
    robots: outcome.robots,
    request: ownRequest(visited, outcome.verdict) ? null : requestOf(visited, target),
    seedMoved: seedMoved(visited, outcome.verdict),
    lesson,
    hosts: states,
    settled: {
      lease: visited.lease,
      verdict: outcome.verdict,
      hostReadyAt: entry.state.readyAt,
      hostTier: tierOfHost(entry, rules.budget),
      record,
      links: outcome.links,
      // Links of a page that is asked for again are counted then; those of a page that came back have been.
      linksAgain: outcome.links === visited.links && visited.lease.previous === null ? visited.linksAgain : null,
    },
    change,
  };
}

function moveClocks(host: HostEntry, visited: Visited, politeness: Politeness, random: number): void {
  const { outcome, startedAt, endedAt } = visited;
  const kind = visitKind(visited);
  const retryAfter = outcome.kind === "answer" ? outcome.retryAfter : null;
  const robotsDelayMs = host.robots?.rules.crawlDelayMs ?? 0;
  const after = afterVisit(host.state, { startedAt, endedAt, kind, retryAfter, robotsDelayMs, random }, politeness);
  host.state = { ...after, address: visited.address };
  if (kind === "ok") {
    // That robots.txt is led elsewhere says nothing yet of whether it can be had.
    if (visited.task === "page") reached(host);
    host.backoffSays = "";
  } else {
    const what = outcome.kind === "answer" ? String(outcome.status) : outcome.cause;
    host.backoffSays = retryAfter === null ? what : `${what}, Retry-After: ${retryAfter}`;
  }
}

function visitKind({ outcome, task }: Visited): VisitKind {
  // A host whose robots.txt fails is asked for nothing else; it is left alone for a while.
  if (outcome.kind === "failure") return outcome.cause === "connect" || task === "robots" ? "refused" : "failed";
  if (outcome.status === 429) return "rate-limited";
  if (task === "robots" && outcome.status >= 500) return "unavailable";
  return outcome.status === 503 || outcome.challenge !== null ? "unavailable" : "ok";
}

/** A lease that ended without a request: denied, out of budget, or its host has no usable address. */
export function settleUnvisited(lease: Lease, why: Refusal | Unreachable, context: SettleContext): Outcome {
  const { hosts, clock, random, rules } = context;
  const now = clock.now();
  const entry = hosts.get(lease.url.host);
  context.feedback.ended(lease.url);
  if (why.kind === "end") {
    const { end, detail, dropped = false } = why;
    const verdict: Verdict = { kind: "end", end, detail, ...(dropped ? { dropped } : {}) };
    return unvisited(lease, verdict, entry.state.readyAt, now, []);
  }
  const kind = why.robotsHop === null ? "failed" : "unavailable";
  const asked = { startedAt: now, endedAt: now, kind, retryAfter: null, robotsDelayMs: 0 } as const;
  entry.state = afterVisit(entry.state, { ...asked, random: random() }, rules.politeness);
  let decided: Judged;
  if (why.robotsHop !== null) decided = robotsLedNowhere(entry, why.robotsHop, why, context);
  else if (why.dead) {
    giveUp(entry, why.cause);
    decided = { verdict: { kind: "end", end: why.cause, detail: why.detail }, links: [], robots: null };
  } else decided = { verdict: hostFailed(entry, why.cause, why.detail, rules.tries), links: [], robots: null };
  const readyAt = entry.state.dead === null ? entry.state.readyAt : now;
  return { ...unvisited(lease, decided.verdict, readyAt, now, [entry.state]), robots: decided.robots };
}

function unvisited(
  lease: Lease,
  verdict: Verdict,
  hostReadyAt: Instant,
  now: Instant,
  hosts: readonly HostState[],
): Outcome {
  const record = unvisitedRecord(lease, verdict, now);
  return {
    settled: { lease, verdict, hostReadyAt, record, links: [] },
    change: null,
    hosts,
    robots: null,
    request: null,
    seedMoved: null,
    lesson: null,
  };
}

function seedMoved({ lease, outcome }: Visited, verdict: Verdict): Href | null {
  const moved = verdict.kind === "end" && verdict.end === "redirected" && isOfSeed(lease.url);
  return moved && outcome.kind === "answer" ? outcome.location : null;
}

/** Whether the record of the URL itself tells of the request. */
const ownRequest = ({ task }: Visited, verdict: Verdict): boolean => task === "page" && verdict.kind !== "again";

function requestOf({ href, address, startedAt, endedAt, outcome }: Visited, target: HostEntry): RequestRecord {
  const status = outcome.kind === "answer" ? outcome.status : null;
  return { host: target.state.host, href, address, startedAt, endedAt, status };
}
