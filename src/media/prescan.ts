/**
 * What encoding a document says of itself in its first bytes: the HTML standard's "prescan a byte stream to determine
 * its encoding" and "get an XML encoding" (section 13.2.3.2), to the letter. Labels are returned as written, not looked up.
 */

/** Gives the encoding that a label names, or null when it names none. */
export type LabelLookup = (label: string) => string | null;

const PRESCANNED_BYTES = 1024;

const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0c || byte === 0x0d;
const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

/** The encoding declared by a `<meta>` (or an XML declaration) that begins within the first 1,024 bytes, or null. */
export function prescan(body: Uint8Array, lookup: LabelLookup): string | null {
  const bytes = body.length > PRESCANNED_BYTES ? body.subarray(0, PRESCANNED_BYTES) : body;
  return utf16Declaration(bytes) ?? metaEncoding(bytes, lookup) ?? xmlEncoding(bytes, lookup);
}

/** `<?x` in UTF-16 without a byte order mark. */
export function utf16Declaration(bytes: Uint8Array): string | null {
  const [a, b, c, d, e, f] = bytes;
  if (a === 0x3c && b === 0 && c === 0x3f && d === 0 && e === 0x78 && f === 0) return "utf-16le";
  if (a === 0 && b === 0x3c && c === 0 && d === 0x3f && e === 0 && f === 0x78) return "utf-16be";
  return null;
}

function metaEncoding(bytes: Uint8Array, lookup: LabelLookup): string | null {
  const { length } = bytes;
  let at = 0;
  while (at < length) {
    const lt = bytes.indexOf(LESS, at);
    if (lt < 0) return null;
    const next = bytes[lt + 1] ?? 0;
    if (isAscii(bytes, lt + 1, "!--")) {
      const end = commentEnd(bytes, lt + 2);
      if (end < 0) return null;
      at = end;
    } else if (isMeta(bytes, lt)) {
      const attributes = new AttributeReader(bytes, lt + 5);
      const encoding = encodingOfMeta(attributes, lookup);
      if (encoding !== null) return encoding;
      if (attributes.at >= length) return null;
      at = attributes.at;
    } else if (isLetter(next) || (next === SLASH && isLetter(bytes[lt + 2] ?? 0))) {
      at = lt + 1;
      while (at < length && !isSpace(bytes[at]!) && bytes[at] !== GREATER) at++;
      const attributes = new AttributeReader(bytes, at);
      while (attributes.next());
      at = attributes.at;
    } else if (next === 0x21 || next === SLASH || next === 0x3f) {
      at = bytes.indexOf(GREATER, lt + 1);
      if (at < 0) return null;
    } else {
      at = lt + 1;
    }
  }
  return null;
}

function isAscii(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function isMeta(bytes: Uint8Array, lt: number): boolean {
  for (let i = 0; i < 4; i++) if (((bytes[lt + 1 + i] ?? 0) | 0x20) !== "meta".charCodeAt(i)) return false;
  const end = bytes[lt + 5] ?? 0;
  return isSpace(end) || end === SLASH;
}

/** Behind the first `-->` whose dashes stand at `from` or later; -1 when there is none. */
function commentEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 2 < bytes.length; at++) if (isAscii(bytes, at, "-->")) return at + 3;
  return -1;
}

function encodingOfMeta(attributes: AttributeReader, lookup: LabelLookup): string | null {
  const seen = new Set<string>();
  let gotPragma = false;
  let needPragma: boolean | null = null;
  let charset: string | null | undefined; // null: a label that names nothing
  while (attributes.next()) {
    const { name, value } = attributes;
    if (seen.has(name)) continue;
    seen.add(name);
    if (name === "http-equiv") gotPragma ||= value === "content-type";
    else if (name === "content" && charset === undefined) {
      const label = charsetOfContent(value);
      const found = label === null ? null : lookup(label);
      if (found === null) continue;
      charset = found;
      needPragma = true;
    } else if (name === "charset") {
      charset = lookup(value);
      needPragma = false;
    }
  }
  // A tag that the window cuts off declares nothing (running out of bytes ends the prescan).
  if (attributes.at >= attributes.length || needPragma === null) return null;
  if ((needPragma && !gotPragma) || charset == null) return null;
  return charset === "x-user-defined" ? "windows-1252" : withoutUtf16(charset);
}

const withoutUtf16 = (encoding: string): string => (encoding.startsWith("utf-16") ? "utf-8" : encoding);

/** The HTML standard's "extracting a character encoding from a meta element"; the label as written. */
function charsetOfContent(content: string): string | null {
  const declared = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(?!["'])([^\t\n\f\r ;]+))/i;
  // The first "charset" that an "=" follows decides; an open quote behind it means none.
  const first = /charset[\t\n\f\r ]*=/i.exec(content);
  if (first === null) return null;
  const match = declared.exec(content);
  if (match === null || match.index !== first.index) return null;
  return match[1] ?? match[2] ?? match[3] ?? null;
}

/** The HTML standard's "get an attribute", over bytes; names and values in lower case. */
class AttributeReader {
  readonly #bytes: Uint8Array;
  readonly length: number;
  at: number;
  name = "";
  value = "";

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.length = bytes.length;
    this.at = at;
  }

  /** False at the end of the tag (`at` stands on its ">") or of the bytes. */
  next(): boolean {
    const bytes = this.#bytes;
    while (this.at < this.length && (isSpace(bytes[this.at]!) || bytes[this.at] === SLASH)) this.at++;
    if (this.at >= this.length || bytes[this.at] === GREATER) return false;
    this.name = "";
    this.value = "";
    this.#readName();
    return true;
  }

  #readName(): void {
    const bytes = this.#bytes;
    for (; this.at < this.length; this.at++) {
      const byte = bytes[this.at]!;
      if (byte === EQUALS && this.name !== "") break;
      if (isSpace(byte)) {
        while (this.at < this.length && isSpace(bytes[this.at]!)) this.at++;
        if (bytes[this.at] !== EQUALS) return;
        break;
      }
      if (byte === SLASH || byte === GREATER) return;
      this.name += lower(byte);
    }
    if (this.at >= this.length) return;
    this.at++; // the "="
    this.#readValue();
  }

  #readValue(): void {
    const bytes = this.#bytes;
    while (this.at < this.length && isSpace(bytes[this.at]!)) this.at++;
    const quote = bytes[this.at];
    if (quote === 0x22 || quote === 0x27) {
      for (this.at++; this.at < this.length && bytes[this.at] !== quote; this.at++)
        this.value += lower(bytes[this.at]!);
      if (this.at < this.length) this.at++;
      return;
    }
    for (; this.at < this.length && !isSpace(bytes[this.at]!) && bytes[this.at] !== GREATER; this.at++) {
      this.value += lower(bytes[this.at]!);
    }
  }
}

const lower = (byte: number): string => String.fromCharCode(byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

/** The HTML standard's "get an XML encoding": the label in an XML declaration at the very start, looked up. */
export function xmlEncoding(body: Uint8Array, lookup: LabelLookup): string | null {
  if (!isAscii(body, 0, "<?xml")) return null;
  const end = body.subarray(0, PRESCANNED_BYTES).indexOf(GREATER);
  if (end < 0) return null;
  const declaration = Buffer.from(body.buffer, body.byteOffset, end).toString("latin1");
  const match = /encoding([\x00-\x20]*)=[\x00-\x20]*(["'])/.exec(declaration);
  if (match === null || declaration.indexOf("encoding") !== match.index) return null;
  const start = match.index + match[0].length;
  const stop = declaration.indexOf(match[2]!, start);
  if (stop < 0) return null;
  const label = declaration.slice(start, stop);
  if (/[\x00-\x20]/.test(label)) return null;
  const encoding = lookup(label);
  return encoding === null ? null : withoutUtf16(encoding);
}
