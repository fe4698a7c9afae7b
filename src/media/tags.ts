/**
 * The start tags of an HTML document that a reader cares for, in one pass over its text and without a tree.
 *
 * It follows the HTML standard's tokenizer (section 13.2.5) as a browser without scripts runs it: comments, CDATA in
 * foreign content, raw text (script, style, title ...), inert templates, a tag broken by the end of input. What it does
 * otherwise, knowingly: it builds no tree, so tags that a tree builder would drop for their place (an `<a>` in a
 * `<select>`, a `<frame>` outside a frameset) are reported. Every search goes forward or ends the document, so the time
 * is linear in its length.
 */
import { decodeAttribute } from "./character-references.ts";
import { ForeignContent } from "./foreign.ts";
import { NameTable } from "./name-table.ts";
import { commentEnd, rawTextEnd, scriptEnd } from "./raw-text.ts";
import type { SeenText } from "./seen-text.ts";

/** The attributes that can be asked for: their places in `ATTRIBUTES`. */
export const HREF = 0;
export const SRC = 1;
export const SRCSET = 2;
export const REL = 3;
export const NAME = 4;
export const CONTENT = 5;
export const HTTP_EQUIV = 6;
export const LANG = 7;
export const DATA = 8;
export const POSTER = 9;
export const BACKGROUND = 10;
export const TYPE = 11;
export const IMAGESRCSET = 12;
export const XLINK_HREF = 13;
export const XML_LANG = 14;
export const PROPERTY = 15;
const SHADOWROOTMODE = 16;
const ENCODING = 17;
const COLOR = 18;
const FACE = 19;
const SIZE = 20;

const attributeNames = new NameTable(
  (
    "href src srcset rel name content http-equiv lang data poster background type imagesrcset xlink:href xml:lang " +
    "property shadowrootmode encoding color face size"
  ).split(" "),
);
const FONT = (1 << COLOR) | (1 << FACE) | (1 << SIZE);

/** Reported: links and facts are read from them. */
const REPORTED = 1;
/** Their content is text to the end tag. */
const RAW = 2;
const SCRIPT = 4;
/** Never ends. */
const PLAINTEXT = 8;
const TEMPLATE = 16;
const ROOT = 32;
/** Sets what is seen off from what stands around it. */
const BLOCK = 64;
/** Of an element's role, all that its attributes matter for. */
const WITH_ATTRIBUTES = ~BLOCK;

const read: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "a area base link meta html img image source frame embed object video audio track input body table td th use"
      .split(" ")
      .map((name) => [name, REPORTED]),
  ),
  script: REPORTED | SCRIPT,
  style: REPORTED | RAW,
  title: REPORTED | RAW,
  iframe: REPORTED | RAW,
  textarea: RAW,
  xmp: RAW,
  noembed: RAW,
  noframes: RAW,
  plaintext: PLAINTEXT,
  template: TEMPLATE,
  svg: ROOT,
  math: ROOT,
};
const blocks = (
  "address article aside blockquote body br button caption center col colgroup dd details dialog dir div dl dt fieldset " +
  "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html img input legend li listing " +
  "main menu nav ol optgroup option p plaintext pre search section select summary table tbody td textarea tfoot th thead " +
  "tr ul video xmp"
).split(" ");
const tags: Readonly<Record<string, number>> = {
  ...read,
  ...Object.fromEntries(blocks.map((name) => [name, (read[name] ?? 0) | BLOCK])),
};
const tagNames = Object.keys(tags);
const tagRoles = Object.values(tags);
const tagTable = new NameTable(tagNames);

const BANG = 0x21;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;

/** White space of HTML, a lone CR among it (the standard turns it into LF beforehand). */
const isSpace = (code: number): boolean => code === 0x20 || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a && code < 0x80;

export interface TagOptions {
  /** The document is XHTML: `/>` closes every element and CDATA may stand anywhere. */
  readonly xml?: boolean;
  /** Makes text of a piece cut from the document: where the document is given as bytes, one character each. */
  readonly revive?: (piece: string) => string;
  /** Is shown all text that is seen, if it is asked for. */
  readonly seen?: SeenText;
}

export class TagReader {
  /** Whether the tag's element is SVG or MathML. */
  foreign = false;

  readonly #text: string;
  readonly #xml: boolean;
  readonly #revive: ((piece: string) => string) | undefined;
  readonly #foreignContent = new ForeignContent();
  #inForeign = false;
  /** Open templates; what is in one is inert and not reported. */
  #templates = 0;
  /** What is seen is shown here; null while nothing is seen. */
  #shown: SeenText | null;
  readonly #seen: SeenText | null;
  #at = 0;
  #selfClosing = false;
  /** The attributes that the tag has, a bit each, and where their values stand. */
  #present = 0;
  readonly #valueStarts = new Int32Array(21);
  readonly #valueEnds = new Int32Array(21);
  #contentStart = 0;
  #contentEnd = 0;

  constructor(text: string, options: TagOptions = {}) {
    this.#text = text;
    this.#xml = options.xml ?? false;
    this.#revive = options.revive;
    this.#seen = options.seen ?? null;
    this.#shown = this.#seen;
  }

  /** Goes to the next start tag that is reported; its name in lower case, "" at the end of the document. */
  next(): string {
    const text = this.#text;
    const { length } = text;
    for (;;) {
      const lt = text.indexOf("<", this.#at);
      if (lt !== this.#at && this.#shown !== null) this.#shown.show(this.#at, lt < 0 ? length : lt);
      if (lt < 0) return "";
      let at = lt + 1;
      if (at >= length) return "";
      let code = text.charCodeAt(at);
      const closing = code === SLASH;
      if (closing && ++at < length) code = text.charCodeAt(at);
      if (!isLetter(code)) {
        if (!this.#skipMarkup(lt, code, closing)) return "";
        continue;
      }
      const nameStart = at;
      do {
        if (++at >= length) return "";
        code = text.charCodeAt(at);
      } while (code > GREATER || !(code === GREATER || code === SLASH || isSpace(code)));

      const inForeign = this.#inForeign;
      const passedBy = closing && this.#templates === 0 && this.#seen === null;
      const tag = passedBy ? -1 : tagTable.find(text, nameStart, at);
      const role = tag < 0 ? 0 : tagRoles[tag]!;
      this.#present = 0;
      this.#selfClosing = false;
      if (code === GREATER) this.#at = at + 1;
      else if (!this.#readAttributes(at, !closing && ((role & WITH_ATTRIBUTES) !== 0 || inForeign))) return "";

      let foreign = false;
      if (inForeign || (role & ROOT) !== 0) {
        const name = text.slice(nameStart, at).toLowerCase();
        if (closing) this.#foreignContent.end(name);
        else foreign = this.#startForeign(name);
        this.#inForeign = this.#foreignContent.inside;
        this.#lookAround();
      }
      if (role === 0) continue;
      if ((role & BLOCK) !== 0 && this.#shown !== null) this.#shown.space();
      if (role === TEMPLATE) {
        if (!foreign) this.#template(closing);
        this.#lookAround();
        continue;
      }
      if (closing) continue;
      if (!foreign && (role & (RAW | SCRIPT | PLAINTEXT)) !== 0) this.#readContent(tagNames[tag]!, role);
      if ((role & REPORTED) === 0 || this.#templates > 0) continue;
      this.foreign = foreign;
      return tagNames[tag]!;
    }
  }

  /** Whether what stands here is seen. */
  #lookAround(): void {
    const hidden = this.#templates > 0 || this.#foreignContent.inDrawing;
    this.#shown = hidden ? null : this.#seen;
  }

  /** Whether the tag has the attribute, with or without a value. */
  has(attribute: number): boolean {
    return (this.#present & (1 << attribute)) !== 0;
  }

  /** The attribute's value, its character references decoded; null when the tag has no such attribute. */
  value(attribute: number): string | null {
    if ((this.#present & (1 << attribute)) === 0) return null;
    const text = this.#text;
    const start = this.#valueStarts[attribute]!;
    const end = this.#valueEnds[attribute]!;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === AMPERSAND || code > 0x7f || code === 0) return decodeAttribute(this.#cut(start, end));
    }
    return text.slice(start, end);
  }

  /** What stands between the tag and its end tag, undecoded; only for elements of raw text (title, style, script). */
  content(): string {
    return this.#cut(this.#contentStart, this.#contentEnd);
  }

  #cut(start: number, end: number): string {
    let piece = this.#text.slice(start, end);
    if (this.#revive !== undefined) piece = this.#revive(piece);
    return piece.includes("\0") ? piece.replaceAll("\0", "\ufffd") : piece;
  }

  /** Passes by a comment, a declaration, or a "<" that is text; false when the document ends in it. */
  #skipMarkup(lt: number, code: number, closing: boolean): boolean {
    const text = this.#text;
    let end: number;
    if (closing || code === QUESTION) end = text.indexOf(">", lt + 2) + 1;
    else if (code !== BANG) {
      end = lt + 1;
      this.#shown?.showRaw(lt, end);
    } else if (text.startsWith("--", lt + 2)) end = commentEnd(text, lt);
    else if (text.startsWith("[CDATA[", lt + 2) && (this.#xml || this.#foreignContent.strict)) {
      end = text.indexOf("]]>", lt + 9) + 3;
      if (end === 2) end = 0;
      else this.#shown?.showRaw(lt + 9, end - 3);
    } else end = text.indexOf(">", lt + 2) + 1;
    this.#at = end;
    return end > 0;
  }

  /** Reads to behind the tag's ">"; false when the document ends before, in which case there is no tag. */
  #readAttributes(from: number, record: boolean): boolean {
    const text = this.#text;
    const { length } = text;
    let at = from;
    for (;;) {
      let code = 0;
      let slash = false;
      for (; at < length; at++) {
        code = text.charCodeAt(at);
        if (code !== SLASH && !isSpace(code)) break;
        slash = code === SLASH;
      }
      if (at >= length) return false;
      if (code === GREATER) {
        this.#selfClosing = slash;
        this.#at = at + 1;
        return true;
      }
      const nameStart = at;
      do {
        if (++at >= length) return false;
        code = text.charCodeAt(at);
      } while (code > GREATER || !(code === EQUALS || code === GREATER || code === SLASH || isSpace(code)));
      const nameEnd = at;

      while (isSpace(code)) {
        if (++at >= length) return false;
        code = text.charCodeAt(at);
      }
      let valueStart = at;
      let valueEnd = at;
      if (code === EQUALS) {
        do {
          if (++at >= length) return false;
          code = text.charCodeAt(at);
        } while (isSpace(code));
        valueStart = valueEnd = at;
        if (code === QUOTE || code === APOSTROPHE) {
          valueStart = at + 1;
          valueEnd = text.indexOf(code === QUOTE ? '"' : "'", valueStart);
          if (valueEnd < 0) return false;
          at = valueEnd + 1;
        } else {
          while (code > GREATER || !(code === GREATER || isSpace(code))) {
            if (++at >= length) return false;
            code = text.charCodeAt(at);
          }
          valueEnd = at;
        }
      }
      if (!record) continue;
      const slot = attributeNames.find(text, nameStart, nameEnd);
      if (slot < 0 || (this.#present & (1 << slot)) !== 0) continue; // the first of a name stands
      this.#present |= 1 << slot;
      this.#valueStarts[slot] = valueStart;
      this.#valueEnds[slot] = valueEnd;
    }
  }

  #startForeign(name: string): boolean {
    const fontAttribute = (this.#present & FONT) !== 0;
    return this.#foreignContent.start(name, this.#selfClosing, fontAttribute, this.value(ENCODING));
  }

  /** A template's content is no part of the document, unless it is a shadow root that the parser attaches. */
  #template(closing: boolean): void {
    if (closing) this.#templates--;
    else if (this.#templates > 0 || !/^(?:open|closed)$/i.test(this.value(SHADOWROOTMODE) ?? "")) {
      if (!(this.#xml && this.#selfClosing)) this.#templates++;
    }
  }

  #readContent(name: string, role: number): void {
    if (this.#xml && this.#selfClosing) {
      this.#contentStart = this.#contentEnd = this.#at;
      return;
    }
    const text = this.#text;
    this.#contentStart = this.#at;
    if ((role & PLAINTEXT) !== 0) this.#contentEnd = text.length;
    else if ((role & SCRIPT) !== 0) this.#contentEnd = scriptEnd(text, this.#at);
    else this.#contentEnd = rawTextEnd(text, this.#at, name);
    this.#at = this.#contentEnd;
    if (this.#shown === null) return;
    if (name === "textarea") this.#shown.show(this.#contentStart, this.#contentEnd);
    else if (name === "xmp" || name === "plaintext") this.#shown.showRaw(this.#contentStart, this.#contentEnd);
  }
}
