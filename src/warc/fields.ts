/** Header blocks as WARC records and HTTP messages have them: a first line, `Name: value` lines, an empty line. */
import type { RawHeaders } from "../model/fetch-result.ts";

export interface FieldBlock {
  readonly firstLine: string;
  readonly fields: RawHeaders;
  /** Where the bytes behind the empty line begin. */
  readonly end: number;
}

const LF = 10;
const CR = 13;

/** The index behind the first empty line at or after `from`, or -1 when there is none yet. */
function headEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

/**
 * The header block that begins at `from` and ends at the first empty line, or with the bytes. Line ends may be CRLF or
 * LF; folded lines are joined by a space; lines without a colon are passed over.
 */
export function parseFields(bytes: Buffer, from: number, encoding: "latin1" | "utf8"): FieldBlock {
  const found = headEnd(bytes, from);
  const end = found < 0 ? bytes.length : found;
  const lines = bytes.toString(encoding, from, end).split(/\r?\n/);
  const fields: string[] = [];
  for (const line of lines.slice(1)) {
    if (line === "") continue;
    if ((line[0] === " " || line[0] === "\t") && fields.length > 0) {
      fields[fields.length - 1] += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(":");
    if (colon > 0) fields.push(line.slice(0, colon).trimEnd(), trimValue(line.slice(colon + 1)));
  }
  return { firstLine: lines[0]!, fields, end };
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** Optional white space of HTTP is space and tab only: other bytes of a Latin-1 value are its own. */
function trimValue(text: string): string {
  // Not by an expression: one that looks for blanks at an end looks at every run of blanks again for each of its blanks.
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}
