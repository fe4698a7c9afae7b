/** What is said while a crawl runs: one line for a log file, or a few lines that a terminal redraws. Pure. */
import { never } from "../base/result.ts";
import type { CrawlStats, Waiting } from "../model/stats.ts";
import { count, counted, rate, size, span, timeOfDay } from "./wording.ts";

/** One line that stands on its own, for output that is no terminal. */
export function plainLine(stats: CrawlStats): string {
  return [
    `[${span(stats.at - stats.startedAt)}] ${pages(stats)}`,
    rate(stats.rateNow),
    `${count(stats.failed)} failed`,
    `${count(stats.queued + stats.delayed)} queued`,
    `${count(stats.leased)} open`,
    counted(stats.hosts, "host"),
    size(stats.bytes),
    ...remaining(stats),
    ...(stats.paused ? ["paused (trawl resume)"] : []),
    ...(stats.waiting === null ? [] : [`waiting: ${waitingFor(stats.waiting, stats.at)}`]),
  ].join(", ");
}

/** Two to four lines, none longer than `width` columns. */
export function statusLines(stats: CrawlStats, width: number): string[] {
  const bar = (parts: readonly string[]): string => fit(parts.join(" · "), width);
  const lines = [
    bar([
      pages(stats),
      `${rate(stats.rateNow)} now, ${rate(stats.rateMean)} mean`,
      size(stats.bytes),
      `${count(stats.failed)} failed`,
    ]),
    bar([
      `${count(stats.queued)} queued`,
      `${count(stats.leased)} open`,
      ...(stats.delayed > 0 ? [`${count(stats.delayed)} to retry`] : []),
      counted(stats.hosts, "host"),
    ]),
    bar([span(stats.at - stats.startedAt), ...remaining(stats), ...(stats.paused ? ["paused (trawl resume)"] : [])]),
  ];
  if (stats.waiting !== null) lines.push(fit(`waiting: ${waitingFor(stats.waiting, stats.at)}`, width));
  return lines;
}

const pages = ({ fetched, limit }: CrawlStats): string =>
  limit === null ? counted(fetched, "page") : `${count(fetched)} of ${counted(limit, "page")}`;

/** The time left, when a limit sets one: by the pages still wanted at the mean rate, or by the clock, whichever is less. */
function remaining(stats: CrawlStats): string[] {
  const byLimit =
    stats.limit !== null && stats.rateMean > 0
      ? (Math.max(stats.limit - stats.fetched, 0) / stats.rateMean) * 1_000
      : Number.POSITIVE_INFINITY;
  const byClock = stats.deadline === null ? Number.POSITIVE_INFINITY : Math.max(stats.deadline - stats.at, 0);
  if (byClock <= byLimit && stats.deadline !== null) return [`time limit in ${span(byClock)}`];
  return Number.isFinite(byLimit) ? [`about ${span(byLimit)} left, or less if the site ends`] : [];
}

function waitingFor(waiting: Waiting, now: number): string {
  const host = new URL(waiting.host).host;
  const until = timeOfDay(waiting.until, now);
  const detail = waiting.detail === "" ? "" : ` (${waiting.detail})`;
  switch (waiting.cause) {
    case "backoff":
      return `${host} backs off until ${until}${detail}`;
    case "retry":
      return `a URL of ${host} is tried again at ${until}${detail}`;
    case "delay":
      return `${host} may be asked again at ${until}${detail}`;
    default:
      return never(waiting.cause);
  }
}

const fit = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);
