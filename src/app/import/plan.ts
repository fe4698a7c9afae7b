/**
 * What there is to import, in the order in which it is done: the captures of a URL together and by time, robots.txt first,
 * revisits last, each kind in the order of the files. Sorted on disk, so that memory is bounded however much there is.
 */
import { open } from "node:fs/promises";
import type { Instant } from "../../base/clock.ts";
import { ascii, writeSorted } from "../../base/sorted-lines.ts";
import type { Locator } from "../../model/capture.ts";
import { answerIn } from "../../warc/http.ts";
import type { WarcDamage, WarcRecord } from "../../warc/reader.ts";
import { instantOf, targetOf } from "../../warc/record-facts.ts";
import { type Beside, besideOf, isCapture, nameOf } from "./record.ts";

export interface PlannedCapture extends Beside {
  readonly href: string;
  readonly at: Instant;
  readonly place: Locator;
  readonly isRevisit: boolean;
}

/** The captures of one URL, by time. */
export interface Group {
  readonly captures: readonly PlannedCapture[];
}

export interface PlanCounts {
  captures: number;
  revisits: number;
  groups: number;
  /** Responses, revisits and resources that are none of a page of the web: dns:, urn:, without a date, no HTTP. */
  strange: number;
}

export type Records = AsyncIterable<{ readonly file: string; readonly record: WarcRecord | WarcDamage }>;

/** Writes the plan to `path`; `path` with endings holds what is on the way. */
export async function writePlan(records: Records, path: string): Promise<PlanCounts> {
  const counts: PlanCounts = { captures: 0, revisits: 0, groups: 0, strange: 0 };
  const byUrl = `${path}.urls`;
  await writeSorted(keyed(records, counts), byUrl);
  await writeSorted(groupLines(byUrl, counts), path);
  return counts;
}

/** Lines that sort by URL, then time, metadata before what it belongs to, redirects before what they led to. */
async function* keyed(records: Records, counts: PlanCounts): AsyncGenerator<string> {
  for await (const { file, record } of records) {
    if (record.kind === "damage") continue;
    if (record.type === "metadata") {
      const url = targetOf(record.fields);
      const at = instantOf(record.fields);
      if (url !== null && at !== null) yield line(url, at, 0, besideOf(record.block));
    } else if (isCapture(record)) {
      counts.captures++;
      const isRevisit = record.type === "revisit";
      if (isRevisit) counts.revisits++;
      const url = targetOf(record.fields)!;
      const at = instantOf(record.fields)!;
      const place: Locator = { file, offset: record.offset, length: record.length };
      const isRedirect = / 3\d\d\b/.test(answerIn(record.fields, record.block).startLine);
      yield line(url, at, isRedirect ? 1 : 2, { href: url.href, at, place, isRevisit });
    } else if (/^(response|revisit|resource)$/.test(record.type)) counts.strange++;
  }
}

const word = (n: number): string => n.toString(16).padStart(8, "0");

function line(url: Parameters<typeof nameOf>[0], at: Instant, rank: number, facts: object): string {
  const { fpHi, fpLo } = nameOf(url);
  return `${word(fpHi)}${word(fpLo)} ${String(at + EPOCH).padStart(16, "0")} ${rank} ${ascii(JSON.stringify(facts))}\n`;
}

/** So that times before 1970, which some records have, sort as numbers do. */
const EPOCH = 1e14;

async function* groupLines(path: string, counts: PlanCounts): AsyncGenerator<string> {
  let key = "";
  let beside: (Beside & { readonly time: string }) | null = null;
  let captures: PlannedCapture[] = [];
  for await (const text of linesOf(path)) {
    const [its, time, rank] = text.split(" ", 3) as [string, string, string];
    const facts = JSON.parse(text.slice(its.length + time.length + rank.length + 3));
    if (its !== key && captures.length > 0) yield groupLine(captures, counts);
    if (its !== key) {
      captures = [];
      beside = null;
    }
    key = its;
    if (rank === "0") beside = { ...facts, time };
    else captures.push({ ...NOTHING_BESIDE, ...(beside?.time === time ? without(beside) : {}), ...facts });
  }
  if (captures.length > 0) yield groupLine(captures, counts);
}

const NOTHING_BESIDE: Beside = { via: null, depth: null, fetchMs: null };
const without = ({ via, depth, fetchMs }: Beside): Beside => ({ via, depth, fetchMs });

function groupLine(captures: readonly PlannedCapture[], counts: PlanCounts): string {
  counts.groups++;
  const { place } = captures.at(-1)!;
  const kind = isRobots(captures[0]!.href) ? 0 : captures.some(({ isRevisit }) => isRevisit) ? 2 : 1;
  const where = ascii(JSON.stringify([kind, place.file, String(place.offset).padStart(16, "0"), captures]));
  return `${where}\n`;
}

export function isRobots(href: string): boolean {
  return /^https?:\/\/[^/]+\/robots\.txt$/.test(href);
}

export async function* readPlan(path: string): AsyncGenerator<Group> {
  for await (const text of linesOf(path)) yield { captures: JSON.parse(text)[3] };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path);
  for await (const text of file.readLines({ encoding: "latin1" })) yield text; // closes the file at its end
}
