/** Heads that no grammar allows and every browser reads: bare line feeds, blanks before colons, folded lines, doubled lengths. */

/** RFC 9112 sections 4 and 5: what the parser takes as it is. */
const SOUND =
  /^HTTP\/1\.[01] [1-9]\d\d(?: [^\r\n\0]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
const FRAMING = /\n(?:content-length|transfer-encoding):/gi;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Where the head at `from` ends (behind its empty line), or -1: not within these bytes. */
export function headEnd(bytes: Buffer, from = 0): number {
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2;
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3;
  }
  return -1;
}

/**
 * A whole head of a response (Latin-1) as HTTP writes it, or null when there is nothing to mend. What cannot be mended
 * (lengths that differ, a status that is none) is left for the parser to refuse. Linear in the length.
 */
export function repairHead(head: string): string | null {
  if (SOUND.test(head) && (head.match(FRAMING)?.length ?? 0) < 2) return null;
  const [statusLine = "", ...lines] = head.split(/\r?\n/);
  let fields: [name: string, value: string][] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line)) {
      // RFC 9112 section 5.2: a folded line goes on with a space.
      if (last !== undefined) last[1] = `${last[1]} ${clean(line)}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    if (NAME.test(name)) fields.push([name, clean(line.slice(colon + 1))]); // else it is no field: browsers pass over it
  }
  fields = framed(fields);
  const version = statusLine.replace(/^HTTP\/1\.\d/, (text) => (text.endsWith("0") ? "HTTP/1.0" : "HTTP/1.1"));
  return `${clean(version)}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** RFC 9112 section 6.3: Transfer-Encoding overrides Content-Length, and the same length said again is said once. */
function framed(fields: [name: string, value: string][]): [name: string, value: string][] {
  const isLength = ([name]: readonly [string, string]) => name.toLowerCase() === "content-length";
  const chunked = fields.some(([name, value]) => name.toLowerCase() === "transfer-encoding" && /chunked/i.test(value));
  if (chunked) return fields.filter((field) => !isLength(field));
  const lengths = new Set(fields.filter(isLength).flatMap(([, value]) => value.split(",").map((one) => one.trim())));
  if (lengths.size !== 1) return fields;
  const first = fields.findIndex(isLength);
  return fields
    .filter((field, i) => i === first || !isLength(field))
    .map((field, i): [string, string] => (i === first ? [field[0], [...lengths][0]!] : field));
}

/** RFC 9110 section 5.5: control characters within a value become spaces. */
function clean(text: string): string {
  return text.replace(/[\0-\x08\x0a-\x1f\x7f]/g, " ").trim();
}
