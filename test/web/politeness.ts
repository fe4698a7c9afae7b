/** Politeness, judged from the server's side: the smallest gaps kept, and the requests that robots.txt denied. */
import { type LogEntry, type RequestEntry, requestsOf } from "./log.ts";
import { allows, type RobotsGroup } from "./robots.ts";

export interface Gap {
  /** From the end of every earlier request to the start of `after`, in ms; negative when they overlapped. */
  readonly ms: number;
  readonly before: RequestEntry;
  readonly after: RequestEntry;
}

export interface SmallestGaps {
  readonly hosts: ReadonlyMap<string, Gap>;
  readonly addresses: ReadonlyMap<string, Gap>;
}

/** The smallest gap of each host and of each address with two requests or more. robots.txt counts as any request. */
export function smallestGaps(log: readonly LogEntry[]): SmallestGaps {
  const requests = requestsOf(log).sort((a, b) => a.startedAt - b.startedAt);
  return { hosts: gapsBy(requests, (entry) => entry.host), addresses: gapsBy(requests, (entry) => entry.address) };
}

/** The smallest of all; null when nothing was asked twice. */
export function smallestGap(gaps: ReadonlyMap<string, Gap>): Gap | null {
  let smallest: Gap | null = null;
  for (const gap of gaps.values()) if (smallest === null || gap.ms < smallest.ms) smallest = gap;
  return smallest;
}

function gapsBy(requests: readonly RequestEntry[], key: (entry: RequestEntry) => string): Map<string, Gap> {
  const endOf = (entry: RequestEntry): number => entry.endedAt ?? Number.POSITIVE_INFINITY;
  const latest = new Map<string, RequestEntry>();
  const gaps = new Map<string, Gap>();
  for (const after of requests) {
    const name = key(after);
    const before = latest.get(name);
    if (before !== undefined) {
      const ms = after.startedAt - endOf(before);
      if (ms < (gaps.get(name)?.ms ?? Number.POSITIVE_INFINITY)) gaps.set(name, { ms, before, after });
    }
    if (before === undefined || endOf(after) > endOf(before)) latest.set(name, after);
  }
  return gaps;
}

/** Requests for what the host's robots.txt forbids to the agent, by a reading of the rules that is not the crawler's own. */
export function deniedRequests(
  log: readonly LogEntry[],
  robotsByHost: ReadonlyMap<string, readonly RobotsGroup[]>,
): RequestEntry[] {
  return requestsOf(log).filter((entry) => {
    const groups = robotsByHost.get(entry.host);
    return groups !== undefined && !allows(groups, entry.agent, entry.path);
  });
}

/** Requests to a host before an answer to its /robots.txt had been given. */
export function requestsBeforeRobots(log: readonly LogEntry[]): RequestEntry[] {
  const known = new Map<string, number>();
  for (const entry of requestsOf(log))
    if (entry.path === "/robots.txt" && entry.endedAt !== null && !known.has(entry.host))
      known.set(entry.host, entry.endedAt);
  return requestsOf(log).filter(
    (entry) => entry.path !== "/robots.txt" && entry.startedAt < (known.get(entry.host) ?? Number.POSITIVE_INFINITY),
  );
}

/** Requests to a host within the time that a 429 or 503 had asked it to be left alone for (`ms` after that answer). */
export function requestsTooSoon(log: readonly LogEntry[], ms: number): RequestEntry[] {
  const until = new Map<string, number>();
  const soon: RequestEntry[] = [];
  for (const entry of requestsOf(log).sort((a, b) => a.startedAt - b.startedAt)) {
    if (entry.startedAt < (until.get(entry.host) ?? 0)) soon.push(entry);
    const asked = entry.status === 429 || entry.status === 503;
    if (asked && entry.endedAt !== null)
      until.set(entry.host, Math.max(until.get(entry.host) ?? 0, entry.endedAt + ms));
  }
  return soon;
}
