/** What hosts and registrable domains have had of their budgets, by all crawlers of a crawl together. */
import { inBatches } from "../../../base/streamed.ts";
import { hostnameOf } from "../../../model/host.ts";
import { tierOf } from "../../../policy/budget.ts";
import { registrableDomain } from "../../../policy/url-key.ts";
import type { DomainCounts } from "../../../ports/domain-counts.ts";
import type { StateQueries } from "../../../ports/frontier.ts";
import type { CrawlConfig } from "../../config/crawl-config.ts";
import { count, counted } from "../../wording.ts";

export type Budgeted = Pick<CrawlConfig, "budget" | "domainBudget" | "maxPerHost" | "maxPerDomain">;

/** Pages asked for, looks at those that came back and robots.txt aside. */
export interface DomainPages {
  readonly domain: string;
  readonly pages: number;
  readonly hosts: number;
  /** URLs that wait. */
  readonly pending: number;
}

export interface Overspent {
  readonly hosts: number;
  readonly domains: number;
}

export interface Budgets {
  readonly rules: Budgeted;
  /** Those that have had their budget: they are asked when no other is due. */
  readonly over: Overspent;
  /** Those that have had all: nothing more is asked of them. */
  readonly full: Overspent;
  /** Most pages first. */
  readonly domains: readonly DomainPages[];
}

const AT_ONCE = 1_000;

/** Memory is by hosts. `counts`: see `CrawlView.domains`. */
export async function budgetsOf(
  state: Pick<StateQueries, "topHosts">,
  rules: Budgeted,
  counts: Pick<DomainCounts, "of"> | null,
): Promise<Budgets> {
  const { budget, domainBudget, maxPerHost, maxPerDomain } = rules;
  const hosts = await state.topHosts(Number.MAX_SAFE_INTEGER);
  const byDomain = new Map<string, { domain: string; pages: number; hosts: number; pending: number }>();
  for (const { host, requests, pending } of hosts) {
    const domain = registrableDomain(hostnameOf(host));
    const sum = byDomain.get(domain) ?? { domain, pages: 0, hosts: 0, pending: 0 };
    byDomain.set(domain, sum);
    sum.pages += requests;
    sum.hosts++;
    sum.pending += pending;
  }
  if (counts !== null)
    for await (const some of inBatches(byDomain.values(), AT_ONCE)) {
      const sums = await counts.of(some.map(({ domain }) => domain));
      for (const [nth, sum] of some.entries()) sum.pages = sums[nth]!;
    }
  const domains = [...byDomain.values()].sort((a, b) => b.pages - a.pages);
  const isOver = (pages: number, perHost: number | null) =>
    tierOf({ host: pages, domain: null }, 1, { perHost, perDomain: null }) > 0;
  return {
    rules: { budget, domainBudget, maxPerHost, maxPerDomain },
    over: {
      hosts: hosts.filter(({ requests }) => isOver(requests, budget)).length,
      domains: domains.filter(({ pages }) => isOver(pages, domainBudget)).length,
    },
    full: {
      hosts: hosts.filter(({ requests }) => requests >= maxPerHost).length,
      domains: maxPerDomain === null ? 0 : domains.filter(({ pages }) => pages >= maxPerDomain).length,
    },
    domains,
  };
}

const SHOWN = 5;

export function budgetLine({ rules, over, full }: Budgets): string {
  const { budget, domainBudget, maxPerHost, maxPerDomain } = rules;
  const said = [
    `${spent(over) ?? "nobody"} over budget (--budget ${count(budget)}, --domain-budget ${count(domainBudget)})`,
  ];
  const limits = `--max-per-host ${count(maxPerHost)}${maxPerDomain === null ? "" : `, --max-per-domain ${count(maxPerDomain)}`}`;
  const all = spent(full);
  if (all !== null) said.push(`${all} with all their pages (${limits})`);
  return `  budgets    ${said.join("; ")}`;
}

function spent({ hosts, domains }: Overspent): string | null {
  const words = [...(hosts > 0 ? [counted(hosts, "host")] : []), ...(domains > 0 ? [counted(domains, "domain")] : [])];
  return words.length === 0 ? null : words.join(" and ");
}

/** None where there is but one. */
export function domainLines({ domains }: Budgets): string[] {
  const shown = domains.filter(({ pages }) => pages > 0).slice(0, SHOWN);
  if (shown.length < 2) return [];
  const wide = Math.max(...shown.map(({ pages }) => count(pages).length));
  return [
    "Domains with most pages:",
    ...shown.map(
      ({ domain, pages, hosts, pending }) =>
        `  ${count(pages).padStart(wide)}  ${domain}, ${counted(hosts, "host")}, ${counted(pending, "URL")} pending`,
    ),
  ];
}
