/** A visit to a robots.txt, settled: its redirects, the copy that is kept, and what becomes of a host that has none to give. */
import type { Instant } from "../base/clock.ts";
import type { HostDeath } from "../model/host.ts";
import type { Verdict } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Href } from "../model/url.ts";
import type { Visited } from "../model/visited.ts";
import { accessOf, MOST_ROBOTS_REDIRECTS, robotsExpiry, robotsInForce } from "../policy/robots-access.ts";
import type { Judged, SettleContext } from "./context.ts";
import { hostFailed } from "./host-failure.ts";
import type { HostEntry } from "./hosts.ts";
import type { Unreachable } from "./permit.ts";

export function settleRobots(visited: Visited, entry: HostEntry, context: SettleContext): Judged {
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
  entry.pageNext = true;
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

const AGAIN: Judged = { verdict: { kind: "again" }, links: [], robots: null };
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

/** A robots.txt that is redirected to where nobody can be asked. The host itself may be in the best of health. */
export function robotsLedNowhere(
  entry: HostEntry,
  hop: Href,
  why: Pick<Unreachable, "cause" | "detail">,
  context: SettleContext,
): Judged {
  const { hosts, clock, rules } = context;
  const now = clock.now();
  const robots = unreachableCopy(entry, hop, `${why.cause}: ${why.detail}`, now);
  entry.robotsHop = null;
  entry.robots = hosts.withRobots(entry, robots);
  const served = robotsInForce(entry.robots.history, now).access !== "unreachable";
  entry.pageNext = served;
  const says = `robots.txt was redirected to ${hop}: ${why.detail}`;
  const verdict = served ? AGAIN.verdict : hostFailed(entry, "robots-unreachable", says, rules.tries);
  return { verdict, links: [], robots };
}

function unreachableCopy(entry: HostEntry, href: Href, failure: string, now: Instant): RobotsCopy {
  const expiresAt = robotsExpiry("unreachable", now, entry.robots?.history.latest ?? null);
  const nothing = { id: 0, status: 0, body: "", capture: null } as const;
  return { ...nothing, host: entry.state.host, fetchedAt: now, expiresAt, access: "unreachable", failure, href };
}
