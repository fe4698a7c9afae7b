/** Which declared media types are wanted, before the body is read. */

/**
 * A test for declared types by patterns: "text/html", "text/*", "application/*+xml". What is not a media type at
 * all, or one that WHATWG mimesniff (section 7) takes for "unknown", is wanted: its first bytes will tell.
 * Throws on a pattern that has no slash.
 */
export function mediaTypeFilter(patterns: readonly string[]): (contentType: string | null) => boolean {
  const sources = patterns.map((pattern) => {
    if (!/^[^/\s;]+\/[^/\s;]+$/.test(pattern))
      throw new TypeError(`"${pattern}" is not a media type; write it as text/html or text/*`);
    return pattern
      .toLowerCase()
      .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", "[^/]+");
  });
  const wanted = new RegExp(`^(?:${sources.join("|")})$`);
  const known = new Map<string, boolean>();
  return (contentType) => {
    if (contentType === null) return true;
    const before = known.get(contentType);
    if (before !== undefined) return before;
    const type = essence(contentType);
    const verdict = !TOKENS.test(type) || UNKNOWN.has(type) || wanted.test(type);
    if (known.size >= KNOWN_MOST) known.clear();
    known.set(contentType, verdict);
    return verdict;
  };
}

const KNOWN_MOST = 1_024;
const TOKENS = /^[^\s/;,]+\/[^\s/;,]+$/;
const UNKNOWN = new Set(["unknown/unknown", "application/unknown", "*/*"]);

/** "Text/HTML; charset=x" -> "text/html". */
function essence(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}
