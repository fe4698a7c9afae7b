/** From what a visit brought to what is committed of it: clocks moved, robots.txt understood, the URL judged. */
import type { Clock, Instant } from "../base/clock.ts";
import type { HostDeath, HostState } from "../model/host.ts";
import type { Lease, Verdict } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import type { VisitRecord } from "../model/record.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Href } from "../model/url.ts";
import type { Visited } from "../model/visited.ts";
import { type JudgeRules, judge } from "../policy/judge.ts";
import { afterVisit, type Politeness, type VisitKind } from "../policy/politeness.ts";
import { nextRobotsStep, type RobotsRulesOfAccess } from "../policy/robots-access.ts";
import type { Settled } from "../ports/frontier.ts";
import type { Admit } from "./context.ts";
import type { HostEntry, Hosts } from "./hosts.ts";
import { targetOf } from "./permit.ts";

export interface SettleRules {
  readonly politeness: Politeness;
  readonly judge: JudgeRules;
  readonly robots: RobotsRulesOfAccess;
  /** Times in a row that a host may be out of reach before its URLs end. */
  readonly tries: number;
  /** Admit the sitemaps that robots.txt names. */
  readonly sitemaps: boolean;
}

export interface SettleContext {
  readonly hosts: Hosts;
  readonly clock: Clock;
  /** 0 <= x < 1: the jitter of back-offs. */
  readonly random: () => number;
  readonly admit: Admit;
  readonly rules: SettleRules;
}

export interface Outcome {
  readonly settled: Settled;
  readonly hosts: readonly HostState[];
  readonly robots: RobotsCopy | null;
}

/** Give up a host after so many more failures in a row than a URL has tries. */
const HOST_PATIENCE = 2;
/** A stale robots.txt serves so long before the next attempt at a new one, in ms. */
const STALE_SERVES_MS = 3_600_000;

export function settleVisit(visited: Visited, context: SettleContext): Outcome {
  const { hosts, rules, random } = context;
  const entry = hosts.get(visited.lease.url.host);
  const target = targetOf(visited.href, entry, hosts);
  moveClocks(target, visited, rules.politeness, random());
  const outcome =
    visited.task === "robots" ? settleRobots(visited, entry, context) : settlePage(visited, entry, context);
  const states = target === entry ? [entry.state] : [entry.state, target.state];
  return {
    robots: outcome.robots,
    hosts: states,
    settled: {
      lease: visited.lease,
      verdict: outcome.verdict,
      hostReadyAt: entry.state.readyAt,
      record: recordOf(visited, outcome.verdict),
      links: outcome.links,
    },
  };
}

interface Half {
  readonly verdict: Verdict;
  readonly links: readonly NewUrl[];
  readonly robots: RobotsCopy | null;
}

function moveClocks(host: HostEntry, visited: Visited, politeness: Politeness, random: number): void {
  const { outcome, startedAt, endedAt } = visited;
  const kind = visitKind(visited);
  const retryAfter = outcome.kind === "answer" ? outcome.retryAfter : null;
  const robotsDelayMs = host.robots?.rules.crawlDelayMs ?? 0;
  const after = afterVisit(host.state, { startedAt, endedAt, kind, retryAfter, robotsDelayMs, random }, politeness);
  host.state = { ...after, address: visited.address, requests: host.state.requests + 1 };
  if (kind === "ok") {
    host.unreachable = 0;
    host.backoffSays = "";
  } else {
    const what = outcome.kind === "answer" ? String(outcome.status) : outcome.cause;
    host.backoffSays = retryAfter === null ? what : `${what}, Retry-After: ${retryAfter}`;
  }
}

function visitKind({ outcome }: Visited): VisitKind {
  if (outcome.kind === "failure") return outcome.cause === "connect" ? "refused" : "failed";
  if (outcome.status === 429) return "rate-limited";
  return outcome.status === 503 || outcome.challenge !== null ? "unavailable" : "ok";
}

function settlePage(visited: Visited, entry: HostEntry, context: SettleContext): Half {
  const { rules, random } = context;
  const { outcome, lease } = visited;
  if (outcome.kind === "failure" && UNREACHABLE.has(outcome.cause)) {
    if (++entry.unreachable >= rules.tries + HOST_PATIENCE) giveUp(entry, outcome.cause as HostDeath);
  }
  const verdict = judge(visited, { hostReadyAt: entry.state.readyAt, random: random() }, rules.judge);
  const followed = verdict.kind === "follow" || (verdict.kind === "end" && verdict.end === "redirect-loop");
  return { verdict, links: followed || lease === null ? [] : visited.links, robots: null };
}

const UNREACHABLE: ReadonlySet<string> = new Set(["connect", "timeout", "tls"]);

function settleRobots(visited: Visited, entry: HostEntry, context: SettleContext): Half {
  const { hosts, rules, admit } = context;
  const hops = entry.robotsHop?.hops ?? 0;
  entry.robotsHop = null;
  const step = nextRobotsStep(visited, hops, rules.robots);
  if (step.kind === "hop") {
    entry.robotsHop = { href: step.href, hops: hops + 1 };
    return AGAIN;
  }
  if (step.copy.access === "unreachable") return { ...AGAIN, ...robotsOutOfReach(visited, entry, context) };
  entry.robots = hosts.inForce(step.copy);
  entry.unreachable = 0;
  const links: NewUrl[] = [];
  if (rules.sitemaps)
    for (const sitemap of entry.robots.rules.sitemaps) {
      const url = admit(sitemap, visited.lease.url.href, SITEMAP_OF_ROBOTS);
      if (url !== null) links.push(url);
    }
  return { verdict: { kind: "again" }, links, robots: step.copy };
}

const AGAIN: Half = { verdict: { kind: "again" }, links: [], robots: null };
const SITEMAP_OF_ROBOTS = { via: 0, depth: 0, hops: 0, source: "sitemap", ofSeed: false } as const;

/** RFC 9309 2.3.1.4: no answer means "all is disallowed" for now; an old copy may serve, else the host waits. */
function robotsOutOfReach(visited: Visited, entry: HostEntry, { rules, clock }: SettleContext): { verdict: Verdict } {
  const now = clock.now();
  if (entry.robots !== null && entry.robots.copy.access !== "unreachable") {
    entry.robots = { ...entry.robots, validUntil: now + STALE_SERVES_MS };
    return { verdict: { kind: "again" } };
  }
  const { outcome } = visited;
  const cause = outcome.kind === "failure" && UNREACHABLE.has(outcome.cause) ? outcome.cause : "robots-unreachable";
  const says = outcome.kind === "failure" ? outcome.detail : `robots.txt answered ${outcome.status}`;
  return { verdict: hostFailed(entry, cause as HostDeath, says, rules.tries) };
}

/** One more failure of a host that could not be spoken to at all: wait for it, or give it up. */
function hostFailed(entry: HostEntry, cause: HostDeath, says: string, tries: number): Verdict {
  entry.backoffSays = says;
  if (++entry.unreachable < tries) return { kind: "again" };
  giveUp(entry, cause);
  return { kind: "end", end: cause, detail: says };
}

function giveUp(entry: HostEntry, cause: HostDeath): void {
  entry.state = { ...entry.state, dead: cause };
}

/** A lease that ended without a request: denied, out of budget, or its host has no usable address. */
export function settleUnvisited(
  lease: Lease,
  why:
    | { readonly kind: "end"; readonly end: import("../model/end.ts").EndReason; readonly detail: string }
    | { readonly kind: "unreachable"; readonly cause: HostDeath; readonly detail: string; readonly dead: boolean },
  context: SettleContext,
): Outcome {
  const { hosts, clock, random, rules } = context;
  const now = clock.now();
  const entry = hosts.get(lease.url.host);
  if (why.kind === "end") {
    const verdict = { kind: "end", end: why.end, detail: why.detail } as const;
    return unvisited(lease, verdict, entry.state.readyAt, now, []);
  }
  if (why.dead) giveUp(entry, why.cause);
  const asked = { startedAt: now, endedAt: now, kind: "failed", retryAfter: null, robotsDelayMs: 0 } as const;
  entry.state = afterVisit(entry.state, { ...asked, random: random() }, rules.politeness);
  const verdict: Verdict = why.dead
    ? { kind: "end", end: why.cause, detail: why.detail }
    : hostFailed(entry, why.cause, why.detail, rules.tries);
  return unvisited(lease, verdict, entry.state.dead === null ? entry.state.readyAt : now, now, [entry.state]);
}

function unvisited(
  lease: Lease,
  verdict: Verdict,
  hostReadyAt: Instant,
  now: Instant,
  hosts: readonly HostState[],
): Outcome {
  const record =
    verdict.kind === "end" ? { ...NO_VISIT, ...basics(lease, verdict), startedAt: now, endedAt: now } : null;
  return { settled: { lease, verdict, hostReadyAt, record, links: [] }, hosts, robots: null };
}

const NO_VISIT = {
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
} as const;

function basics(lease: Lease, verdict: Verdict): Pick<VisitRecord, "urlId" | "href" | "end" | "detail" | "attempt"> {
  const { url, attempt } = lease;
  const end = verdict.kind === "end" ? verdict.end : verdict.kind === "follow" ? "follow" : "retry";
  const detail = verdict.kind === "end" ? (verdict.detail ?? null) : verdict.kind === "retry" ? verdict.reason : null;
  return { urlId: url.id, href: url.href, end, detail, attempt };
}

function recordOf(visited: Visited, verdict: Verdict): VisitRecord | null {
  if (verdict.kind === "again") return null;
  const { outcome, lease } = visited;
  const common = {
    ...NO_VISIT,
    ...basics(lease, verdict),
    startedAt: visited.startedAt,
    endedAt: visited.endedAt,
    address: visited.address,
    robotsId: visited.robotsId,
  };
  // What ended a URL while its robots.txt was fetched is no answer of the URL's own.
  if (outcome.kind === "failure" || visited.task === "robots") return common;
  return {
    ...common,
    status: outcome.status,
    contentType: outcome.contentType === "" ? null : outcome.contentType,
    bytes: outcome.bytes,
    redirectTo: outcome.location as Href | null,
    etag: outcome.etag,
    lastModified: outcome.lastModified,
    capture: visited.capture,
    page: visited.page,
  };
}
