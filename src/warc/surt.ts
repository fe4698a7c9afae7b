/**
 * The sort-friendly form of a URL that web archives index by (SURT, in the canonical form of the Internet Archive's
 * tools, which pywb looks up): host labels reversed, `www.` and session ids dropped, case folded, escapes in one form,
 * query parameters sorted. It merges URLs that the crawl's own key keeps apart; it is for look-ups, never for dedup.
 */

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** "org,archive)/goo?a=1&b"; texts that are no URL with a host are given back as they are, and "-" for an empty one. */
export function surt(href: string): string {
  if (href === "") return "-";
  const parts =
    /^([a-z][a-z0-9+.-]*:)\/\/(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(?:\?([^#]*))?/i.exec(href);
  if (parts === null || parts[2] === "") return href;
  const [, scheme, host, port, path, query] = parts;
  const key = `${reversedHost(host!)}${portPart(scheme!.toLowerCase(), port)})${canonicalPath(path!)}`;
  const search = canonicalQuery(query ?? "");
  return search === "" ? key : `${key}?${search}`;
}

function reversedHost(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/\.+/g, ".")
    .replace(/^\.|\.$/g, "")
    .replace(/^www\d*\./, "");
  // IPv4 addresses are reversed too, and IPv6 stands bare: a look-up must find what those tools would ask for.
  return name.startsWith("[") ? name.slice(1, -1) : name.split(".").reverse().join(",");
}

function portPart(scheme: string, port: string | undefined): string {
  return port && port !== DEFAULT_PORTS[scheme] ? `:${port}` : "";
}

function canonicalPath(path: string): string {
  const kept: string[] = [];
  for (const segment of unescapeFully(path).split("/").slice(1)) {
    if (segment === ".") continue;
    if (segment === ".." && kept.length > 0) kept.pop();
    else kept.push(segment);
  }
  const segments = kept.filter((segment, i) => segment !== "" || i === kept.length - 1);
  const text = withoutPathSession(escapeOnce(`/${segments.join("/")}`).toLowerCase());
  return text.length > 1 && text.endsWith("/") ? text.slice(0, -1) : text;
}

/** The session ids that ASP.NET puts into paths: `/(24 characters)/` or `/(a(24)s(24)...)/` before an .aspx file. */
function withoutPathSession(path: string): string {
  return path.replace(/^(.*\/)\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)\/([^?]+\.aspx.*)$/, "$1$2");
}

/** Parameters that carry a session and nothing else. */
const SESSION_PARAMETERS = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/,
  /^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$/,
] as const;

function canonicalQuery(query: string): string {
  let text = escapeOnce(unescapeFully(query)).toLowerCase();
  for (const session of SESSION_PARAMETERS) text = text.replace(session, "$1$2");
  return text.includes("&") ? sortedParameters(text) : text;
}

/** By name, then by value; a parameter without `=` before those with one. The zero byte sorts before all others. */
function sortedParameters(query: string): string {
  const keys = query.split("&").map((parameter) => parameter.replace("=", "\0"));
  return keys.sort().join("&").replaceAll("\0", "=");
}

/** Percent-escapes decoded until none is left; one character a byte. Every round makes the text shorter, so it ends. */
function unescapeFully(text: string): string {
  let now = asBytes(text);
  while (now.includes("%")) {
    const next = now.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === now) break;
    now = next;
  }
  return now;
}

/** URLs are ASCII when parsed; one that is not stands for its UTF-8 bytes. */
function asBytes(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** Space, `#`, `%`, controls and bytes past ASCII are escaped, nothing else is. */
function escapeOnce(bytes: string): string {
  return bytes.replace(
    /[^\x21\x22\x24\x26-\x7e]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
