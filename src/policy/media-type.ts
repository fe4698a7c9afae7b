/**
 * What a body is, decided from what was declared and how it begins: the WHATWG MIME Sniffing standard, section 7.
 * A declared type stands, but for the standard's own exceptions; `text/plain` never becomes HTML.
 */
import { header, type RawHeaders } from "../model/fetch-result.ts";
import { isXmlType, parseMediaType } from "../model/media-type.ts";

/** How many of the first bytes are ever looked at (section 5.2). */
const SNIFFED_BYTES = 1445;

/** The spellings of servers that called everything text (section 7.2, "Apache bug"). */
const OLD_DEFAULTS = new Set([
  "text/plain",
  "text/plain; charset=ISO-8859-1",
  "text/plain; charset=iso-8859-1",
  "text/plain; charset=UTF-8",
]);

/**
 * The essence of the body's type. `contentType`: the field as received, null when absent. `noSniff`: the answer said
 * `X-Content-Type-Options: nosniff`.
 */
export function sniff(contentType: string | null, body: Uint8Array, noSniff = false): string {
  const declared = contentType === null ? null : parseMediaType(contentType);
  const first = body.length > SNIFFED_BYTES ? body.subarray(0, SNIFFED_BYTES) : body;
  if (declared === null) return identify(first, !noSniff);
  const { essence } = declared;
  if (essence === "unknown/unknown" || essence === "application/unknown" || essence === "*/*") {
    return identify(first, !noSniff);
  }
  if (noSniff || isXmlType(essence)) return essence;
  if (essence === "text/html") return feedOrHtml(first);
  if (OLD_DEFAULTS.has(contentType!)) return textOrBinary(first);
  if (essence.startsWith("image/")) return match(IMAGES, first) ?? essence;
  if (essence.startsWith("audio/") || essence.startsWith("video/") || essence === "application/ogg") {
    return match(MEDIA, first) ?? container(first) ?? essence;
  }
  return essence;
}

/** The same, of an answer's header fields and its body without content-encoding. */
export function sniffAnswer(rawHeaders: RawHeaders, body: Uint8Array): string {
  const noSniff = header(rawHeaders, "x-content-type-options")?.trim().toLowerCase() === "nosniff";
  return sniff(header(rawHeaders, "content-type"), body, noSniff);
}

/** Section 7.1: identifying a resource whose type is not known. */
function identify(first: Uint8Array, scriptable: boolean): string {
  if (scriptable) {
    const html = startsLikeMarkup(first);
    if (html !== null) return html;
  }
  return (
    match(DOCUMENTS, first) ??
    match(IMAGES, first) ??
    match(MEDIA, first) ??
    container(first) ??
    match(ARCHIVES, first) ??
    textOrBinary(first)
  );
}

/** Section 7.2. */
function textOrBinary(first: Uint8Array): string {
  if (first[0] === 0xfe && first[1] === 0xff) return "text/plain";
  if (first[0] === 0xff && first[1] === 0xfe) return "text/plain";
  for (const byte of first) if (isBinary(byte)) return "application/octet-stream";
  return "text/plain";
}

const isBinary = (byte: number): boolean =>
  byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c;

const HTML_STARTS =
  "<!DOCTYPE HTML,<HTML,<HEAD,<SCRIPT,<IFRAME,<H1,<DIV,<FONT,<TABLE,<A,<STYLE,<TITLE,<B,<BODY,<BR,<P".split(",");

function startsLikeMarkup(first: Uint8Array): string | null {
  let at = 0;
  while (isSpace(first[at])) at++;
  if (first[at] !== 0x3c) return null;
  for (const start of HTML_STARTS) {
    if (!startsWith(first, at, start, true)) continue;
    const end = first[at + start.length];
    if (end === 0x20 || end === 0x3e) return "text/html";
  }
  if (startsWith(first, at, "<!--")) return "text/html";
  if (startsWith(first, at, "<?xml")) return "text/xml";
  return null;
}

function startsWith(bytes: Uint8Array, at: number, text: string, anyCase = false): boolean {
  if (at + text.length > bytes.length) return false;
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[at + i]!;
    const upper = anyCase && byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte;
    if (upper !== text.charCodeAt(i)) return false;
  }
  return true;
}

/** Hexadecimal bytes, ".." for any byte, and the type they mean. */
type Signature = readonly [pattern: readonly number[], essence: string];
const ANY = -1;
const signatures = (table: Readonly<Record<string, string>>): readonly Signature[] =>
  Object.entries(table).map(([hex, essence]) => [
    hex.split(" ").map((byte) => (byte === ".." ? ANY : Number.parseInt(byte, 16))),
    essence,
  ]);

function match(table: readonly Signature[], first: Uint8Array): string | null {
  for (const [pattern, essence] of table) {
    if (first.length < pattern.length) continue;
    if (pattern.every((byte, i) => byte === ANY || byte === first[i])) return essence;
  }
  return null;
}

const DOCUMENTS = signatures({
  "25 50 44 46 2d": "application/pdf",
  "25 21 50 53 2d 41 64 6f 62 65 2d": "application/postscript",
  "fe ff .. ..": "text/plain",
  "ff fe .. ..": "text/plain",
  "ef bb bf ..": "text/plain",
});

/** Section 6.1. */
const IMAGES = signatures({
  "00 00 01 00": "image/x-icon",
  "00 00 02 00": "image/x-icon",
  "42 4d": "image/bmp",
  "47 49 46 38 37 61": "image/gif",
  "47 49 46 38 39 61": "image/gif",
  "52 49 46 46 .. .. .. .. 57 45 42 50 56 50": "image/webp",
  "89 50 4e 47 0d 0a 1a 0a": "image/png",
  "ff d8 ff": "image/jpeg",
});

/** Section 6.2, its table. */
const MEDIA = signatures({
  "46 4f 52 4d .. .. .. .. 41 49 46 46": "audio/aiff",
  "49 44 33": "audio/mpeg",
  "4f 67 67 53 00": "application/ogg",
  "4d 54 68 64 00 00 00 06": "audio/midi",
  "52 49 46 46 .. .. .. .. 41 56 49 20": "video/avi",
  "52 49 46 46 .. .. .. .. 57 41 56 45": "audio/wave",
});

/** Section 6.4. */
const ARCHIVES = signatures({
  "1f 8b 08": "application/x-gzip",
  "50 4b 03 04": "application/zip",
  "52 61 72 21 1a 07 00": "application/x-rar-compressed",
});

/** Sections 6.2.1 and 6.2.2: MP4 and WebM. An MP3 stream without ID3 (6.2.3) is not recognised: nothing here reads it. */
function container(first: Uint8Array): string | null {
  if (first[0] === 0x1a && startsWith(first, 1, "E\u00df\u00a3")) {
    for (let at = 4; at < 38 && at + 3 < first.length; at++) {
      if (first[at] !== 0x42 || first[at + 1] !== 0x82) continue;
      let name = at + 2 + vintLength(first[at + 2]!);
      while (first[name] === 0) name++;
      if (startsWith(first, name, "webm")) return "video/webm";
    }
    return null;
  }
  if (first.length < 12 || !startsWith(first, 4, "ftyp")) return null;
  const size = first[0]! * 0x1000000 + ((first[1]! << 16) | (first[2]! << 8) | first[3]!);
  if (first.length < size || size % 4 !== 0) return null;
  if (startsWith(first, 8, "mp4")) return "video/mp4";
  for (let at = 16; at < size; at += 4) if (startsWith(first, at, "mp4")) return "video/mp4";
  return null;
}

const vintLength = (byte: number): number => Math.min(Math.clz32(byte) - 24, 7) + 1;

/** Section 7.3: a feed that is called HTML. On the bytes: as text every page would be copied to be told "HTML" in the end. */
function feedOrHtml(first: Uint8Array): string {
  let at = startsWith(first, 0, "\u00ef\u00bb\u00bf") ? 3 : 0;
  for (;;) {
    while (isSpace(first[at])) at++;
    let end: number;
    if (startsWith(first, at, "<!--")) end = after(first, "-->", at + 4);
    else if (startsWith(first, at, "<!")) end = after(first, ">", at + 2);
    else if (startsWith(first, at, "<?")) end = after(first, "?>", at + 2);
    else break;
    if (end < 0) return "text/html";
    at = end;
  }
  if (startsWith(first, at, "<rss")) return "application/rss+xml";
  if (startsWith(first, at, "<feed")) return "application/atom+xml";
  if (!startsWith(first, at, "<rdf:RDF")) return "text/html";
  const isRss = after(first, RSS_1, at) >= 0 && after(first, RDF, at) >= 0;
  return isRss ? "application/rss+xml" : "text/html";
}

const RSS_1 = "http://purl.org/rss/1.0/";
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/** The place behind the first `mark` at or after `from`; -1 when there is none. */
function after(first: Uint8Array, mark: string, from: number): number {
  for (let at = from; at < first.length; at++) if (startsWith(first, at, mark)) return at + mark.length;
  return -1;
}
