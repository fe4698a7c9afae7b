/** robots.txt files as data: their text, and what they allow by a small reading of RFC 9309 kept apart from the crawler's. */

export interface RobotsGroup {
  readonly agents: readonly string[];
  readonly allow?: readonly string[];
  readonly disallow?: readonly string[];
  /** Seconds. */
  readonly crawlDelay?: number;
}

export type RobotsAnswer =
  | {
      readonly kind: "rules";
      readonly groups: readonly RobotsGroup[];
      /** Sitemap lines, absolute or from the root. */
      readonly sitemaps?: readonly string[];
      readonly newline?: "\n" | "\r\n" | "\r";
      readonly bom?: boolean;
      /** Bytes of comment in front of the rules: they must still be found when within 500 KiB. */
      readonly padding?: number;
    }
  /** Sent as it stands. */
  | { readonly kind: "text"; readonly text: string; readonly type?: string }
  /** `later` answers from the request after the `times`th on. */
  | { readonly kind: "status"; readonly status: number; readonly times?: number; readonly later?: RobotsAnswer }
  /** To `to`, through `hops` redirects (1 unless told) of the host's own; "self" goes round for ever. */
  | { readonly kind: "redirect"; readonly to: string; readonly hops?: number; readonly later?: RobotsAnswer }
  | { readonly kind: "never" };

/** The groups that are in force in the end, once the answer has got through; null when nothing is ever forbidden by rules. */
export function groupsOf(answer: RobotsAnswer): readonly RobotsGroup[] | null {
  // RFC 9309, 2.5 and 2.3.1.2: what is behind the limit is not read, and more than five redirects are not followed.
  if (answer.kind === "rules") return (answer.padding ?? 0) > 512 * 1024 ? null : answer.groups;
  if (answer.kind === "redirect" && (answer.hops ?? 1) > 5) return null;
  if (answer.kind === "status" || answer.kind === "redirect") return answer.later ? groupsOf(answer.later) : null;
  return null;
}

export function robotsText(answer: Extract<RobotsAnswer, { kind: "rules" }>, origin: string): string {
  const lines: string[] = [];
  if (answer.padding) lines.push(`#${" padding".repeat(answer.padding / 8)}`);
  for (const group of answer.groups) {
    for (const agent of group.agents) lines.push(`User-agent: ${agent}`);
    for (const path of group.disallow ?? []) lines.push(`Disallow: ${path}`);
    for (const path of group.allow ?? []) lines.push(`Allow: ${path}`);
    if (group.crawlDelay !== undefined) lines.push(`Crawl-delay: ${group.crawlDelay}`);
    lines.push("");
  }
  for (const sitemap of answer.sitemaps ?? []) lines.push(`Sitemap: ${new URL(sitemap, origin).href}`);
  const newline = answer.newline ?? "\n";
  return (answer.bom ? "\ufeff" : "") + lines.join(newline) + newline;
}

/** RFC 9309, 2.2: the groups that name the agent's product token, else `*`; the longest matching rule, Allow on a tie. */
export function allows(groups: readonly RobotsGroup[], agent: string, path: string): boolean {
  if (path === "/robots.txt") return true;
  const token = (/[a-z_-]*bot[a-z_-]*/i.exec(agent) ?? /^[a-z_-]*/i.exec(agent)!)[0].toLowerCase();
  const named = groups.filter((group) => group.agents.some((name) => name.toLowerCase() === token));
  const chosen = named.length > 0 ? named : groups.filter((group) => group.agents.includes("*"));
  const longest = (rules: (group: RobotsGroup) => readonly string[] | undefined): number =>
    Math.max(
      -1,
      ...chosen.flatMap((group) =>
        (rules(group) ?? []).filter((rule) => matches(rule, path)).map((rule) => rule.length),
      ),
    );
  return longest((group) => group.allow) >= longest((group) => group.disallow);
}

function matches(rule: string, path: string): boolean {
  if (rule === "") return false;
  const pattern = rule
    .replace(/\$$/, "")
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}${rule.endsWith("$") ? "$" : ""}`, "s").test(path);
}
