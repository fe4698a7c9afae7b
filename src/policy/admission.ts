/** A found link becomes a URL that the frontier is asked to admit, queued or recorded as dropped with its reason; or nothing. */
import { hashText } from "../base/hash.ts";
import type { DropReason } from "../model/end.ts";
import type { NewUrl, UrlSource } from "../model/link.ts";
import { type Href, MAX_URL_LENGTH, type ParsedUrl, parseUrl, type UrlLimits, WEB } from "../model/url.ts";
import { priorityOf } from "./priority.ts";
import type { Scope } from "./scope.ts";
import { URL_KEY_RULES, type UrlKeyRules, urlKey } from "./url-key.ts";

export interface AdmissionRules {
  readonly keys: UrlKeyRules;
  readonly scope: Scope;
  /** The name of the trap that a URL looks like, or null: `trapOf`. */
  readonly trap: (parts: URL) => string | null;
  /** Why a host that is a literal address (or localhost) may not be spoken to, or null; null for every name. */
  readonly refuse: (hostname: string) => string | null;
  readonly maxDepth: number;
  /** Redirects in a row; the URL one beyond is not admitted. */
  readonly maxHops: number;
  readonly maxUrlLength: number;
  /** With the colon; more than http and https where a protocol module is registered. */
  readonly schemes: ReadonlySet<string>;
  /** Whether assets of pages are wanted. */
  readonly embeds: boolean;
  /** Whether links marked nofollow are followed all the same. */
  readonly followNofollow: boolean;
}

/** Everything but what a crawl must say itself. */
export const ADMISSION_RULES: Omit<AdmissionRules, "scope" | "trap" | "refuse"> = {
  keys: URL_KEY_RULES,
  maxDepth: 15,
  maxHops: 20,
  maxUrlLength: MAX_URL_LENGTH,
  schemes: WEB.schemes,
  embeds: false,
  followNofollow: true,
};

/** Where a link was found. */
export interface Found {
  readonly source: UrlSource;
  /**
   * Of the new URL: 0 for seeds, one more than its page for a link, that of the page for an asset, that of the
   * redirecting URL for a redirect, 1 for sitemap entries.
   */
  readonly depth: number;
  readonly hops: number;
  readonly via: number;
  /** Marked nofollow, by the link or by the page. */
  readonly nofollow?: boolean;
  /** It is a list of URLs (a sitemap file that robots.txt or a sitemap index names): what scope leaves out is still read. */
  readonly listing?: boolean;
}

/** Beyond this a text is no URL but data: it is not worth a row. */
const LONGEST_TEXT = 16_384;

/** The schemes of most links that are none, known without parsing. */
const NOT_WEB = /^\s*(?:data|javascript|mailto|tel|blob|about):/i;

/**
 * `raw` as written, resolved against `base`. Null when there is nothing to record: not a URL, another scheme, an asset
 * that is not wanted, a redirect chain that is too long, or nofollow (the same URL may be linked without it elsewhere,
 * and a recorded key is settled for ever). Otherwise the first of these that holds is recorded as the drop: refused
 * address, scope, length, depth, trap. What was asked for by name (seeds, added) is asked only about its address and length.
 */
export function admit(raw: string, base: Href | undefined, found: Found, rules: AdmissionRules): NewUrl | null {
  if (found.source === "embed" && !rules.embeds) return null;
  if (found.nofollow === true && !rules.followNofollow) return null;
  if (found.hops > rules.maxHops) return null;
  if (raw.length > LONGEST_TEXT || NOT_WEB.test(raw)) return null;
  const parsed = parseUrl(raw, base, limitsOf(rules));
  if (!parsed.ok) return null;
  const url = parsed.value;
  const [fpHi, fpLo] = hashText(urlKey(url.parts, rules.keys));
  const { source, depth, hops, via, listing } = found;
  const priority = priorityOf(source, depth, url.parts.pathname, listing);
  const drop = dropOf(url, found, rules);
  const admitted = { href: url.href, host: url.host, fpHi, fpLo, depth, hops, via, source, priority };
  return drop === null ? admitted : { ...admitted, drop };
}

function dropOf(url: ParsedUrl, found: Found, rules: AdmissionRules): { reason: DropReason; detail?: string } | null {
  const refusal = rules.refuse(url.parts.hostname);
  if (refusal !== null) return { reason: "refused-address", detail: refusal };
  const byName = found.source === "seed" || found.source === "added";
  if (!byName) {
    const { inside, excluded, rule } = rules.scope(url);
    if (excluded || !(inside || isExempt(found))) return { reason: "scope", detail: rule };
  }
  if (url.href.length > rules.maxUrlLength) return { reason: "too-long", detail: `${url.href.length} characters` };
  if (byName) return null;
  if (found.depth > rules.maxDepth) return { reason: "depth", detail: `depth ${found.depth}` };
  const trap = rules.trap(url.parts);
  return trap === null ? null : { reason: "trap", detail: trap };
}

/** Out of scope all the same wanted: assets, which live anywhere; lists of URLs; where a seed redirects to. */
function isExempt({ source, depth, listing }: Found): boolean {
  return source === "embed" || listing === true || (source === "redirect" && depth === 0);
}

/** The length is judged later, where it can be recorded. One object a rule set, because this is asked for every link. */
const limits = new WeakMap<AdmissionRules, UrlLimits>();

function limitsOf(rules: AdmissionRules): UrlLimits {
  let known = limits.get(rules);
  if (known === undefined) {
    known = { maxLength: Number.POSITIVE_INFINITY, schemes: rules.schemes };
    limits.set(rules, known);
  }
  return known;
}
