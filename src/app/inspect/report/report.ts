/** `trawl report`: how polite a crawl has been, from the recorded times of its requests, what its hosts and domains have had, what it took for traps, and what it may have lost. */
import type { DomainCounts } from "../../../ports/domain-counts.ts";
import type { Frontier, StateQueries } from "../../../ports/frontier.ts";
import type { CrawlConfig } from "../../config/crawl-config.ts";
import { count, counted, span, timeOfDay } from "../../wording.ts";
import { type Budgeted, type Budgets, budgetLine, budgetsOf, domainLines } from "./budgets.ts";
import { type Breach, type Gaps, gapsOf, type KeptGap, type Pace } from "./gaps.ts";
import { pacesOf } from "./paces.ts";
import { lossWords, type SeenLoss, seenLoss } from "./seen-loss.ts";
import { type TrapCount, trapCounts } from "./traps.ts";

export interface CrawlReport extends Gaps {
  readonly dir: string;
  /** What was promised, in order of time. */
  readonly paces: readonly Pace[];
  /** URLs left out as traps, by rule. */
  readonly traps: readonly TrapCount[];
  /** How URLs were told from those seen before, and what that has cost. */
  readonly seen: SeenLoss;
  readonly budgets: Budgets;
}

const SHOWN = 5;
const TRAPS_SHOWN = 20;

/** Reads every recorded visit twice. `counts`: see `CrawlView.domains`. */
export async function reportOn(
  state: Pick<StateQueries, "fact" | "requests" | "endedAs" | "endCounts" | "topHosts"> & Pick<Frontier, "pending">,
  config: Pick<CrawlConfig, "delay" | "hostConcurrency"> & Budgeted,
  dir: string,
  counts: Pick<DomainCounts, "of"> | null,
): Promise<CrawlReport> {
  const paces = await pacesOf(state, config);
  const traps = await trapCounts(state.endedAs("trap"));
  const [seen, budgets] = [await seenLoss(state), await budgetsOf(state, config, counts)];
  return { dir, paces, seen, budgets, ...(await gapsOf(state.requests(), paces)), traps };
}

export function reportLines(report: CrawlReport): string[] {
  const { requests, hosts, addresses, breaches, firstBreaches } = report;
  const more = breaches - firstBreaches.length;
  return [
    report.dir,
    `  requests   ${count(requests)} to ${counted(hosts.length, "host")} on ${counted(addresses.length, "address", "addresses")}, robots.txt included`,
    ...report.paces.map((pace, i) => `  ${i === 0 ? "promised " : "         "}  ${promise(pace, i > 0)}`),
    `  hosts      ${smallest(hosts)}`,
    `  addresses  ${smallest(addresses)}`,
    `  breaches   ${breaches === 0 ? "none" : count(breaches)}`,
    ...firstBreaches.map((breach) => `  BREACH     ${breachWords(breach)}`),
    ...(more > 0 ? [`  BREACH     and ${count(more)} more`] : []),
    `  lost       ${lossWords(report.seen) ?? `no URL by being taken for another (--seen ${report.seen.kind})`}`,
    budgetLine(report.budgets),
    ...closest("Closest hosts:", hosts),
    ...closest("Closest addresses:", addresses),
    ...domainLines(report.budgets),
    ...trapLines(report.traps),
  ];
}

function promise({ gapMs, atOnce, from }: Pace, later: boolean): string {
  const since = later ? `, since ${new Date(from).toISOString()}` : "";
  if (gapMs === null) return "nothing of what was imported: others asked for it";
  const open = atOnce === 1 ? "" : `, at most ${count(atOnce)} at a time`;
  return `${span(gapMs)} between requests to one host, and to one address${open}${since}`;
}

function smallest(gaps: readonly KeptGap[]): string {
  const [first] = gaps;
  if (first === undefined || first.smallestMs === null)
    return gaps.some(({ requests }) => requests > 1) ? "no gap that was ours to keep" : "none was asked twice";
  return `smallest gap ${exact(first.smallestMs)}, ${first.name}`;
}

function closest(heading: string, gaps: readonly KeptGap[]): string[] {
  const shown = gaps.filter(({ smallestMs }) => smallestMs !== null).slice(0, SHOWN);
  if (shown.length < 2) return [];
  const widths = Math.max(...shown.map(({ smallestMs }) => exact(smallestMs!).length));
  const line = ({ name, smallestMs, requests }: KeptGap) =>
    `  ${exact(smallestMs!).padStart(widths)}  ${name}, ${counted(requests, "request")}`;
  return [heading, ...shown.map(line)];
}

function trapLines(traps: readonly TrapCount[]): string[] {
  if (traps.length === 0) return [];
  const shown = traps.slice(0, TRAPS_SHOWN);
  const [wide, long] = [
    Math.max(...shown.map(({ urls }) => count(urls).length)),
    Math.max(...shown.map(({ rule }) => rule.length)),
  ];
  const more = traps.slice(TRAPS_SHOWN).reduce((sum, { urls }) => sum + urls, 0);
  return [
    "Left out as traps, by rule, with the first of each:",
    ...shown.map(({ rule, urls, sample }) => `  ${count(urls).padStart(wide)}  ${rule.padEnd(long)}  ${sample}`),
    ...(more > 0 ? [`  and ${count(more)} by other rules`] : []),
  ];
}

function breachWords({ name, gapMs, promisedMs, at, href, before }: Breach): string {
  const when = timeOfDay(at, 0);
  return `${name} was asked for ${href} ${exact(gapMs)} after ${before} (${exact(promisedMs)} promised), ${when}`;
}

const exact = (ms: number): string => `${count(Math.floor(ms))} ms`;
