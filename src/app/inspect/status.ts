/** How a crawl stands, from what is kept of it: `trawl status`. Pure but for the state it asks. */
import type { Instant } from "../../base/clock.ts";
import type { EndReason } from "../../model/end.ts";
import { pagesIn } from "../../model/end.ts";
import { FAILURES } from "../../model/stats.ts";
import type { Pending } from "../../ports/frontier.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import type { CrawlView, Standing } from "../place/view.ts";
import { count, counted, span } from "../wording.ts";
import { crawlersSay, crawlersTable, mastersSay } from "./crawlers.ts";
import { endTable } from "./summary.ts";

const BUSIEST = 5;
/** Where nothing was crawled, no scope left anything out. */
const IMPORTED = { scope: "links of what was imported; a crawl takes those that it wants" };
const SEEDS_SHOWN = 3;
const DAY_MS = 86_400_000;

export interface CrawlStatus extends Standing {
  readonly dir: string;
  readonly seeds: readonly string[];
  /** Nothing is queued, leased or delayed, and nothing of it lost. */
  readonly finished: boolean;
  readonly fetched: number;
  readonly failed: number;
  readonly pending: Pending;
  readonly byEnd: Readonly<Partial<Record<EndReason, number>>>;
  readonly busiest: readonly { readonly host: string; readonly requests: number; readonly pending: number }[];
  /** What comes back; null where nothing is scheduled. */
  readonly due: DueCounts | null;
}

export interface DueCounts {
  /** Due by now, and within a day, what is due now included. */
  readonly now: number;
  readonly day: number;
  readonly nextAt: Instant;
}

export async function statusOf(
  { name, state, config, standing }: Pick<CrawlView, "name" | "state" | "config" | "standing">,
  now: Instant,
): Promise<CrawlStatus> {
  const ends = await state.endCounts();
  const pending = await state.pending();
  const is = await standing();
  let failed = 0;
  for (const [end, n] of ends) if (FAILURES.has(end)) failed += n;
  return {
    dir: name,
    seeds: config?.seeds ?? [],
    ...is,
    finished: pending.queued + pending.leased + pending.delayed === 0 && is.lost === undefined,
    fetched: pagesIn(ends),
    failed,
    pending,
    byEnd: Object.fromEntries(ends),
    busiest: (await state.topHosts(BUSIEST))
      .filter(({ requests, pending }) => requests > 0 || pending > 0)
      .map(({ host, requests, pending }) => ({ host, requests, pending })),
    due: await dueCounts(state, now),
  };
}

async function dueCounts(
  state: Pick<CrawlView["state"], "dueCount" | "nextDueAt">,
  now: Instant,
): Promise<DueCounts | null> {
  const nextAt = await state.nextDueAt();
  if (nextAt === null) return null;
  return { now: await state.dueCount(now), day: await state.dueCount(now + DAY_MS), nextAt };
}

/** `resume`: the command that lets it go on when it is paused. */
export function statusReport(status: CrawlStatus, config: CrawlConfig | null, now: Instant, resume: string): string[] {
  const { seeds, pending, crawlers = [], masters = [], due } = status;
  const more = seeds.length > SEEDS_SHOWN ? ` and ${count(seeds.length - SEEDS_SHOWN)} more` : "";
  return [
    status.dir,
    ...(seeds.length === 0 ? [] : [`  seeds    ${seeds.slice(0, SEEDS_SHOWN).join(" ")}${more}`]),
    ...(config === null ? [] : [`  rules    ${rulesOf(config)}`]),
    `  state    ${stateSays(status)}`,
    ...(status.lost === undefined ? [] : [`  lost     ${status.lost}; all that is told here is of the others`]),
    `  pages    ${count(status.fetched)} fetched, ${count(status.failed)} failed`,
    status.finished
      ? "  to do    nothing: every URL has ended"
      : // What is leased is not told apart: seen from outside it is as old as the last commit.
        `  to do    ${count(pending.queued + pending.leased)} queued, ${count(pending.delayed)} to retry, on ${counted(pending.hosts, "host")}`,
    ...(due === null ? [] : [`  due      ${dueSays(due, now)}`]),
    ...(masters.length === 0 ? [] : mastersSay(masters).map((line) => `  redis    ${line}`)),
    ...(status.paused ? [`  paused   until ${resume}`] : []),
    ...section("Crawlers:", crawlersTable(crawlers, now)),
    ...section("URLs by end:", endTable(status.byEnd, config === null ? IMPORTED : {})),
    ...section(
      "Busiest hosts:",
      status.busiest.map(
        ({ host, requests, pending }) =>
          `  ${host}  ${counted(requests, "request")} for new URLs, ${count(pending)} to do`,
      ),
    ),
  ];
}

function stateSays({ running, crawlers, finished, lost }: CrawlStatus): string {
  if (running) return crawlers === undefined ? "running" : `running: ${crawlersSay(crawlers)}`;
  if (lost !== undefined) return "broken; its own command says what mends it";
  return finished ? "finished" : "stopped; its own command goes on";
}

function dueSays({ now: due, day, nextAt }: DueCounts, now: Instant): string {
  if (day === 0) return `nothing within a day; the next visit in ${span(nextAt - now)}`;
  return `${count(due)} to be visited again now, ${count(day)} within a day`;
}

function rulesOf({ scope, depth, include, exclude, limit }: CrawlConfig): string {
  return [
    `scope ${scope}`,
    `depth ${depth}`,
    ...(include.length === 0 ? [] : [`include ${include.join(" or ")}`]),
    ...(exclude.length === 0 ? [] : [`exclude ${exclude.join(" or ")}`]),
    ...(limit === null ? [] : [`limit ${counted(limit, "page")}`]),
  ].join(", ");
}

const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [heading, ...lines];
