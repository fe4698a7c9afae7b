/** What is said when a crawl has ended: how it ended, what became of its URLs, where the files are, how to go on. Pure. */
import { relative } from "node:path";
import { never } from "../../base/result.ts";
import type { EndReason } from "../../model/end.ts";
import type { CrawlStats } from "../../model/stats.ts";
import type { CrawlOutcome } from "../run/outcome.ts";
import { count, counted, rate, size, span } from "../wording.ts";

/** What each end means, in a few words. The order is the order of the summary. */
export const END_WORDS: { readonly [E in EndReason]: string } = {
  fetched: "fetched and kept",
  sitemap: "sitemaps, read for their links",
  "not-modified": "there, and unchanged since the visit before",
  "duplicate-of": "same content as another page",
  redirected: "led to another URL",
  "redirect-loop": "redirects without end",
  "soft-404": "the server says 200 for pages that it does not have",
  "unsupported-type": "a media type that is not asked for (--accept)",
  "http-4xx": "the server says there is no such page",
  "http-5xx": "the server failed, every time",
  "http-other": "an answer of another kind",
  "payment-required": "the server asks for payment",
  "blocked-challenge": "the server wants to see a human",
  dns: "the name does not resolve",
  connect: "nobody listens",
  tls: "no secure connection",
  timeout: "no answer in time",
  closed: "the connection broke",
  protocol: "the answer is not HTTP",
  "robots-unreachable": "robots.txt is out of reach",
  robots: "robots.txt says no",
  "refused-address": "an address that is not public (--allow-net)",
  scope: "outside the scope (--scope)",
  depth: "too many links from the seeds (--depth)",
  budget: "the host has had its pages (--max-per-host)",
  trap: "looks like a trap (trawl report says by which rule)",
  "too-long": "the URL is too long (--max-url-length)",
};

/** The lines under the heading for each end that occurred: reason, count, meaning. `words`: where an end means something else here. */
export function endTable(byEnd: CrawlStats["byEnd"], words: { readonly [E in EndReason]?: string } = {}): string[] {
  const rows = (Object.keys(END_WORDS) as EndReason[]).flatMap((end) => {
    const n = byEnd[end] ?? 0;
    return n === 0 ? [] : [[end, count(n), words[end] ?? END_WORDS[end]] as const];
  });
  const widest = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  const [left, right] = [widest(0), widest(1)];
  return rows.map(([end, n, words]) => `  ${end.padEnd(left)}  ${n.padStart(right)}  ${words}`);
}

/** `overwrite`: the command began the crawl again, and would do so another time. */
export function summaryLines(outcome: CrawlOutcome, cwd: string, { overwrite = false } = {}): string[] {
  const { stats } = outcome;
  const lasted = stats.at - stats.startedAt;
  const totals = `${pages(outcome)}, ${size(stats.bytes)}, ${counted(stats.requests, "request")}, ${rate(stats.rateMean, "pages")} in ${span(lasted)}`;
  const pending = stats.queued + stats.leased + stats.delayed;
  const dir = shownPath(outcome.dir, cwd);
  return [
    `${heading(outcome)}: ${totals}`,
    ...endTable(stats.byEnd),
    ...againLine(stats),
    ...(pending > 0 ? [`  still to do: ${counted(pending, "URL")} of ${counted(stats.hosts, "host")}`] : []),
    ...(outcome.lost === undefined ? [] : [`  lost: ${outcome.lost}`]),
    ...storeLines(outcome),
    `Files: ${dir} (${filesOf(outcome)})`,
    ...advice(outcome, dir, pending, overwrite ? "the same command without --overwrite" : "the same command"),
  ];
}

function pages({ stats: { fetched, shared }, resumed, revisits }: CrawlOutcome): string {
  if (shared === null) return `${counted(fetched, "page")}${resumed ? " in all" : ""}`;
  return `${counted(fetched, "page")} in all; by this crawler ${counted(shared.here, revisits === "none" ? "page" : "visit")}`;
}

function filesOf({ store, sharedAs }: CrawlOutcome): string {
  if (sharedAs !== undefined) return "logs/";
  return `${store === undefined ? "archive/*.warc.gz, " : ""}indexes/index.cdxj, pages/pages.jsonl, state.db, logs/`;
}

function againLine({ again: { looks, changed, unchanged, away } }: CrawlStats): string[] {
  if (looks === 0) return [];
  const found = `${count(changed)} changed, ${count(unchanged)} had not, ${count(away)} gone, moved or denied`;
  return [`  looked at again: ${counted(looks, "URL")}; ${found}`];
}

function storeLines({ store, sharedAs }: CrawlOutcome): string[] {
  if (store === undefined) return [];
  const { name, files, bytes } = store;
  const left = files === 0 ? "" : `; ${counted(files, "file")} (${size(bytes)}) go up with the next run`;
  return [`Store: ${name} (archive/, ${sharedAs === undefined ? "indexes/, pages/" : "records/"})${left}`];
}

/** A path as people would write it: relative when it is below the working directory. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return shown === "" ? "." : shown.startsWith("..") ? path : shown;
}

function heading(outcome: CrawlOutcome): string {
  switch (outcome.reason) {
    case "done":
      return "Done";
    case "limit":
      return `Stopped at the limit of ${counted(outcome.stats.limit ?? 0, "page")}`;
    case "parked":
      return "Done for now";
    case "over-budget":
      return "Done within the budgets";
    case "time-limit":
      return "Stopped at the time limit";
    case "interrupted":
      return "Interrupted";
    case "nothing-fetched":
      return "Nothing could be fetched";
    case "disk":
      return outcome.store === undefined ? "Stopped by the disk" : "Stopped";
    default:
      return never(outcome.reason);
  }
}

/** Most of these sentences say the mend themselves. */
const diskWords = (message: string, same: string): string =>
  /the same command/.test(message)
    ? `${message.replace("the same command", same)}.`
    : `${message}. Make room; ${same} goes on from here.`;

/** `same`: the command that goes on with this crawl. */
function advice(outcome: CrawlOutcome, dir: string, pending: number, same: string): string[] {
  const first = `${same[0]!.toUpperCase()}${same.slice(1)}`; // of a sentence
  switch (outcome.reason) {
    case "interrupted":
      return [
        `Nothing is lost: ${same} goes on${outcome.sharedAs === undefined ? " from here" : ", and other crawlers do"}.`,
      ];
    case "time-limit":
      return pending > 0 ? [`${first} goes on from here.`] : [];
    case "parked":
      return [`What is left is on hosts that asked to be left alone for more than a day; ${same} goes on then.`];
    case "over-budget":
      return [
        `What is left is of hosts that have had their pages; ${same} with a higher --max-per-host or --max-per-domain goes on.`,
      ];
    case "limit":
      // The limit of a pass is that of one pass.
      if (outcome.revisits === "pass") return [`${first} goes on from here.`];
      return pending > 0 ? [`${first} with a higher --limit goes on from here.`] : [];
    case "disk":
      return [diskWords(outcome.message ?? "The disk would not take more", same)];
    case "nothing-fetched":
      if (outcome.sharedAs !== undefined)
        return ["trawl explain --frontier ... --name ... URL says why a URL was not fetched."];
      return [`trawl explain ${dir} URL says why a URL was not fetched.`];
    case "done":
      return outcome.revisits === "pass" ? nextVisit(outcome, dir) : nothingLeft(outcome, dir);
    default:
      return never(outcome.reason);
  }
}

/** After a pass over what was due. */
function nextVisit({ stats: { again, nextVisitAt, at }, sharedAs }: CrawlOutcome, dir: string): string[] {
  // Others have visited pages, too, and look after some that may be due sooner.
  if (sharedAs !== undefined) return [`trawl due --frontier ... --name ${sharedAs} says when pages are due again.`];
  const first = again.looks === 0 ? ["Nothing was due."] : [];
  if (nextVisitAt === null) return first;
  const when = nextVisitAt <= at ? "now" : `in ${span(nextVisitAt - at)}`;
  return [[...first, `The next visit is due ${when}; trawl due ${dir} says more.`].join(" ")];
}

const nothingLeft = ({ resumed, stats, sharedAs }: CrawlOutcome, dir: string): string[] =>
  resumed && stats.requests === 0 && sharedAs === undefined
    ? [`Nothing was left to do; trawl recrawl ${dir} visits pages again, --overwrite begins again.`]
    : [];
