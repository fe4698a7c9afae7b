/** What must hold of a crawl on a cluster when it is over: by its state, by its store, and by the log of the web. */
import { archiveKey } from "../../src/blobs/segments.ts";
import type { Blobs } from "../../src/ports/blobs.ts";
import type { FrontierState } from "../../src/ports/frontier.ts";
import { canonical } from "../e2e/trawl.ts";
import { type LogEntry, requestsOf } from "../web/log.ts";
import { deniedRequests, requestsBeforeRobots, requestsTooSoon, smallestGap, smallestGaps } from "../web/politeness.ts";
import type { SpawnedWeb } from "../web/spawn.ts";

/** Every URL has ended, once, and the pages are those of the embedded crawl. */
export async function faultsOfState(state: FrontierState, pages: ReadonlySet<string>): Promise<string[]> {
  const faults: string[] = [];
  const { queued, leased, delayed } = await state.pending();
  if (queued + leased + delayed > 0) faults.push(`${queued} queued, ${leased} leased, ${delayed} delayed at the end`);
  const ends = new Map<string, number>();
  const fetched: string[] = [];
  /** Of what was not fetched: all that is recorded of it. */
  const others = new Map<string, string>();
  for await (const { id, href, state: standing, visit } of state.urls()) {
    if (standing !== "ended") faults.push(`${href} is ${standing} at the end`);
    const visits = await state.visitsOf(id);
    const all = visits.filter(({ end }) => end !== "retry" && end !== "follow");
    if (all.length !== 1) faults.push(`${href} has ended ${all.length} times: ${all.map(({ end }) => end)}`);
    const end = visit?.end ?? "";
    ends.set(end, (ends.get(end) ?? 0) + 1);
    const story = visits.map((one) => `${one.end} (${one.status ?? ""}, ${one.detail ?? ""}, attempt ${one.attempt})`);
    if (end === "fetched") fetched.push(href);
    else for (const page of canonical([href])) others.set(page, story.join(", "));
  }
  for (const [end, n] of await state.endCounts())
    if (ends.get(end) !== n) faults.push(`${end}: ${n} told, ${ends.get(end) ?? 0} found`);
  const got = canonical(fetched);
  if (got.size !== fetched.length) faults.push(`${fetched.length - got.size} pages were fetched under two names`);
  for (const page of pages)
    if (!got.has(page)) faults.push(`${page} was not fetched: ${others.get(page) ?? "unknown"}`);
  for (const page of got) if (!pages.has(page)) faults.push(`${page} was fetched, and not by the embedded crawl`);
  return faults;
}

/**
 * Archive files have gone up whole, those of the dead too. A crawler that wakes when others have done its work may still send a
 * piece that no commit speaks of; it takes that away when it starts again.
 */
export async function faultsOfStore(state: FrontierState, blobs: Blobs): Promise<string[]> {
  const faults: string[] = [];
  for (const [file, bytes] of await state.marks()) {
    const whole = (await blobs.head(archiveKey(file)))?.bytes ?? 0;
    if (whole !== bytes) faults.push(`${file}: ${bytes} bytes are committed, ${whole} are in the store`);
  }
  return faults;
}

export interface Politeness {
  readonly delayMs: number;
  /** Hosts that ask to be left alone, and for how long. */
  readonly limited: readonly string[];
  readonly retryAfterMs: number;
}

export function faultsOfPoliteness(log: readonly LogEntry[], web: SpawnedWeb, asked: Politeness): string[] {
  const faults: string[] = [];
  const gaps = smallestGaps(log);
  for (const [what, byName] of Object.entries(gaps)) {
    const gap = smallestGap(byName);
    if (gap !== null && gap.ms < asked.delayMs)
      faults.push(
        `${what}: ${gap.after.host}${gap.after.path} at ${gap.after.address} was asked for ${gap.ms.toFixed(1)} ms after ${gap.before.host}${gap.before.path}`,
      );
  }
  for (const { host, path } of deniedRequests(log, web.site.robotsByHost())) faults.push(`${host}${path} is denied`);
  for (const { host, path } of requestsBeforeRobots(log)) faults.push(`${host}${path} before robots.txt`);
  const ofLimited = log.filter((entry) => entry.kind === "request" && asked.limited.includes(entry.host));
  for (const { host, path } of requestsTooSoon(ofLimited, asked.retryAfterMs))
    faults.push(`${host}${path} within its Retry-After`);
  return faults;
}

/** The URLs of which a whole answer had been given before, once for each further time. */
export function fetchedAgain(log: readonly LogEntry[]): readonly string[] {
  const met = new Set<string>();
  const again: string[] = [];
  for (const { status, host, path, page } of requestsOf(log)) {
    if (status !== 200) continue;
    const url = page ?? host + path;
    if (met.has(url)) again.push(url);
    met.add(url);
  }
  return again;
}
