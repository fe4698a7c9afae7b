/** Of a crawl that comes from elsewhere the domains have had what their hosts have had. */
import { hostnameOf } from "../../model/host.ts";
import { registrableDomain } from "../../policy/url-key.ts";
import type { DomainPages } from "../../ports/domain-counts.ts";
import type { FrontierState } from "../../ports/frontier.ts";

interface Counts {
  atLeast(pages: readonly DomainPages[]): Promise<void>;
}

/** Set once the counts of domains hold all that was asked for before there were any. */
const COUNTED = "domainsCounted";

/** Counts them once in the life of a crawl. Who is killed at it has it done again. */
export async function countDomains(
  state: Pick<FrontierState, "fact" | "setFact" | "topHosts">,
  counts: Counts,
): Promise<void> {
  if ((await state.fact(COUNTED)) !== null) return;
  const sums = new Map<string, number>();
  for (const { host, requests } of await state.topHosts(Number.MAX_SAFE_INTEGER)) {
    const domain = registrableDomain(hostnameOf(host));
    sums.set(domain, (sums.get(domain) ?? 0) + requests);
  }
  await counts.atLeast(Array.from(sums, ([domain, pages]) => ({ domain, pages })));
  await state.setFact(COUNTED, "true");
}
