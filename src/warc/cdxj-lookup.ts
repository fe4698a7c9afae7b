/** Finds a URL in an index on disk by binary search: a few short reads, however long the index is. */
import { type FileHandle, open } from "node:fs/promises";
import type { Instant } from "../base/clock.ts";
import { readFully } from "../base/read-fully.ts";
import { ascii } from "../base/sorted-lines.ts";
import type { CdxEntry } from "./cdxj.ts";
import { surt } from "./surt.ts";

/**
 * The entries of a URL, by time. SURTs merge URLs that are not the same, so those of the very URL are given when there are
 * any, and all those of its SURT otherwise. Lines that are no entries are passed over. Throws what the file system throws.
 */
export async function lookUp(path: string, href: string): Promise<readonly CdxEntry[]> {
  const prefix = `${ascii(surt(href)).replaceAll(" ", "%20")} `;
  const file = await open(path);
  try {
    const start = await firstLineFrom(file, prefix);
    const found: CdxEntry[] = [];
    for await (const line of file.readLines({ start, encoding: "latin1", autoClose: false })) {
      if (!line.startsWith(prefix)) break;
      const entry = parseLine(line);
      if (entry !== null) found.push(entry);
    }
    const exact = found.filter(({ url }) => url === href);
    return exact.length > 0 ? exact : found;
  } finally {
    await file.close();
  }
}

/** Where the first line begins that does not sort before `prefix`; the end of the file when all do. */
async function firstLineFrom(file: FileHandle, prefix: string): Promise<number> {
  const { size } = await file.stat();
  // All lines that begin before `low` sort before the prefix; the line sought, if any, begins at `high` or before.
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await lineFrom(file, middle, size, middle > 0);
    if (line === null || line.start >= high) {
      // No line begins in the upper half: the rest, at most one line long, is gone through from its start.
      const first = await lineFrom(file, low, size, false);
      if (first === null || first.text >= prefix) return low;
      low = first.end;
    } else if (line.text < prefix) low = line.end;
    else high = line.start;
  }
  return low;
}

interface Line {
  readonly start: number;
  /** Behind its line feed. */
  readonly end: number;
  readonly text: string;
}

const PROBE_BYTES = 4_096;

/** The line at `position`, or, to `align`, the first that begins at or behind it; null when there is none. */
async function lineFrom(file: FileHandle, position: number, size: number, align: boolean): Promise<Line | null> {
  const from = align ? position - 1 : position; // a line that begins at `position` has its line feed before it
  for (let want = PROBE_BYTES; from < size; want *= 2) {
    const block = Buffer.allocUnsafe(Math.min(want, size - from));
    const bytesRead = await readFully(file, block, from);
    const bytes = block.subarray(0, bytesRead);
    const feed = align ? bytes.indexOf(10) : -1;
    const start = feed + 1;
    const whole = from + bytesRead >= size || bytesRead === 0;
    const end = !align || feed >= 0 ? bytes.indexOf(10, start) : -1;
    if (end >= 0) return { start: from + start, end: from + end + 1, text: bytes.toString("latin1", start, end) };
    if (!whole) continue;
    if ((align && feed < 0) || start >= bytes.length) return null;
    return { start: from + start, end: size, text: bytes.toString("latin1", start) };
  }
  return null;
}

/** Null when the line is no entry. */
export function parseLine(line: string): CdxEntry | null {
  const [, time, json] = /^\S+ (\d{14}) (\{.*\})\s*$/.exec(line) ?? [];
  if (time === undefined || json === undefined) return null;
  let facts: Record<string, unknown>;
  try {
    facts = JSON.parse(json);
  } catch {
    return null;
  }
  const { url, filename, digest, mime } = facts;
  const [length, offset, status] = [Number(facts.length), Number(facts.offset), Number(facts.status)];
  if (typeof url !== "string" || typeof filename !== "string") return null;
  if (!Number.isSafeInteger(length) || !Number.isSafeInteger(offset) || offset < 0 || length <= 0) return null;
  return {
    url,
    at: instantOf(time),
    mime: typeof mime === "string" ? mime : "",
    status: Number.isSafeInteger(status) ? status : 0,
    digest: typeof digest === "string" ? digest : "",
    length,
    offset,
    filename,
  };
}

/** Of YYYYMMDDhhmmss, UTC. */
function instantOf(time: string): Instant {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)(..)(..)(..)$/.exec(time)!;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}
