/** A found link becomes a URL that the frontier is asked to admit, queued or recorded as dropped with its reason; or nothing. */
import { hashText } from "../base/hash.ts";
import type { DropReason } from "../model/end.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { NewUrl, UrlSource } from "../model/link.ts";
import { type Href, limitsFrom, MAX_URL_LENGTH, type ParsedUrl, parseUrl, type UrlLimits, WEB } from "../model/url.ts";
import { priorityOf } from "./priority.ts";
import type { Scope } from "./scope.ts";
import { URL_KEY_RULES, type UrlKeyRules, urlKey } from "./url-key.ts";

export interface AdmissionRules {
  readonly keys: UrlKeyRules;
  readonly scope: Scope;
  /** What a URL that looks like a trap is recorded with, or null: `trapText` of `trapOf`. */
  readonly trap: (parts: URL) => string | null;
  /** Why a host that is a literal address (or localhost) may not be spoken to, or null; null for every name. */
  readonly refuse: (hostname: string) => string | null;
  readonly maxDepth: number;
  readonly maxUrlLength: number;
  /** Which schemes there are, and beyond which length a URL is data that is not worth a row. */
  readonly parse: UrlLimits;
}

/** Everything but what a crawl must say itself. */
export const ADMISSION_RULES: Omit<AdmissionRules, "scope" | "trap" | "refuse"> = {
  keys: URL_KEY_RULES,
  maxDepth: 15,
  maxUrlLength: MAX_URL_LENGTH,
  parse: { maxLength: 16_384, schemes: WEB.schemes },
};

/** Where a link was found. */
export interface Found {
  readonly source: UrlSource;
  /** Of the new URL: 0 for seeds, one more than its page for links and assets, that of the redirecting URL for a redirect. */
  readonly depth: number;
  readonly hops: number;
  readonly via: number;
  /** It is a seed, or where a seed redirects to: it belongs to the crawl by definition. */
  readonly ofSeed: boolean;
}

/** The schemes of most links that are none, known without parsing. */
const NOT_WEB = /^\s*(?:data|javascript|mailto|tel|blob|about):/i;

/** Assets may be deeper than pages: a style sheet is one deeper than its page, the images in it two. */
const EMBED_DEPTH = 2;

/**
 * `raw` as written, resolved against `base`. Null when it is no URL, or one of another scheme, or one that a page of the
 * web may not lead to: nothing to record.
 * Otherwise the first of these that holds is recorded as the drop: refused address, scope, length, depth, trap. What
 * was asked for by name (seeds, added) is asked only about its address and its length.
 */
export function admit(raw: string, base: Href | undefined, found: Found, rules: AdmissionRules): NewUrl | null {
  if (raw.length > rules.parse.maxLength || NOT_WEB.test(raw)) return null;
  const parsed = parseUrl(raw, base, rules.parse);
  if (!parsed.ok) return null;
  const url = parsed.value;
  const { schemes } = rules.parse;
  if (schemes !== WEB.schemes && base !== undefined && !limitsFrom(base).schemes.has(url.parts.protocol)) return null;
  const [fpHi, fpLo] = hashText(urlKey(url.parts, rules.keys));
  const { source, depth, hops, via } = found;
  const priority = priorityOf(source, depth, url.parts.pathname);
  const drop = dropOf(url, found, rules);
  const admitted = { href: url.href, host: url.host, fpHi, fpLo, depth, hops, via, source, priority };
  return drop === null ? admitted : { ...admitted, drop };
}

function dropOf(url: ParsedUrl, found: Found, rules: AdmissionRules): { reason: DropReason; detail?: string } | null {
  const { source, depth } = found;
  const refusal = rules.refuse(url.parts.hostname);
  if (refusal !== null) return { reason: "refused-address", detail: refusal };
  const byName = source === "seed" || source === "added";
  if (!byName) {
    const { inside, excluded, rule } = rules.scope(url);
    if (excluded || !(inside || isExempt(found))) return { reason: "scope", detail: rule };
  }
  if (url.href.length > rules.maxUrlLength) return { reason: "too-long", detail: `${url.href.length} characters` };
  if (byName) return null;
  if (depth > rules.maxDepth + (source === "embed" ? EMBED_DEPTH : 0))
    return { reason: "depth", detail: `depth ${depth}` };
  const trap = rules.trap(url.parts);
  return trap === null ? null : { reason: "trap", detail: trap };
}

/** Wanted although scope leaves it out (but not when it is excluded): assets live anywhere, and so do sitemap files. */
function isExempt({ source, ofSeed }: Found): boolean {
  return ofSeed || source === "embed" || source === "sitemap";
}

/** A seed, or where one led by redirects alone. */
export function isOfSeed(url: Pick<LeasedUrl, "source" | "depth">): boolean {
  return url.source === "seed" || (url.source === "redirect" && url.depth === 0);
}
