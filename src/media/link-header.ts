/** The `Link` field of a response (RFC 8288, section 3 and appendix B.2), read leniently and in linear time. */

export interface HeaderLink {
  readonly href: string;
  /** Lower case, as in the field: may name several relations. */
  readonly rel: string;
  /** The `type` parameter, or "". */
  readonly type: string;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** The links that one field value gives, in order. Those about another resource (`anchor`) are left out. */
export function parseLinkHeader(value: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  const { length } = value;
  let at = 0;
  while (at < length) {
    const open = value.indexOf("<", at);
    if (open < 0) break;
    const close = value.indexOf(">", open);
    if (close < 0) break;
    const parameters = new Map<string, string>();
    at = readParameters(value, close + 1, parameters);
    if (parameters.has("anchor")) continue;
    links.push({
      href: value.slice(open + 1, close).trim(),
      rel: (parameters.get("rel") ?? "").toLowerCase(),
      type: (parameters.get("type") ?? "").toLowerCase(),
    });
  }
  return links;
}

/** Reads to behind the comma that ends the link. The first parameter of a name stands. */
function readParameters(value: string, from: number, parameters: Map<string, string>): number {
  const { length } = value;
  let at = from;
  while (at < length) {
    while (at < length && (isSpace(value.charCodeAt(at)) || value[at] === ";")) at++;
    if (value[at] === ",") return at + 1;
    const start = at;
    while (at < length && !"=;,".includes(value[at]!)) at++;
    const name = value.slice(start, at).trim().toLowerCase();
    let content = "";
    if (value[at] === "=") {
      at++;
      while (at < length && isSpace(value.charCodeAt(at))) at++;
      if (value[at] === '"') [content, at] = quoted(value, at);
      else {
        const from = at;
        while (at < length && value[at] !== ";" && value[at] !== ",") at++;
        content = value.slice(from, at).trim();
      }
    }
    if (name !== "" && !parameters.has(name)) parameters.set(name, content);
  }
  return at;
}

function quoted(value: string, quote: number): [string, number] {
  let text = "";
  let at = quote + 1;
  for (; at < value.length && value[at] !== '"'; at++) {
    if (value[at] === "\\" && at + 1 < value.length) at++;
    text += value[at];
  }
  return [text, at + 1];
}
