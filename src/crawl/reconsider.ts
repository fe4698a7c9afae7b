/** A crawl that goes on under other rules: what was queued is judged again when it is leased, what was dropped here. */
import type { DropReason } from "../model/end.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import { isOfSeed } from "../policy/admission.ts";
import type { Frontier, StateQueries } from "../ports/frontier.ts";
import type { Admit } from "./context.ts";

/** The drops that rules decide, and other rules may undo. */
const BY_RULES: ReadonlySet<string> = new Set<DropReason>(["scope", "depth", "trap", "too-long", "refused-address"]);
const BATCH = 1_000;

/** What today's rules make of a URL that was admitted before. */
function judgedAgain(url: Omit<LeasedUrl, "host" | "priority" | "admittedAt">, admit: Admit): NewUrl | null {
  const { href, via, depth, hops, source } = url;
  return admit(href, href, { via, depth, hops, source, ofSeed: isOfSeed(url) });
}

/** Why a URL that is queued is not wanted any longer, or null. */
export function dropToday(url: Parameters<typeof judgedAgain>[0], admit: Admit): NewUrl["drop"] | null {
  const judged = judgedAgain(url, admit);
  return judged === null ? { reason: "scope", detail: "no seed opens its scheme" } : (judged.drop ?? null);
}

/** Admits what was dropped under earlier rules and is wanted under today's. Gives the number of URLs; reads all rows. */
export async function reconsider(
  state: Pick<Frontier, "add"> & Pick<StateQueries, "urls">,
  admit: Admit,
): Promise<number> {
  let admitted = 0;
  for (let afterId = 0; ; ) {
    const again: NewUrl[] = [];
    for await (const { visit, ...url } of state.urls({ endedOnly: true, afterId })) {
      afterId = url.id;
      if (visit === null || visit.attempt !== 0 || !BY_RULES.has(visit.end)) continue;
      const judged = judgedAgain(url, admit);
      if (judged !== null && judged.drop === undefined) again.push(judged);
      if (again.length === BATCH) break;
    }
    if (again.length === 0) return admitted;
    admitted += await state.add(again);
  }
}
