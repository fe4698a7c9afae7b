/** What is visited again when, and why: the rows of `trawl due`, as lines for people and as data. */
import type { Instant } from "../../base/clock.ts";
import type { DueTimes, Reasons, Weighed } from "../../crawl/due-times.ts";
import type { UrlRecord } from "../../model/record.ts";
import { rateOf } from "../../policy/change-rate.ts";
import { count, counted, span } from "../wording.ts";

export interface DueRow {
  readonly url: string;
  readonly dueAt: Instant;
  /** The visit before. */
  readonly visitedAt: Instant;
  /** Looks after the first that could tell whether it had changed, and those that found a change. */
  readonly checks: number;
  readonly changes: number;
  /** How long from one change to the next, in ms, as it is believed to be. */
  readonly changesEveryMs: number;
  /** How long from one visit to the next, in ms, by what is known now. */
  readonly visitEveryMs: number;
  readonly weight: number;
  readonly why: string;
}

export function dueRow({ visit, dueAt, ...url }: Weighed, dueTimes: DueTimes): DueRow | null {
  if (visit === null || dueAt === null) return null;
  const reasons = dueTimes.reasons(url, visit);
  const { checks = 0, changes = 0 } = visit.history ?? {};
  return {
    ...{ url: url.href, dueAt, visitedAt: visit.endedAt, checks, changes },
    changesEveryMs: 1 / rateOf(reasons.belief),
    visitEveryMs: reasons.kind === "by-rate" ? reasons.afterMs : dueAt - visit.endedAt,
    weight: reasons.weight,
    why: why(visit, reasons),
  };
}

function why({ end, history }: NonNullable<UrlRecord["visit"]>, { kind, soundings }: Reasons): string {
  if (kind !== "by-rate") return `${end}: tried again, each time after twice as long`;
  if (soundings > 0) return "soon, to see whether it changes too fast to be followed";
  return history === null || history.checks === 0
    ? "not looked at again yet: by what pages like it do"
    : looksSay(history);
}

/** What the looks after the first have found. */
export const looksSay = ({ checks, changes }: Pick<DueRow, "checks" | "changes">): string =>
  `${count(changes)} of ${counted(checks, "look")} found it changed`;

/** The heading, and a line for each row. */
export function dueLines(rows: readonly DueRow[], { economy, rules }: DueTimes, now: Instant): string[] {
  if (rows.length === 0)
    return ["Nothing is scheduled yet: trawl recrawl, or trawl crawl --continuous, schedules the pages."];
  const cells = rows.map(({ url, dueAt, changesEveryMs, visitEveryMs, weight, why }) => [
    dueAt <= now ? "now" : `in ${span(dueAt - now)}`,
    span(visitEveryMs),
    span(changesEveryMs),
    `${Number(weight.toPrecision(2))}`,
    `${url}  ${why}`,
  ]);
  const all = [["due", "every", "changes every", "weight", "URL, and why"], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  const perDay = economy.visits * 86_400_000;
  const pages = counted(Math.round(economy.pages), "page");
  // What was moved keeps its times; how often its pages change is reckoned anew when it goes on.
  const plan =
    economy.pages < 1
      ? "Pages are counted anew by the next run"
      : `${pages}, ${perDay < 9.95 ? perDay.toFixed(1) : count(perDay)} visits a day`;
  return [
    `${plan}, shared out by ${rules.policy}`,
    ...all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")),
  ];
}
