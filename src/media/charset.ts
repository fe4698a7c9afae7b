/**
 * Bytes to text by the WHATWG order: byte order mark, the header's charset, what the document says of itself within
 * 1,024 bytes, and a default by media type. Labels that name no encoding are ignored.
 */
import { isAscii } from "node:buffer";
import { createMultibyteDecoder } from "@exodus/bytes/multi-byte.js";
import { isXmlType, type MediaType } from "../model/media-type.ts";
import { prescan, utf16Declaration, xmlEncoding } from "./prescan.ts";

/** Labels of the Encoding standard's "replacement": encodings that no one may decode. TextDecoder refuses them. */
const REPLACEMENT = new Set([
  "replacement",
  "csiso2022kr",
  "hz-gb-2312",
  "iso-2022-cn",
  "iso-2022-cn-ext",
  "iso-2022-kr",
]);

/** Labels come from the world; so many are remembered. */
const MAX_REMEMBERED_LABELS = 500;
const LONGEST_LABEL = 64;
const encodings = new Map<string, string | null>();
const decoders = new Map<string, (body: Uint8Array) => string>();

/**
 * Where the platform's decoder (ICU's) is not the standard's: its EUC-KR lacks half of the Korean syllables, its Big5
 * Hong Kong's characters, its Shift_JIS swaps control characters, and all take what is malformed for private characters.
 */
const NOT_OF_THE_PLATFORM = new Set(["big5", "euc-jp", "euc-kr", "iso-2022-jp", "shift_jis"]);

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);

/** The Encoding standard's "get an encoding": its name in lower case, or null. */
export function encodingOfLabel(label: string): string | null {
  let [from, to] = [0, label.length];
  while (from < to && isSpace(label.charCodeAt(from))) from++;
  while (to > from && isSpace(label.charCodeAt(to - 1))) to--;
  if (to - from > LONGEST_LABEL) return null;
  const key = label.slice(from, to).toLowerCase();
  const known = encodings.get(key);
  if (known !== undefined) return known;
  const encoding = REPLACEMENT.has(key) ? "replacement" : lookUp(key);
  if (encodings.size >= MAX_REMEMBERED_LABELS) encodings.clear();
  encodings.set(key, encoding);
  return encoding;
}

function lookUp(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    if (cause instanceof RangeError) return null; // what it throws for an unknown label
    throw cause;
  }
}

/** The byte order mark's encoding, or null. It wins over everything else. */
export function encodingOfMark(body: Uint8Array): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return "utf-8";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  return null;
}

/**
 * The encoding of a body. `mediaType`: its essence after sniffing; `declared`: what the header said. Without any
 * declaration XML, CSS, JSON and scripts are UTF-8 (their own standards), HTML and plain text windows-1252.
 */
export function findEncoding(body: Uint8Array, mediaType: string, declared: MediaType | null): string {
  const mark = encodingOfMark(body);
  if (mark !== null) return mark;
  const label = declared?.parameters.get("charset");
  const fromHeader = label === undefined ? null : encodingOfLabel(label);
  if (fromHeader !== null) return fromHeader;
  if (mediaType === "text/html") return prescan(body, encodingOfLabel) ?? "windows-1252";
  if (isXmlType(mediaType)) return utf16Declaration(body) ?? xmlEncoding(body, encodingOfLabel) ?? "utf-8";
  if (mediaType === "text/css") return encodingOfCss(body) ?? "utf-8";
  return mediaType === "text/plain" ? "windows-1252" : "utf-8";
}

/** CSS Syntax, section 3.2: `@charset "label";` to the byte, at the start. */
function encodingOfCss(body: Uint8Array): string | null {
  const start = asBuffer(body.subarray(0, 1024)).toString("latin1");
  const label = /^@charset "([^"]*)";/.exec(start)?.[1];
  const encoding = label === undefined ? null : encodingOfLabel(label);
  return encoding?.startsWith("utf-16") ? "utf-8" : encoding;
}

/** The text; malformed bytes become U+FFFD, a byte order mark is dropped. `encoding` is a name from this module. */
export function decode(body: Uint8Array, encoding: string): string {
  if (encoding === "replacement") return body.length === 0 ? "" : "\ufffd";
  if (keepsAscii(encoding) && isAscii(body)) return asBuffer(body).toString("latin1"); // a tenth of the decoder's time
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    decoder = decoderOf(encoding);
    decoders.set(encoding, decoder); // at most one for each of the standard's 40 encodings
  }
  return decoder(body);
}

function decoderOf(encoding: string): (body: Uint8Array) => string {
  if (NOT_OF_THE_PLATFORM.has(encoding)) return createMultibyteDecoder(encoding, true);
  const decoder = new TextDecoder(encoding);
  return (body) => decoder.decode(body);
}

/** Whether the bytes are the text's UTF-8 already. */
export const isUtf8 = (body: Uint8Array, encoding: string): boolean =>
  encoding === "utf-8" || (keepsAscii(encoding) && encoding !== "replacement" && isAscii(body));

/** Whether bytes below 128 always mean ASCII, unless they trail a lead byte. */
const keepsAscii = (encoding: string): boolean => !encoding.startsWith("utf-16") && encoding !== "iso-2022-jp";

/**
 * Whether markup can be found in the undecoded bytes: `<`, `>`, quotes, `=`, `&` and white space are themselves wherever
 * they stand. True of UTF-8, of one-byte encodings, and of those of two bytes, whose second is above 0x3f or a digit.
 */
export const markupIsPlain = (encoding: string): boolean => keepsAscii(encoding) && encoding !== "replacement";

/** The same bytes as a Buffer; nothing is copied. */
export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
