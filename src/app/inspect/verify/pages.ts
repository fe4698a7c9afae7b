/** Holds pages.jsonl against the state, in bounded memory: its lines, sorted by URL, beside the state's own order. */
import { open, stat } from "node:fs/promises";
import { ascii, writeSorted } from "../../../base/sorted-lines.ts";
import type { UrlRecord } from "../../../model/record.ts";
import type { ReadOnlyState } from "../../../ports/read-only.ts";
import { counted } from "../../wording.ts";
import type { Findings } from "./findings.ts";

/** What a line and the state must agree in. */
const factsOf = ({ href, visit }: UrlRecord): readonly unknown[] => [
  href,
  visit?.end ?? null,
  visit?.status ?? null,
  visit?.capture?.digest ?? null,
  visit?.capture?.response.file ?? null,
  visit?.capture?.response.offset ?? null,
];

const FACTS = ["url", "end", "status", "digest", "warc_file", "warc_offset"] as const;

/**
 * The number of lines. `bytes`: how much of the file is committed. `temporary`: where sorted lines may be kept. Each URL
 * that was visited and has ended must have a line, the last of its lines must say what the state says, and no visit may
 * be told twice.
 */
export async function verifyPages(
  path: string,
  bytes: number,
  temporary: string,
  state: ReadOnlyState,
  findings: Findings,
): Promise<number> {
  const whole = (await stat(path).catch(() => null))?.size ?? 0;
  if (whole < bytes) findings.fault(`pages.jsonl has ${whole} of the ${bytes} bytes that were committed`);
  const counts = { lines: 0 };
  await writeSorted(keyedLines(path, Math.min(whole, bytes), counts, findings), temporary);

  const lines = sortedLines(temporary);
  let line = await lines.next();
  let lacked = 0;
  for await (const record of state.urls()) {
    const hasEnded = record.state === "ended";
    // One that came back has ended before, and waits again.
    if (!hasEnded && record.visit === null) continue;
    const facts = JSON.stringify(factsOf(record));
    let told: SortedLine | null = null;
    for (; !line.done && line.value.id <= record.id; line = await lines.next()) {
      const { id, at, facts: says, fetchedAt } = line.value;
      if (id < record.id) findings.fault(`pages.jsonl, line ${at}: URL ${id} has not ended in the state`);
      // What was not asked for, time after time, is told in the same words.
      else if (told?.facts === says && told.fetchedAt === fetchedAt && fetchedAt !== null)
        findings.fault(`pages.jsonl, line ${at}: tells a visit twice`);
      told = id === record.id ? line.value : null;
    }
    if (!hasEnded) continue;
    const wasVisited = (record.visit?.attempt ?? 0) > 0;
    if (told === null && wasVisited) lacked++;
    else if (told !== null && told.facts !== facts)
      findings.fault(`pages.jsonl, line ${told.at}: says other than the state of ${record.href}`);
  }
  for (; !line.done; line = await lines.next())
    findings.fault(`pages.jsonl, line ${line.value.at}: URL ${line.value.id} has not ended in the state`);
  if (lacked > 0) findings.fault(`${counted(lacked, "URL")} that ended missing in pages.jsonl`);
  return counts.lines;
}

async function* keyedLines(
  path: string,
  bytes: number,
  counts: { lines: number },
  findings: Findings,
): AsyncGenerator<string> {
  if (bytes === 0) return;
  const file = await open(path);
  const stream = file.createReadStream({ end: bytes - 1, encoding: "utf8" });
  let rest = "";
  for await (const chunk of stream) {
    const texts = (rest + (chunk as string)).split("\n");
    rest = texts.pop()!;
    for (const text of texts) {
      const at = ++counts.lines;
      const row = rowOf(text);
      if (row === null) findings.fault(`pages.jsonl, line ${at}: is no row`);
      else yield keyed(row, at);
    }
  }
  if (rest !== "") findings.fault("pages.jsonl ends inside a line");
}

function keyed(row: Record<string, unknown>, at: number): string {
  const facts = JSON.stringify(FACTS.map((name) => row[name] ?? null));
  const order = [String(row.id).padStart(16, "0"), String(at).padStart(12, "0")];
  return `${ascii(JSON.stringify([...order, facts, row.fetched_at ?? null]))}\n`;
}

function rowOf(text: string): Record<string, unknown> | null {
  try {
    const row: unknown = JSON.parse(text);
    return typeof row === "object" && row !== null && "id" in row && Number.isSafeInteger(row.id) ? { ...row } : null;
  } catch {
    return null;
  }
}

interface SortedLine {
  readonly id: number;
  /** Its number in pages.jsonl. */
  readonly at: number;
  readonly facts: string;
  readonly fetchedAt: unknown;
}

async function* sortedLines(path: string): AsyncGenerator<SortedLine> {
  const file = await open(path);
  for await (const text of file.readLines()) {
    const [id, at, facts, fetchedAt] = JSON.parse(text);
    yield { id: Number(id), at: Number(at), facts, fetchedAt };
  }
}
