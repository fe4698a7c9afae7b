/** What is said while a crawl runs: one line for a log file, or a few lines that a terminal redraws. Pure. */
import type { CrawlStats, Waiting } from "../../model/stats.ts";
import { count, counted, rate, size, span, timeOfDay } from "../wording.ts";

/** One line that stands on its own, for output that is no terminal. */
export function plainLine(stats: CrawlStats): string {
  return [
    `[${span(stats.at - stats.startedAt)}] ${pages(stats)}`,
    ...sharing(stats),
    ...lookedAgain(stats),
    rate(stats.rateNow),
    `${count(stats.failed)} failed`,
    `${count(stats.queued + stats.delayed)} queued`,
    `${count(stats.leased)} open`,
    counted(stats.hosts, "host"),
    size(stats.bytes),
    ...remaining(stats),
    ...(stats.paused ? ["paused (trawl resume)"] : []),
    ...waitingFor(stats),
  ].join(", ");
}

/** Two to four lines, none longer than `width` columns. */
export function statusLines(stats: CrawlStats, width: number): string[] {
  const bar = (parts: readonly string[]): string => fit(parts.join(" · "), width);
  const lines = [
    bar([
      pages(stats),
      ...sharing(stats),
      ...lookedAgain(stats),
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
  return [...lines, ...waitingFor(stats).map((line) => fit(line, width))];
}

const pages = ({ fetched, limit }: CrawlStats): string =>
  limit === null ? counted(fetched, "page") : `${count(fetched)} of ${counted(limit, "page")}`;

/** What this crawler has of the pages; what is said of rates and bytes is its own too. */
const sharing = ({ shared }: CrawlStats): string[] =>
  shared === null ? [] : [`${count(shared.here)} by this one of ${counted(shared.crawlers, "crawler")}`];

const lookedAgain = ({ again: { looks, changed } }: CrawlStats): string[] =>
  looks === 0 ? [] : [`${count(looks)} looked at again, ${count(changed)} changed`];

/** The time left, when a limit sets one: by the pages still wanted at the mean rate, or by the clock, whichever is less. */
function remaining(stats: CrawlStats): string[] {
  const byLimit =
    stats.limit !== null && stats.rateMean > 0 && stats.shared === null
      ? (Math.max(stats.limit - stats.fetched - stats.again.looks, 0) / stats.rateMean) * 1_000
      : Number.POSITIVE_INFINITY;
  const byClock = stats.deadline === null ? Number.POSITIVE_INFINITY : Math.max(stats.deadline - stats.at, 0);
  if (byClock <= byLimit && stats.deadline !== null) return [`time limit in ${span(byClock)}`];
  return Number.isFinite(byLimit) ? [`about ${span(byLimit)} left, or less if the site ends`] : [];
}

/** The usual pause of a host is not worth a line. */
const SHORT_WAIT_MS = 5_000;

/** What a crawl waits for that has nothing else to do, the time first, for narrow terminals cut the rest; or nothing. */
function waitingFor({ waiting, nextVisitAt, at }: CrawlStats): string[] {
  if (nextVisitAt !== null) return [nextVisitAt <= at ? "next visit now" : `next visit in ${span(nextVisitAt - at)}`];
  if (waiting === null || (waiting.cause === "delay" && waiting.until - at <= SHORT_WAIT_MS)) return [];
  const host = new URL(waiting.host).host;
  const detail = waiting.detail === "" ? "" : ` (${waiting.detail})`;
  return [`waiting until ${timeOfDay(waiting.until, at)}: ${WAITING_WORDS[waiting.cause](host)}${detail}`];
}

const WAITING_WORDS: { readonly [C in Waiting["cause"]]: (host: string) => string } = {
  backoff: (host) => `${host} backs off`,
  retry: (host) => `a URL of ${host} is tried again`,
  delay: (host) => `${host} is left alone`,
};

const fit = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);
