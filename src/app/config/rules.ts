/** From a configuration to the rules that policies take: the same in every thread, and in what `trawl explain` says. */
import { fileURLToPath } from "node:url";
import { systemClock } from "../../base/clock.ts";
import type { Admission } from "../../crawl/context.ts";
import { LEASE_MS } from "../../model/lease.ts";
import { type Href, KNOWN, type ParsedUrl, parseUrl, type UrlLimits } from "../../model/url.ts";
import { addressGuard, isLoopbackName, literalAddress } from "../../net/guard.ts";
import { type ProxyServer, parseProxy } from "../../net/proxy.ts";
import { ADMISSION_RULES, type AdmissionRules, admit } from "../../policy/admission.ts";
import type { BudgetRules, Weights } from "../../policy/budget.ts";
import { POLITENESS, type Politeness } from "../../policy/politeness.ts";
import type { RecrawlRules } from "../../policy/recrawl.ts";
import { type Scope, scopeOf } from "../../policy/scope.ts";
import { trapOf, trapText } from "../../policy/traps.ts";
import type { Backend, StateQueries } from "../../ports/frontier.ts";
import type { AddressGuard } from "../../ports/resolver.ts";
import type { CrawlConfig } from "./crawl-config.ts";
import { OPTIONS } from "./options.ts";

/** The same rules in every thread: what a seed is, what is in scope, what is a trap, which literal hosts are refused. */
export function admissionOf(config: CrawlConfig, guard: AddressGuard, moved: readonly Href[]): Admission {
  const seeds = [...config.seeds, ...moved];
  const rulesFor = (scope: Scope): AdmissionRules => ({
    ...ADMISSION_RULES,
    scope,
    trap: (parts) => {
      const trap = trapOf(parts, systemClock.now());
      return trap === null ? null : trapText(trap);
    },
    refuse: refusalOf(guard),
    maxDepth: config.depth,
    maxUrlLength: config.maxUrlLength,
    parse: parseLimits(config),
  });
  let rules = rulesFor(configuredScope(config, seeds));
  return {
    admit: (href, base, found) => admit(href, base, found, rules),
    extend(seed) {
      seeds.push(seed);
      rules = rulesFor(configuredScope(config, seeds));
    },
  };
}

/** Schemes beside the web's are opened by seeds, and by nothing that is found. */
function parseLimits({ seeds }: Pick<CrawlConfig, "seeds">): UrlLimits {
  const opened = seeds.map((seed) => seed.slice(0, seed.indexOf(":") + 1)).filter((one) => !/^https?:$/.test(one));
  const { parse } = ADMISSION_RULES;
  return opened.length === 0 ? parse : { ...parse, schemes: new Set([...parse.schemes, ...opened]) };
}

/** The directories that seeds which are files open, as paths. */
export function openedDirectories({ seeds }: Pick<CrawlConfig, "seeds">): string[] {
  return seeds.filter((seed) => seed.startsWith("file:")).map((seed) => fileURLToPath(new URL(".", seed)));
}

/** `--allow-net`, and exactly the addresses that seeds name literally: who asks for 127.0.0.1 means it. */
export function guardOf(config: CrawlConfig): AddressGuard {
  const named = config.seeds.flatMap((seed) => {
    const { hostname } = new URL(seed);
    if (isLoopbackName(hostname)) return ["127.0.0.1", "::1"];
    return literalAddress(hostname) ?? [];
  });
  const guard = addressGuard([...config.allowNet, ...named]);
  if (!proxyOf(config).proxyLooksUp) return guard;
  // Names go to the proxy as they are, and stand where addresses do; what is an address is checked all the same.
  return (address) => (literalAddress(address) === null ? null : guard(literalAddress(address)!));
}

/** The proxy, and whether it looks names up: by `--proxy-dns`, or because it is written `socks5h://`. */
export function proxyOf({ proxy, proxyDns }: Pick<CrawlConfig, "proxy" | "proxyDns">): {
  readonly proxy: ProxyServer | null;
  readonly proxyLooksUp: boolean;
} {
  const parsed = proxy === null ? null : parseProxy(proxy);
  if (parsed === null || !parsed.ok) return { proxy: null, proxyLooksUp: false };
  return { proxy: parsed.value, proxyLooksUp: proxyDns || parsed.value.looksUp };
}

/**
 * With several requests open to a host at once the pause is shared among them, and the host's pace is no measure of
 * its patience: the user has said how much it bears.
 */
export function politenessOf(config: CrawlConfig): Politeness {
  const alone = config.hostConcurrency === 1;
  return {
    ...POLITENESS,
    delayMs: config.delay / config.hostConcurrency,
    slowdown: alone ? config.slowdown : 0,
    maxAdaptiveMs: config.maxDelay,
  };
}

/** How long a lease is good for, in ms: whoever begins a request in its first half has ended it in the second. */
export const leaseMsOf = ({ lease, totalTimeout }: Pick<CrawlConfig, "lease" | "totalTimeout">): number =>
  lease ?? Math.max(LEASE_MS, 2 * totalTimeout);

/** Nobody is asked for files: there is no pause between them unless one is told. */
export function localPolitenessOf(config: CrawlConfig): Politeness {
  const untold = config.delay === OPTIONS.delay.default;
  return { ...politenessOf(config), slowdown: 0, ...(untold ? { delayMs: 0 } : {}) };
}

/** `--weight`, by domain; of a domain that is named twice the last counts. */
export function weightsOf({ weights }: Pick<CrawlConfig, "weights">): Weights {
  return new Map(
    weights.map((one) => {
      const at = one.lastIndexOf("=");
      return [one.slice(0, at), Number(one.slice(at + 1))];
    }),
  );
}

export function budgetOf({ budget, domainBudget }: Pick<CrawlConfig, "budget" | "domainBudget">): BudgetRules {
  return { perHost: budget, perDomain: domainBudget };
}

const DAY_MS = 86_400_000;

export function recrawlRulesOf(config: CrawlConfig): RecrawlRules {
  const { revisitPolicy, revisitEvery, revisitBudget, revisitMin, revisitMax, revisitShare } = config;
  return {
    policy: revisitPolicy,
    everyMs: revisitEvery,
    budget: revisitBudget === null ? null : revisitBudget / DAY_MS,
    bounds: { minMs: revisitMin, maxMs: revisitMax },
    share: revisitShare,
  };
}

/** The scope of a crawl with these seeds: those of its configuration, and where they were redirected to. */
export function configuredScope(
  { scope, include, exclude }: Pick<CrawlConfig, "scope" | "include" | "exclude">,
  seeds: readonly string[],
): Scope {
  const parsed = seeds.flatMap((href): ParsedUrl[] => {
    const url = parseUrl(href, undefined, KNOWN);
    return url.ok ? [url.value] : [];
  });
  const patterns = (sources: readonly string[]) => sources.map((source) => new RegExp(source));
  return scopeOf(parsed, { scope, include: patterns(include), exclude: patterns(exclude) });
}

/** Why a host that is a literal address (or localhost) may not be spoken to, or null; null for every name. */
export function refusalOf(guard: AddressGuard): (hostname: string) => string | null {
  return (hostname) => {
    const address = literalAddress(hostname);
    return address === null ? null : guard(address);
  };
}

const SEEDS_MOVED = "seedsMoved";

/** Where seeds were redirected to, in this run and those before. */
export async function seedsMoved(state: Pick<StateQueries, "fact">): Promise<Href[]> {
  return JSON.parse((await state.fact(SEEDS_MOVED)) ?? "[]") as Href[];
}

/** Sets a fact if it is still as it was read (null: not there); whether it was. */
export type ReplaceFact = (name: string, before: string | null, after: string) => Promise<boolean>;

/** `replace`: others may remember others at the same time. */
export async function rememberSeedMoved(
  state: Pick<StateQueries, "fact">,
  replace: ReplaceFact,
  to: Href,
): Promise<void> {
  for (;;) {
    const before = await state.fact(SEEDS_MOVED);
    const moved = JSON.parse(before ?? "[]") as Href[];
    if (moved.includes(to) || (await replace(SEEDS_MOVED, before, JSON.stringify([...moved, to])))) return;
  }
}

const RULES = "rules";

/** What decides whether a URL is wanted: two runs with equal texts judge alike. */
function rulesOf({ seeds, scope, include, exclude, depth, maxUrlLength, allowNet, ...rest }: CrawlConfig): string {
  const { patternBudget } = rest;
  return JSON.stringify({ seeds, scope, include, exclude, depth, maxUrlLength, allowNet, patternBudget });
}

export async function rulesHaveChanged(state: Pick<StateQueries, "fact">, config: CrawlConfig): Promise<boolean> {
  return (await state.fact(RULES)) !== rulesOf(config);
}

export async function rememberRules(state: Pick<Backend, "setFact">, config: CrawlConfig): Promise<void> {
  await state.setFact(RULES, rulesOf(config));
}
