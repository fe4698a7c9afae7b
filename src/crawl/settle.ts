/** From what a visit brought to what is committed of it: clocks moved, robots.txt understood, the URL judged. */
import type { Clock, Instant } from "../base/clock.ts";
import type { HostDeath, HostState } from "../model/host.ts";
import type { Lease, Verdict } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import { NO_ANSWER, type VisitRecord } from "../model/record.ts";
import type { RequestRecord } from "../model/request.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Href } from "../model/url.ts";
import type { Visited } from "../model/visited.ts";
import { type JudgeRules, judge } from "../policy/judge.ts";
import { afterVisit, type Politeness, type VisitKind } from "../policy/politeness.ts";
import { accessOf, MOST_ROBOTS_REDIRECTS, robotsExpiry, robotsInForce } from "../policy/robots-access.ts";
import type { Cookies } from "../ports/cookies.ts";
import type { Settled } from "../ports/frontier.ts";
import type { Admission } from "./context.ts";
import { type CopyOf, type Duplicates, NO_COPY } from "./duplicates.ts";
import type { HostEntry, Hosts } from "./hosts.ts";
import { type Refusal, targetOf, type Unreachable } from "./permit.ts";
import { isOfSeed } from "./read.ts";

export interface SettleRules {
  readonly politeness: Politeness;
  readonly judge: JudgeRules;
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
  readonly admission: Admission;
  readonly cookies: Cookies;
  readonly duplicates: Pick<Duplicates, "copyOf">;
  readonly rules: SettleRules;
}

export interface Outcome {
  readonly settled: Settled;
  readonly hosts: readonly HostState[];
  readonly robots: RobotsCopy | null;
  /** What was asked, when the URL's own record does not tell. */
  readonly request: RequestRecord | null;
  /** Where a seed was redirected to, when it was. */
  readonly seedMoved: Href | null;
}

/** Give up a host after so many more failures in a row than a URL has tries. */
const HOST_PATIENCE = 2;

export function settleVisit(visited: Visited, context: SettleContext): Outcome {
  const { hosts, rules, random } = context;
  const entry = hosts.get(visited.lease.url.host);
  const target = targetOf(visited.href, entry, hosts);
  const move = () => moveClocks(target, visited, rules.politeness, random());
  let outcome: Half;
  if (visited.task === "robots") {
    outcome = settleRobots(visited, entry, context);
    move(); // by the Crawl-delay that has just been learnt
  } else {
    move();
    outcome = settlePage(visited, entry, context); // no retry is earlier than the host's next time
  }
  const states = target === entry ? [entry.state] : [entry.state, target.state];
  return {
    robots: outcome.robots,
    request: ownRequest(visited, outcome.verdict) ? null : requestOf(visited, target),
    seedMoved: seedMoved(visited, outcome.verdict),
    hosts: states,
    settled: {
      lease: visited.lease,
      verdict: outcome.verdict,
      hostReadyAt: entry.state.readyAt,
      record: recordOf(visited, outcome.verdict, context.duplicates),
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
  if (host.domain !== null) host.domain.requests++;
  if (kind === "ok") {
    // That robots.txt is led elsewhere says nothing yet of whether it can be had.
    if (visited.task === "page") host.unreachable = 0;
    host.backoffSays = "";
  } else {
    const what = outcome.kind === "answer" ? String(outcome.status) : outcome.cause;
    host.backoffSays = retryAfter === null ? what : `${what}, Retry-After: ${retryAfter}`;
  }
}

function visitKind({ outcome, task }: Visited): VisitKind {
  if (outcome.kind === "failure") return outcome.cause === "connect" ? "refused" : "failed";
  if (outcome.status === 429) return "rate-limited";
  // A host whose robots.txt fails is asked for nothing else; it is left alone for a while.
  if (task === "robots" && outcome.status >= 500) return "unavailable";
  return outcome.status === 503 || outcome.challenge !== null ? "unavailable" : "ok";
}

function settlePage(visited: Visited, entry: HostEntry, context: SettleContext): Half {
  const { rules, random } = context;
  const { outcome } = visited;
  if (outcome.kind === "failure" && UNREACHABLE.has(outcome.cause)) {
    if (++entry.unreachable >= rules.tries + HOST_PATIENCE) giveUp(entry, outcome.cause as HostDeath);
  }
  const verdict = judge(visited, { hostReadyAt: entry.state.readyAt, random: random() }, rules.judge);
  if (outcome.kind === "answer")
    context.cookies.keep(visited.lease.url, visited.href, outcome.setCookies, verdict.kind === "follow");
  const followed = verdict.kind === "follow" || (verdict.kind === "end" && verdict.end === "redirect-loop");
  return { verdict, links: followed ? [] : visited.links, robots: null };
}

const UNREACHABLE: ReadonlySet<string> = new Set(["connect", "timeout", "tls"]);

function settleRobots(visited: Visited, entry: HostEntry, context: SettleContext): Half {
  const { hosts, rules, admission } = context;
  const hops = entry.robotsHop?.hops ?? 0;
  entry.robotsHop = null;
  const hop = redirectOf(visited);
  if (hop !== null && hops < MOST_ROBOTS_REDIRECTS) {
    entry.robotsHop = { href: hop, hops: hops + 1 };
    return AGAIN;
  }
  const copy = copyOf(visited, entry);
  entry.robots = hosts.withRobots(entry, copy);
  if (robotsInForce(entry.robots.history, visited.endedAt).access === "unreachable")
    return { verdict: robotsOutOfReach(visited, entry, rules.tries), links: [], robots: copy };
  entry.unreachable = 0;
  const links: NewUrl[] = [];
  if (rules.sitemaps && copy.access === "rules")
    for (const sitemap of entry.robots.rules.sitemaps) {
      const url = admission.admit(sitemap, visited.lease.url.href, SITEMAP_OF_ROBOTS);
      if (url !== null) links.push(url);
    }
  return { verdict: { kind: "again" }, links, robots: copy };
}

const redirectOf = ({ outcome }: Visited): Href | null => (outcome.kind === "answer" ? outcome.location : null);

function copyOf(visited: Visited, entry: HostEntry): RobotsCopy {
  const { outcome, endedAt } = visited;
  const access = robotsAccess(visited);
  return {
    id: 0,
    host: entry.state.host,
    fetchedAt: endedAt,
    expiresAt: robotsExpiry(access, endedAt, entry.robots?.history.latest ?? null, entry.state.backoffUntil),
    access,
    status: outcome.kind === "answer" ? outcome.status : 0,
    failure: outcome.kind === "failure" ? `${outcome.cause}: ${outcome.detail}` : null,
    body: access === "rules" && outcome.kind === "answer" ? (outcome.robotsBody ?? "") : "",
    capture: visited.capture,
    href: visited.href,
  };
}

/** A redirect that is not followed any more, or that leads nowhere, is no robots.txt. */
function robotsAccess({ outcome }: Visited): RobotsCopy["access"] {
  if (outcome.kind === "failure") return accessOf({ kind: "no-answer" });
  const isRedirect = outcome.status >= 300 && outcome.status < 400;
  return accessOf(isRedirect ? { kind: "lost-in-redirects" } : { kind: "answer", status: outcome.status });
}

const AGAIN: Half = { verdict: { kind: "again" }, links: [], robots: null };
const SITEMAP_OF_ROBOTS = { via: 0, depth: 0, hops: 0, source: "sitemap", ofSeed: false } as const;

/** RFC 9309 2.3.1.4: no answer means "all is disallowed" for now: the host waits, and is given up in the end. */
function robotsOutOfReach(visited: Visited, entry: HostEntry, tries: number): Verdict {
  const { outcome } = visited;
  // Nobody there is a fault of the host; an answer that is no robots.txt is a fault of that file.
  const nobody = outcome.kind === "failure" && (outcome.cause === "connect" || outcome.cause === "tls");
  const cause = nobody ? outcome.cause : "robots-unreachable";
  const says = outcome.kind === "failure" ? outcome.detail : `robots.txt answered ${outcome.status}`;
  return hostFailed(entry, cause as HostDeath, says, tries);
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
export function settleUnvisited(lease: Lease, why: Refusal | Unreachable, context: SettleContext): Outcome {
  const { hosts, clock, random, rules } = context;
  const now = clock.now();
  const entry = hosts.get(lease.url.host);
  if (why.kind === "end") {
    const { end, detail, dropped = false } = why;
    const verdict: Verdict = { kind: "end", end, detail, ...(dropped ? { dropped } : {}) };
    return unvisited(lease, verdict, entry.state.readyAt, now, []);
  }
  const kind = why.robotsHop === null ? "failed" : "unavailable";
  const asked = { startedAt: now, endedAt: now, kind, retryAfter: null, robotsDelayMs: 0 } as const;
  entry.state = afterVisit(entry.state, { ...asked, random: random() }, rules.politeness);
  let verdict: Verdict;
  let robots: RobotsCopy | null = null;
  if (why.robotsHop !== null) {
    // The host itself may be in the best of health: it is its robots.txt that cannot be had.
    robots = unreachableCopy(entry, why.robotsHop, `${why.cause}: ${why.detail}`, now);
    entry.robotsHop = null;
    entry.robots = hosts.withRobots(entry, robots);
    const served = robotsInForce(entry.robots.history, now).access !== "unreachable";
    const says = `robots.txt was redirected to ${why.robotsHop}: ${why.detail}`;
    verdict = served ? { kind: "again" } : hostFailed(entry, "robots-unreachable", says, rules.tries);
  } else if (why.dead) {
    giveUp(entry, why.cause);
    verdict = { kind: "end", end: why.cause, detail: why.detail };
  } else verdict = hostFailed(entry, why.cause, why.detail, rules.tries);
  const readyAt = entry.state.dead === null ? entry.state.readyAt : now;
  return { ...unvisited(lease, verdict, readyAt, now, [entry.state]), robots };
}

function unreachableCopy(entry: HostEntry, href: Href, failure: string, now: Instant): RobotsCopy {
  const expiresAt = robotsExpiry("unreachable", now, entry.robots?.history.latest ?? null);
  const nothing = { id: 0, status: 0, body: "", capture: null } as const;
  return { ...nothing, host: entry.state.host, fetchedAt: now, expiresAt, access: "unreachable", failure, href };
}

function unvisited(
  lease: Lease,
  verdict: Verdict,
  hostReadyAt: Instant,
  now: Instant,
  hosts: readonly HostState[],
): Outcome {
  const record =
    verdict.kind === "end" ? { ...NO_ANSWER, ...basics(lease, verdict), startedAt: now, endedAt: now } : null;
  return {
    settled: { lease, verdict, hostReadyAt, record, links: [] },
    hosts,
    robots: null,
    request: null,
    seedMoved: null,
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

function basics(lease: Lease, verdict: Verdict): Pick<VisitRecord, "urlId" | "href" | "end" | "detail" | "attempt"> {
  const { url } = lease;
  const attempt = verdict.kind === "end" && verdict.dropped ? 0 : lease.attempt;
  const end = verdict.kind === "end" ? verdict.end : verdict.kind === "follow" ? "follow" : "retry";
  const detail = verdict.kind === "end" ? (verdict.detail ?? null) : verdict.kind === "retry" ? verdict.reason : null;
  return { urlId: url.id, href: url.href, end, detail, attempt };
}

function recordOf(visited: Visited, verdict: Verdict, duplicates: SettleContext["duplicates"]): VisitRecord | null {
  if (verdict.kind === "again") return null;
  const { outcome, lease, startedAt, endedAt, address, robotsId } = visited;
  const decided = { ...NO_ANSWER, ...basics(lease, verdict), startedAt: endedAt, endedAt, robotsId };
  // What ended a URL while its robots.txt was fetched is no answer of the URL's own: it was never asked for.
  if (visited.task === "robots") return decided;
  const common = { ...decided, startedAt, address };
  if (outcome.kind === "failure") return common;
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
    ...sameAs(visited, verdict, duplicates),
  };
}

/** Pages alone are compared: an error message is like another. */
function sameAs(
  { lease, capture, page, outcome }: Visited,
  verdict: Verdict,
  duplicates: SettleContext["duplicates"],
): CopyOf {
  const isPage = verdict.kind === "end" && verdict.end === "fetched" && outcome.kind === "answer";
  if (!isPage || capture === null || page === null) return NO_COPY;
  return duplicates.copyOf(lease.url.id, outcome.bytes, capture, page);
}
