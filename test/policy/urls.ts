/** URLs for tests, and texts that make trouble in them. */
import fc from "fast-check";
import { KNOWN, type ParsedUrl, parseUrl } from "../../src/model/url.ts";

export function url(text: string, base?: string): ParsedUrl {
  const parsed = parseUrl(text, base);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error}`);
  return parsed.value;
}

/** As a seed is parsed, which may be a file. */
export function file(text: string): ParsedUrl {
  const parsed = parseUrl(text, undefined, KNOWN);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error}`);
  return parsed.value;
}

const pieces = [
  ..."aB1/?&=;:.%#*$+()[]{}|^'\"\\ ~-_é",
  ...["%2F", "%2f", "%41", "%7e", "%zz", "%", "%25", "%2525", "%E3%83%84", "ツ", "..", "./", "//", "/a", "&&", "?a=1"],
  ...[
    "utm_source=x",
    "sid=abc123",
    "PHPSESSID=1",
    ";jsessionid=1",
    "/(S(lit3py55t21z5v55vlm25s55))",
    "%75tm_id=1",
    "a=2&a=1",
  ],
];

/** The path and query of a URL, made of what is known to go wrong. */
export const target = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => `/${parts.join("")}`);
