/** What a style sheet fetches: `url()` and `@import`, outside comments and strings (CSS Syntax 3, section 4.3). */
import type { RawLink } from "../model/link.ts";
import type { MediaHandler } from "../ports/media-handler.ts";

/** What a scan stops at. */
const MARKS = /\/\*|["']|@import(?=[\t\n\f\r "'])|(?<![\w-])url\(/gi;
const SPACE = /[\t\n\f\r ]*/y;
/** What ends a quoted string: its quote, or a line end (a broken string); an escape is passed by. */
const DOUBLE_END = /["\n\r\f]|\\/g;
const SINGLE_END = /['\n\r\f]|\\/g;
const BARE_END = /[)"'(\t\n\f\r ]|\\/g;

/** The URLs as written, escapes decoded, in order; those that need no fetch (`data:`, `#id`) left out. */
export function cssUrls(text: string): string[] {
  const urls: string[] = [];
  const add = (url: string) => {
    if (url !== "" && !url.startsWith("#") && !/^data:/i.test(url)) urls.push(decodeEscapes(url));
  };
  MARKS.lastIndex = 0;
  for (let mark = MARKS.exec(text); mark !== null; mark = MARKS.exec(text)) {
    const start = MARKS.lastIndex;
    if (mark[0] === "/*") {
      const end = text.indexOf("*/", start);
      if (end < 0) break;
      MARKS.lastIndex = end + 2;
    } else if (mark[0].length === 1) {
      MARKS.lastIndex = stringEnd(text, start, mark[0]).next;
    } else {
      const isUrl = mark[0].endsWith("(");
      const at = skipSpace(text, start);
      const quote = text[at];
      const isQuoted = quote === '"' || quote === "'";
      if (!isUrl && !isQuoted) continue; // "@import url(...)": the url is the next mark
      const end = isQuoted ? stringEnd(text, at + 1, quote) : bareEnd(text, at);
      if (end.whole) add(text.slice(isQuoted ? at + 1 : at, end.at));
      MARKS.lastIndex = end.next;
    }
  }
  return urls;
}

interface End {
  /** Where the content ends. */
  readonly at: number;
  /** Where to go on. */
  readonly next: number;
  /** False for a broken string or URL. */
  readonly whole: boolean;
}

function stringEnd(text: string, from: number, quote: string): End {
  const ends = quote === '"' ? DOUBLE_END : SINGLE_END;
  ends.lastIndex = from;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    if (end[0] === "\\") ends.lastIndex = escapeEnd(text, end.index);
    else return { at: end.index, next: end.index + 1, whole: end[0] === quote };
  }
  return { at: text.length, next: text.length, whole: false };
}

function bareEnd(text: string, from: number): End {
  BARE_END.lastIndex = from;
  for (let end = BARE_END.exec(text); end !== null; end = BARE_END.exec(text)) {
    if (end[0] === "\\") BARE_END.lastIndex = escapeEnd(text, end.index);
    else {
      const close = text[skipSpace(text, end.index)] === ")";
      return { at: end.index, next: close ? end.index + 1 : end.index, whole: close };
    }
  }
  return { at: text.length, next: text.length, whole: false };
}

const ESCAPE = /\\(?:[0-9a-f]{1,6}(?:\r\n|[\t\n\f\r ])?|\r\n|[\s\S]?)/iy;

function escapeEnd(text: string, backslash: number): number {
  ESCAPE.lastIndex = backslash;
  ESCAPE.exec(text);
  return ESCAPE.lastIndex;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

const ESCAPES = /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|\r?\n|([\s\S]))/gi;

/** Section 4.3.7. */
function decodeEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPES, (_, hex?: string, other?: string) => {
    if (hex === undefined) return other ?? "";
    const point = Number.parseInt(hex, 16);
    const isScalar = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    return isScalar ? String.fromCodePoint(point) : "\ufffd";
  });
}

export const css: MediaHandler = {
  name: "css",
  accepts: ["text/css"],
  read: (document) => ({
    links: cssUrls(document.text()).map((href): RawLink => ({ href, kind: "embed", from: "css" })),
  }),
};
