/**
 * Which URLs belong to the crawl: relative to its seeds, with the user's own patterns.
 *
 * - A seed belongs, whatever the rest says; so does the target of a seed's redirect (the user who asks for example.com
 *   means www.example.com when the site says so): the caller makes a new scope with the target among the seeds.
 * - A URL that an `exclude` matches does not belong: exclude always wins.
 * - `include` narrows: of the URLs in scope, only those that match one of its patterns belong (as wget's
 *   --accept-regex and Scrapy's `allow`). So every set of URLs can be said, `any` with patterns among them; patterns
 *   that widened could not say "the blog of this host".
 * - A file belongs only below the directory of a seed that is one, whatever the kind says.
 */
import type { ParsedUrl } from "../model/url.ts";
import { oneEscapeForm } from "./escapes.ts";
import { registrableDomain, URL_KEY_RULES, type UrlKeyRules, urlKey } from "./url-key.ts";

export const SCOPE_KINDS = ["page", "prefix", "host", "domain", "any"] as const;

/**
 * page: the seeds alone. prefix: the seed's host, and its path up to the last slash. host: the seed's host and port,
 * http and https alike; www.example.com is another host than example.com. domain: the seed's registrable domain with
 * all its subdomains. any: the whole web.
 */
export type ScopeKind = (typeof SCOPE_KINDS)[number];

export interface ScopeOptions {
  readonly scope?: ScopeKind | undefined;
  /** Searched in the whole href. Without the flags g and y, which make an expression remember where it was. */
  readonly include?: readonly RegExp[];
  readonly exclude?: readonly RegExp[];
}

export interface ScopeDecision {
  readonly inside: boolean;
  /** True when an `exclude` says so: then nothing else may say otherwise. */
  readonly excluded: boolean;
  /** What decided: "matches no include", "exclude \?print=", "host of https://example.com/", "no seed's host"... */
  readonly rule: string;
}

/** Decides on one URL. The decisions are shared objects: asking costs no memory. */
export type Scope = (url: ParsedUrl) => ScopeDecision;

/** The scope of a crawl with these seeds. */
export function scopeOf(
  seeds: readonly ParsedUrl[],
  options: ScopeOptions = {},
  keyRules: UrlKeyRules = URL_KEY_RULES,
): Scope {
  const include = options.include ?? [];
  const notIncluded: ScopeDecision = { inside: false, excluded: false, rule: "matches no include" };
  const exclude = (options.exclude ?? []).map((pattern) => ({ pattern, decision: excluded(`exclude ${pattern}`) }));
  const kind = options.scope ?? "host";
  const bySeeds = seedScope(kind, seeds, keyRules);
  const seedKeys = new Set(seeds.map(({ parts }) => urlKey(parts, keyRules)));
  const isSeed = (url: ParsedUrl) => seedKeys.has(urlKey(url.parts, keyRules));
  const outside: ScopeDecision = { inside: false, excluded: false, rule: OUTSIDE[kind] };
  if (include.length === 0 && exclude.length === 0) return belowSeeds(seeds, (url) => bySeeds(url) ?? outside);
  return belowSeeds(seeds, (url) => {
    const hit = exclude.find(({ pattern }) => pattern.test(url.href));
    if (hit !== undefined) return hit.decision;
    const decision = bySeeds(url) ?? outside;
    if (!decision.inside || include.length === 0 || isSeed(url)) return decision;
    return include.some((pattern) => pattern.test(url.href)) ? decision : notIncluded;
  });
}

/** Without a seed that is a file no file is ever asked about. */
function belowSeeds(seeds: readonly ParsedUrl[], scope: Scope): Scope {
  const files = seeds.filter(({ parts }) => parts.protocol === "file:");
  if (files.length === 0) return scope;
  const below = prefixScope(files);
  const elsewhere = excluded("below no seed's directory");
  return (url) => (url.parts.protocol !== "file:" || below(url) !== undefined ? scope(url) : elsewhere);
}

const OUTSIDE: Readonly<Record<ScopeKind, string>> = {
  page: "not a seed",
  prefix: "under no seed's path",
  host: "on no seed's host",
  domain: "in no seed's domain",
  any: "",
};

const inside = (rule: string): ScopeDecision => ({ inside: true, excluded: false, rule });
const excluded = (rule: string): ScopeDecision => ({ inside: false, excluded: true, rule });

type SeedScope = (url: ParsedUrl) => ScopeDecision | undefined;

function seedScope(kind: ScopeKind, seeds: readonly ParsedUrl[], keyRules: UrlKeyRules): SeedScope {
  switch (kind) {
    case "any": {
      const any = inside("any");
      return () => any;
    }
    case "page":
      return lookUp(seeds, "page", (url) => urlKey(url.parts, keyRules));
    case "host":
      // Without the scheme, and default ports are not printed: http and https of one host are one site.
      return lookUp(seeds, "host", (url) => url.parts.host);
    case "domain":
      return lookUp(
        seeds,
        "domain",
        rememberingLast((url) => url.parts.hostname, registrableDomain),
      );
    case "prefix":
      return prefixScope(seeds);
  }
}

function lookUp(seeds: readonly ParsedUrl[], kind: ScopeKind, group: (url: ParsedUrl) => string): SeedScope {
  const decisions = new Map<string, ScopeDecision>();
  for (const seed of seeds) {
    const key = group(seed);
    if (!decisions.has(key)) decisions.set(key, inside(`${kind} of ${seed.href}`));
  }
  return (url) => decisions.get(group(url));
}

/** The links of a page mostly lead to one host: the public suffix list is asked once for it. */
function rememberingLast(nameOf: (url: ParsedUrl) => string, group: (name: string) => string) {
  let lastName = "";
  let lastGroup = "";
  return (url: ParsedUrl): string => {
    const name = nameOf(url);
    if (name !== lastName) [lastName, lastGroup] = [name, group(name)];
    return lastGroup;
  };
}

function prefixScope(seeds: readonly ParsedUrl[]): SeedScope {
  const byHost = new Map<string, { path: string; decision: ScopeDecision }[]>();
  for (const { href, parts } of seeds) {
    const path = oneEscapeForm(parts.pathname);
    const prefixes = byHost.get(parts.host) ?? [];
    prefixes.push({ path: path.slice(0, path.lastIndexOf("/") + 1), decision: inside(`prefix of ${href}`) });
    byHost.set(parts.host, prefixes);
  }
  return ({ parts }) => {
    const prefixes = byHost.get(parts.host);
    if (prefixes === undefined) return undefined;
    const path = oneEscapeForm(parts.pathname);
    // "/docs" is what a seed "/docs/" is often linked as.
    return prefixes.find((prefix) => path.startsWith(prefix.path) || `${path}/` === prefix.path)?.decision;
  };
}
