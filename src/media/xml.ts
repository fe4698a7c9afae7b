/**
 * A lenient pull reader of XML: start tags, end tags and texts, names without prefix and in lower case. Nothing is
 * validated, no entity but the five and numbers is known, nothing outside the document is ever read.
 */
import { decodeXmlText } from "./character-references.ts";

export type XmlEvent = "start" | "end" | "text" | "eof";

export class XmlReader {
  /** Of a start or end tag: the local name in lower case. */
  name = "";
  /** Of a start tag: whether it ends at once ("/>"). No "end" follows. */
  empty = false;
  /** Of a text: its content, references decoded; CDATA as it stands. */
  text = "";
  /** The document ended inside a tag, a comment or a section. */
  broken = false;

  readonly #input: string;
  #at = 0;
  #attributesStart = 0;
  #attributesEnd = 0;

  constructor(input: string) {
    this.#input = input;
  }

  next(): XmlEvent {
    const input = this.#input;
    for (;;) {
      const from = this.#at;
      if (from >= input.length) return "eof";
      const lt = input.indexOf("<", from);
      if (lt !== from) {
        this.#at = lt < 0 ? input.length : lt;
        this.text = decodeXmlText(input.slice(from, this.#at));
        return "text";
      }
      const code = input.charCodeAt(lt + 1);
      if (code === 0x21 || code === 0x3f) {
        if (input.startsWith("<![CDATA[", lt)) {
          const end = input.indexOf("]]>", lt + 9);
          this.text = input.slice(lt + 9, end < 0 ? undefined : end);
          this.broken ||= end < 0;
          this.#at = end < 0 ? input.length : end + 3;
          return "text";
        }
        this.#skip(lt, code === 0x3f ? "?>" : input.startsWith("<!--", lt) ? "-->" : ">");
        continue;
      }
      if (isNameStart(code)) return this.#startTag(lt);
      if (code === 0x2f) return this.#endTag(lt);
      this.text = "<";
      this.#at = lt + 1;
      return "text";
    }
  }

  /** An attribute of the start tag, by local name in lower case; null when there is none. */
  attribute(name: string): string | null {
    const input = this.#input;
    const end = this.#attributesEnd;
    let at = this.#attributesStart;
    while (at < end) {
      while (at < end && isBetween(input.charCodeAt(at))) at++;
      const start = at;
      while (at < end && input.charCodeAt(at) !== EQUALS && !isBetween(input.charCodeAt(at))) at++;
      const found = at;
      while (at < end && input.charCodeAt(at) <= 0x20) at++;
      if (input.charCodeAt(at) !== EQUALS) continue;
      at++;
      while (at < end && input.charCodeAt(at) <= 0x20) at++;
      const quote = input[at];
      let valueStart = at;
      if (quote === '"' || quote === "'") {
        valueStart++;
        at = input.indexOf(quote, valueStart); // there is one: the tag was found to end behind it
      } else while (at < end && input.charCodeAt(at) > 0x20) at++;
      if (localName(input.slice(start, found)) === name) return decodeXmlText(input.slice(valueStart, at));
      at++;
    }
    return null;
  }

  #skip(from: number, mark: string): void {
    const end = this.#input.indexOf(mark, from + 2);
    this.broken ||= end < 0;
    this.#at = end < 0 ? this.#input.length : end + mark.length;
  }

  #startTag(lt: number): XmlEvent {
    const input = this.#input;
    let at = lt + 1;
    while (at < input.length && !endsName(input.charCodeAt(at))) at++;
    const end = tagEnd(input, at);
    if (end < 0) return this.#brokenTag();
    this.name = localName(input.slice(lt + 1, at));
    this.empty = input.charCodeAt(end - 1) === 0x2f;
    this.#attributesStart = at;
    this.#attributesEnd = this.empty ? end - 1 : end;
    this.#at = end + 1;
    return "start";
  }

  #endTag(lt: number): XmlEvent {
    const end = this.#input.indexOf(">", lt);
    if (end < 0) return this.#brokenTag();
    this.name = localName(this.#input.slice(lt + 2, end).trimEnd());
    this.#at = end + 1;
    return "end";
  }

  #brokenTag(): XmlEvent {
    this.broken = true;
    this.#at = this.#input.length;
    return "eof";
  }
}

const EQUALS = 0x3d;
/** What may stand between attributes: white space, "/", and quotes that open nothing. */
const isBetween = (code: number): boolean => code <= 0x20 || code === 0x2f || code === 0x22 || code === 0x27;
const isNameStart = (code: number): boolean =>
  ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || code === 0x5f || code === 0x3a || code >= 0x80;
const endsName = (code: number): boolean => code <= 0x20 || code === 0x2f || code === 0x3e;

/** The ">" of the tag, quotes respected; -1 when it never comes. */
function tagEnd(input: string, from: number): number {
  for (let at = from; at < input.length; at++) {
    const code = input.charCodeAt(at);
    if (code === 0x3e) return at;
    if (code === 0x22 || code === 0x27) {
      at = input.indexOf(code === 0x22 ? '"' : "'", at + 1);
      if (at < 0) return -1;
    }
  }
  return -1;
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return (colon < 0 ? name : name.slice(colon + 1)).toLowerCase();
}

/** The local name of the root element, or "" when there is none: what the document is. */
export function rootName(input: string): string {
  const reader = new XmlReader(input);
  for (let event = reader.next(); event !== "eof"; event = reader.next()) if (event === "start") return reader.name;
  return "";
}
