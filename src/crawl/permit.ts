/**
 * Whether a leased URL may be asked for now: robots.txt, name, address guard, host and address clocks. A permit holds
 * one turn on its address and one place on its host (two hosts, when robots.txt was redirected); `settle` gives them back.
 * Where a protocol module fetches there is but the host's clock: no robots.txt, no address, no cookies.
 */
import type { Clock, Instant } from "../base/clock.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import type { EndReason } from "../model/end.ts";
import { type HostDeath, type HostKey, isWebHost } from "../model/host.ts";
import type { Lease, LeasedUrl } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import { type Href, parseUrl } from "../model/url.ts";
import type { Errand } from "../model/visited.ts";
import type { BudgetRules } from "../policy/budget.ts";
import type { ConditionalRules } from "../policy/conditional.ts";
import { decide } from "../policy/robots.ts";
import { robotsInForce } from "../policy/robots-access.ts";
import { FEEDBACK, trapText } from "../policy/traps.ts";
import type { Cookies } from "../ports/cookies.ts";
import type { StateQueries } from "../ports/frontier.ts";
import type { AddressGuard, Resolver } from "../ports/resolver.ts";
import type { Turns } from "../ports/turns.ts";
import { heldOf } from "./again.ts";
import type { Feedback } from "./feedback.ts";
import { tryAgain } from "./host-failure.ts";
import { type HostEntry, type Hosts, tierOfHost } from "./hosts.ts";
import type { Hrefs } from "./hrefs.ts";
import type { SoftNotFound } from "./soft-404.ts";

export type Permit =
  | { readonly kind: "go"; readonly errand: Errand }
  /** The URL ends here; nothing was asked. */
  | Refusal
  | Unreachable
  /** Not its turn after all: back to the frontier. */
  | { readonly kind: "later"; readonly hostReadyAt: Instant; readonly hostTier?: number };

/** `dropped`: a rule says so that the next run may not have. */
export interface Refusal {
  readonly kind: "end";
  readonly end: EndReason;
  readonly detail: string;
  readonly dropped?: boolean;
}

/** A host cannot be spoken to now; `dead` says that it never can. */
export interface Unreachable {
  readonly kind: "unreachable";
  readonly cause: HostDeath;
  readonly detail: string;
  readonly dead: boolean;
  /** Set when it is not the URL's own host, but one that its robots.txt was redirected to: where to. */
  readonly robotsHop: Href | null;
}

export interface PermitRules {
  readonly obeyRobots: boolean;
  readonly hostConcurrency: number;
  /** No request takes longer, in ms. */
  readonly requestMs: number;
  /** Pages asked of one host, and of all hosts of one registrable domain (null: no limit), earlier runs included. */
  readonly maxPerHost: number;
  readonly maxPerDomain: number | null;
  readonly budget: BudgetRules;
  readonly conditional: ConditionalRules;
}

export interface PermitContext {
  readonly hosts: Hosts;
  readonly resolver: Resolver;
  readonly guard: AddressGuard;
  readonly turns: Turns;
  readonly cookies: Cookies;
  readonly hrefs: Pick<Hrefs, "of">;
  readonly captures: Pick<StateQueries, "visitsOf">;
  readonly clock: Clock;
  readonly feedback: Feedback;
  readonly softNotFound: SoftNotFound;
  readonly rules: PermitRules;
  /** Judges a queued URL anew, where it may have been admitted under other rules than today's. */
  readonly recheck?: (url: LeasedUrl) => NewUrl["drop"] | null | Promise<NewUrl["drop"] | null>;
}

/** A host that is busy although the frontier thought it free is looked at again after so long, in ms. */
const BUSY_AGAIN_MS = 50;

/** A host of a doubtful domain waits so long for what the domain's other hosts bring, in ms. */
const UNKNOWN_AGAIN_MS = 1_000;

/** A host that has had its pages is left alone in this run; its URLs stay queued, for one with a higher limit. */
const SET_ASIDE = Number.POSITIVE_INFINITY;

export async function permit(lease: Lease, context: PermitContext, signal: AbortSignal): Promise<Permit> {
  const { hosts, rules, clock } = context;
  const entry = hosts.get(lease.url.host);
  const isNew = lease.previous === null;
  const drop = context.recheck === undefined ? null : await context.recheck(lease.url);
  if (drop != null)
    // What has been visited before keeps its visits, and ends like any other.
    return { kind: "end", end: drop.reason, detail: drop.detail ?? "", dropped: isNew && lease.attempt === 1 };
  while (entry.robotsHop !== null && !hosts.has(hostAsked(entry.robotsHop.href, entry)))
    await hosts.load([hostAsked(entry.robotsHop.href, entry)]);
  // From here to `hold` nothing is waited for: what is counted as open is what others that are permitted now have seen.
  if (!isNew) tryAgain(entry, clock.now());
  const { state } = entry;
  if (state.dead !== null) return { kind: "end", end: state.dead, detail: "the host was given up" };
  const left = isNew ? pagesLeft(entry, rules, hosts.crawlers) : 1;
  if (left <= 0) {
    // What is open may be given back: until it has ended the host only waits.
    const open = Math.max(entry.open, entry.domain?.open ?? 0);
    return { kind: "later", hostReadyAt: open > 0 ? clock.now() + BUSY_AGAIN_MS : SET_ASIDE };
  }

  const hostTier = tierOfHost(entry, rules.budget);
  // The frontier has forgotten it, or another host of the domain has spent the budget: maybe somebody else comes first.
  if (lease.tier < hostTier) return { kind: "later", hostReadyAt: clock.now(), hostTier };

  context.feedback.recall(state);
  const pattern =
    isNew && lease.attempt === 1 ? context.feedback.refusal(lease.url, state.requests, clock.now()) : null;
  if (pattern === "later") return { kind: "later", hostReadyAt: clock.now() + UNKNOWN_AGAIN_MS };
  if (pattern !== null)
    return { kind: "end", end: "trap", detail: trapText({ rule: FEEDBACK, saw: pattern }), dropped: true };

  const ofWeb = isWebHost(lease.url.host);
  const obeyRobots = rules.obeyRobots && ofWeb;
  const robots = obeyRobots ? entry.robots : null;
  const inForce = robots === null ? null : robotsInForce(robots.history, clock.now());
  const needsRobots =
    obeyRobots &&
    (inForce === null ||
      inForce.access === "unreachable" ||
      (robots!.history.latest.expiresAt <= clock.now() && !entry.pageNext));
  if (!needsRobots && inForce?.access === "rules") {
    const decision = decide(robots!.rules, lease.url.href);
    if (!decision.allowed) {
      const where = decision.line === null ? "robots.txt" : `robots.txt line ${decision.line}`;
      return { kind: "end", end: "robots", detail: `${where}: ${decision.rule}` };
    }
  }
  if (needsRobots && entry.robotsOpen) return { kind: "later", hostReadyAt: clock.now() + BUSY_AGAIN_MS };

  const href = needsRobots ? (entry.robotsHop?.href ?? (`${lease.url.host}/robots.txt` as Href)) : lease.url.href;
  const target = targetOf(href, entry, hosts);
  const hostsAsked = target === entry ? [entry] : [entry, target];
  const busyUntil = busy(hostsAsked, rules.hostConcurrency, clock.now());
  if (busyUntil !== null) return { kind: "later", hostReadyAt: busyUntil };

  hold(entry, target, needsRobots);
  const via = needsRobots ? null : await context.hrefs.of(lease.url.via);
  const held = needsRobots ? null : await heldOf(lease, state.again, context.captures, rules.conditional);
  if (!ofWeb) {
    const nothing = { address: "", robotsId: 0, cookie: null, held: null } as const;
    const beginBy = lease.expiresAt - rules.requestMs;
    return { kind: "go", errand: { ...nothing, lease, task: "page", href, via, beginBy } };
  }
  const address = await addressOf(target.hostname, context);
  if (!address.ok) {
    release(entry, target, needsRobots);
    return { kind: "unreachable", robotsHop: target === entry ? null : href, ...address.error };
  }
  // Who waited for longer would ask for nothing: the lease goes back while it is good, and no attempt is counted.
  const turn = await context.turns.take(address.value, lease.expiresAt - rules.requestMs, signal);
  if (!turn.granted) {
    release(entry, target, needsRobots);
    return { kind: "later", hostReadyAt: turn.tryAt };
  }
  // While it waited in line another request to the host may have ended, maybe with a 429.
  const readyAt = Math.max(...hostsAsked.map(({ state }) => state.readyAt));
  if (readyAt > clock.now()) {
    context.turns.give(address.value, clock.now());
    release(entry, target, needsRobots);
    return { kind: "later", hostReadyAt: readyAt };
  }
  const robotsId = inForce?.copy.id ?? 0;
  const beginBy = Math.min(lease.expiresAt, turn.until) - rules.requestMs;
  const errand = { lease, address: address.value, robotsId, cookie: null, via: null, held: null, beginBy };
  if (needsRobots) return { kind: "go", errand: { ...errand, task: "robots", href } };
  entry.pageNext = false;
  const probe = probeFor(lease.url, entry, context);
  if (probe !== null) return { kind: "go", errand: { ...errand, task: "probe", href: probe } };
  const cookie = context.cookies.header(lease.url, href);
  return { kind: "go", errand: { ...errand, task: "page", href, cookie, via, held } };
}

/** A page that cannot exist, to be asked for in the URL's turn, where the host looks suspicious and robots.txt allows it. */
function probeFor(url: LeasedUrl, { robots }: HostEntry, { softNotFound, rules }: PermitContext): Href | null {
  if (url.source === "sitemap") return null;
  const probe = softNotFound.probe(url.host);
  if (probe === null || !rules.obeyRobots || robots === null) return probe;
  return decide(robots.rules, probe).allowed ? probe : null;
}

/** The host that is really spoken to: another one, when robots.txt was redirected there. */
export function targetOf(href: Href, entry: HostEntry, hosts: Hosts): HostEntry {
  const host = hostAsked(href, entry);
  return host === entry.state.host ? entry : hosts.get(host);
}

function hostAsked(href: Href, { state: { host } }: HostEntry): HostKey {
  if (href.startsWith(`${host}/`)) return host;
  const parsed = parseUrl(href);
  return parsed.ok ? parsed.value.host : host;
}

/**
 * Of the most that the host and its domain may be asked for, what is open counted as asked. What is left of a domain all
 * crawlers share, since what is open with the others is not known.
 */
function pagesLeft(
  { state, open, domain }: HostEntry,
  { maxPerHost, maxPerDomain }: PermitRules,
  crawlers: number,
): number {
  const ofHost = maxPerHost - state.requests - open;
  if (domain === null || maxPerDomain === null) return ofHost;
  return Math.min(ofHost, Math.ceil((maxPerDomain - domain.requests) / crawlers) - domain.open);
}

function hold(entry: HostEntry, target: HostEntry, forRobots: boolean): void {
  entry.open++;
  if (target !== entry) target.open++;
  // The request is the target's, whoever wants its answer.
  if (target.domain !== null) target.domain.open++;
  if (forRobots) entry.robotsOpen = true;
}

/** Gives back what a permit held on its hosts. */
export function release(entry: HostEntry, target: HostEntry, forRobots: boolean): void {
  entry.open--;
  if (target !== entry) target.open--;
  if (target.domain !== null) target.domain.open--;
  if (forRobots) entry.robotsOpen = false;
}

/** When to come back, if one of the hosts is not free now; null when all are. */
function busy(entries: readonly HostEntry[], atOnce: number, now: Instant): Instant | null {
  let until: Instant | null = null;
  for (const entry of entries) {
    if (entry.state.readyAt > now) until = Math.max(until ?? 0, entry.state.readyAt);
    // A host that asks for a pause between requests does not mean several at once.
    const most = (entry.robots?.rules.crawlDelayMs ?? 0) > 0 ? 1 : atOnce;
    if (entry.open >= most) until = Math.max(until ?? 0, now + BUSY_AGAIN_MS);
  }
  return until;
}

type NoAddress = { readonly cause: HostDeath; readonly detail: string; readonly dead: boolean };

/** The first address of the name that may be spoken to. A forbidden address is never used, whatever stands beside it. */
async function addressOf(
  hostname: string,
  { resolver, guard }: Pick<PermitContext, "resolver" | "guard">,
): Promise<Result<string, NoAddress>> {
  const found = await resolver.resolve(hostname);
  if (!found.ok) return err({ cause: "dns", detail: found.error.detail, dead: found.error.kind === "none" });
  let refused = "";
  for (const address of found.value) {
    const why = guard(address);
    if (why === null) return ok(address);
    refused = `${address}: ${why}`;
  }
  return err({ cause: "refused-address", detail: refused, dead: true });
}
