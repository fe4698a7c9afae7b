/** What a crawl has left out as traps: by rule, how many URLs, and one of them to look at. */
import type { Stream } from "../../../base/streamed.ts";
import type { Href } from "../../../model/url.ts";
import { FEEDBACK, ruleOf } from "../../../policy/traps.ts";

export interface TrapCount {
  /** The rule's name; of feedback with the pattern. */
  readonly rule: string;
  readonly urls: number;
  /** The first of them. */
  readonly sample: Href;
}

/** The rules that were met most, first. */
export async function trapCounts(
  ends: Stream<{ readonly href: Href; readonly detail: string | null }>,
): Promise<TrapCount[]> {
  const counts = new Map<string, { urls: number; sample: Href }>();
  for await (const { href, detail } of ends) {
    const said = detail ?? "no rule";
    const name = ruleOf(said);
    const rule = name === FEEDBACK ? said : name;
    const known = counts.get(rule);
    if (known === undefined) counts.set(rule, { urls: 1, sample: href });
    else known.urls++;
  }
  return [...counts].map(([rule, count]) => ({ rule, ...count })).sort((a, b) => b.urls - a.urls);
}
