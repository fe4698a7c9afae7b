/** Who is at a crawl that crawlers share, and how the Redis Cluster stands that has its frontier: lines of `trawl status`. Pure. */
import type { Instant } from "../../base/clock.ts";
import type { LivingMember } from "../../store/cluster/crew/members.ts";
import type { MasterStanding } from "../../store/cluster/redis/checks.ts";
import { count, counted, rate, size, span } from "../wording.ts";

/** Who has said nothing for so long, in ms, may be gone; it is held to be so some seconds later. */
const SILENT_MS = 5_000;

/** `2 crawlers, 24.6 pages/s; of links they know 71 % themselves`. */
export function crawlersSay(crawlers: readonly LivingMember[]): string {
  const standings = crawlers.flatMap(({ standing }) => standing ?? []);
  const sum = (of: "pagesPerSecond" | "asked" | "met"): number => standings.reduce((all, one) => all + one[of], 0);
  const asked = sum("asked");
  return [
    counted(crawlers.length, "crawler"),
    ...(standings.length === 0 ? [] : [`, ${rate(sum("pagesPerSecond"), "pages")}`]),
    ...(asked === 0 ? [] : [`; ${share(sum("met"), asked)} of links known without asking Redis`]),
  ].join("");
}

const HEADINGS = ["crawler", "machine", "up", "pages", "now", "leases", "shards", "links known", "there for"];
/** Words stand at the left of their column, numbers at the right. */
const WORDS = new Set([0, 1, 8]);

/** A heading, and a line for each. */
export function crawlersTable(crawlers: readonly LivingMember[], now: Instant): string[] {
  if (crawlers.length === 0) return [];
  const rows = crawlers.map(({ id, heardAt, standing }) => {
    if (standing === null) return [id, "(starting)"];
    const { machine, startedAt, pages, pagesPerSecond, leases, shards, asked, met, pins } = standing;
    const isSilent = now - heardAt > SILENT_MS;
    const pace = isSilent ? `silent ${span(now - heardAt)}` : rate(pagesPerSecond);
    const counts = [count(pages), pace, count(leases), count(shards)];
    return [id, machine, span(now - startedAt), ...counts, asked === 0 ? "" : share(met, asked), pins.join(" ")];
  });
  const all = [rows.some((row) => row[8]) ? HEADINGS : HEADINGS.slice(0, 8), ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => {
    const cells = row.map((cell, nth) => (WORDS.has(nth) ? cell.padEnd(widths[nth]!) : cell.padStart(widths[nth]!)));
    return `  ${cells.join("  ")}`.trimEnd();
  });
}

/** How full it is, and what somebody should see to. */
export function mastersSay(masters: readonly MasterStanding[]): string[] {
  const used = masters.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  const fullest = masters
    .filter(({ mostBytes }) => mostBytes !== null)
    .sort((a, b) => b.usedBytes / b.mostBytes! - a.usedBytes / a.mostBytes!)[0];
  const most =
    fullest === undefined
      ? "no limit is set (maxmemory)"
      : `the fullest has ${share(fullest.usedBytes, fullest.mostBytes!)} of its ${size(fullest.mostBytes!)} (${fullest.address})`;
  const alone = masters.filter(({ replicas }) => replicas === 0).map(({ address }) => address);
  const moving = masters.reduce((sum, one) => sum + one.moving, 0);
  return [
    `${counted(masters.length, "master")}, ${size(used)} in use; ${most}`,
    ...(alone.length === 0 ? [] : [`without a replica: ${alone.join(" ")}`]),
    ...(moving === 0 ? [] : [`${counted(moving, "slot")} on the way to another master`]),
  ];
}

const share = (part: number, of: number): string => `${Math.floor((100 * part) / of)} %`;
