/** The key of a URL: the form by which two spellings of one page are known to be one (SPEC 2). It is never requested. */
import { getDomain } from "tldts";
import type { UrlKey } from "../model/url.ts";
import { oneEscapeForm } from "./escapes.ts";
import { isIgnored, withoutPathSessions } from "./ignored-parameters.ts";

/**
 * The steps that can be turned off. Lower-case scheme and host, punycode, no default port, and resolved dots are what
 * the WHATWG parser gives; they are always done. Path case, `www.`, doubled slashes and the scheme are never folded.
 */
export interface UrlKeyRules {
  /** Percent-encoding in one form. */
  readonly escapes: boolean;
  /** Tracking and session parameters removed. */
  readonly ignoreParameters: boolean;
  /** Query parameters sorted by name; those of one name keep their order. Empty ones (`&&`) go. */
  readonly sortQuery: boolean;
  /** A "?" with nothing behind it is dropped. */
  readonly emptyQuery: boolean;
  /** One trailing slash is dropped: `/a/` is `/a`; `/` and `/a//` are themselves. */
  readonly trailingSlash: boolean;
}

export const URL_KEY_RULES: UrlKeyRules = {
  escapes: true,
  ignoreParameters: true,
  sortQuery: true,
  emptyQuery: true,
  trailingSlash: true,
};

/** Finds what a step below could change; most links have none. ("@" may be credentials, "(" and ";" a session.) */
const NEEDS_WORK = /[^!$&'*+,\-./0-9:=A-Z_a-z~]|\/$/;

/** The key of a parsed http, https or other hierarchical URL. Fragment and credentials are never part of it. Idempotent. */
export function urlKey(parts: URL, rules: UrlKeyRules = URL_KEY_RULES): UrlKey {
  const { href } = parts;
  if (!NEEDS_WORK.test(href)) return href as UrlKey;
  const { protocol } = parts;
  // A scheme without an authority ("mailto:") has no parts to speak of; only a protocol module could bring one.
  if (!href.startsWith("//", protocol.length)) return href.split("#", 1)[0] as UrlKey;
  let path = parts.pathname;
  if (rules.escapes) path = oneEscapeForm(path);
  if (rules.ignoreParameters) path = withoutPathSessions(path);
  if (rules.trailingSlash && path.length > 1 && path.endsWith("/") && !path.endsWith("//")) path = path.slice(0, -1);
  return `${protocol}//${parts.host}${path}${keyQuery(parts, rules)}` as UrlKey;
}

function keyQuery(parts: URL, rules: UrlKeyRules): string {
  const { search } = parts;
  if (search === "") {
    // `search` is "" for "/a?" too; only the href knows the difference.
    return !rules.emptyQuery && parts.href.split("#", 1)[0]!.endsWith("?") ? "?" : "";
  }
  const query = rules.escapes ? oneEscapeForm(search.slice(1)) : search.slice(1);
  let pieces = query.split("&");
  if (rules.ignoreParameters) pieces = pieces.filter((piece) => !isIgnored(piece));
  if (rules.sortQuery) pieces = sortedByName(pieces.filter((piece) => piece !== ""));
  const kept = pieces.join("&");
  return kept === "" && rules.emptyQuery ? "" : `?${kept}`;
}

function nameOf(piece: string): string {
  const end = piece.indexOf("=");
  return end === -1 ? piece : piece.slice(0, end);
}

function sortedByName(pieces: string[]): string[] {
  if (pieces.length < 2) return pieces;
  const named = pieces.map((piece) => ({ name: nameOf(piece), piece }));
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)); // stable, by ECMAScript 2019
  return named.map(({ piece }) => piece);
}

const WITH_PRIVATE_SECTION = { allowPrivateDomains: true };

/**
 * The registrable domain by the public suffix list with its private section (`a.b.github.io` -> `b.github.io`), or
 * the hostname itself where there is none: an address, `localhost`, a public suffix. `hostname` as `URL.hostname` has it.
 */
export function registrableDomain(hostname: string): string {
  if (hostname.startsWith(".")) return hostname; // an empty label: no name of the DNS
  return getDomain(hostname, WITH_PRIVATE_SECTION) ?? hostname;
}

/** As `registrableDomain`, by the registries' section alone: `a.b.github.io` -> `github.io`. */
export function registryDomain(hostname: string): string {
  if (hostname.startsWith(".")) return hostname;
  return getDomain(hostname) ?? hostname;
}
