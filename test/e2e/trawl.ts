/** The real command as a process of its own, and what it leaves behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { header } from "../../src/model/fetch-result.ts";
import { parseHttp } from "../../src/warc/http.ts";
import { readRecords, type WarcRecord } from "../../src/warc/reader.ts";
import { base32 } from "../../src/warc/record.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/trawl.js");

/** A run may not take longer; a test that hangs says so. */
const PATIENCE_MS = 120_000;

export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Run>;
  /** Standard error by now. */
  said(): string;
}

export interface Around {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where a run is long: how long it may take. */
  readonly patienceMs?: number;
}

export function startTrawl(args: readonly string[], options: Around = {}): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: options.cwd ?? tmpdir(),
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...options.env },
  });
  let stdout = "";
  let stderr = "";
  child.stdin.end(options.stdin ?? "");
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const late = setTimeout(() => child.kill("SIGKILL"), options.patienceMs ?? PATIENCE_MS);
  const ended = new Promise<Run>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(late);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { process: child, ended, said: () => stderr };
}

export const trawl = (args: readonly string[], options: Around = {}): Promise<Run> => startTrawl(args, options).ended;

export interface TempDir extends AsyncDisposable {
  readonly path: string;
}

export async function tempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), "trawl-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Every admitted URL with its end, or its state when it has none. */
export function endsIn(dir: string): Map<string, string> {
  using state = opened(dir);
  const rows = state.prepare("SELECT url, state, end FROM urls ORDER BY id").all();
  return new Map(rows.map((row) => [String(row.url), row.state === "ended" ? String(row.end) : String(row.state)]));
}

export function fetchedIn(dir: string): Set<string> {
  return new Set([...endsIn(dir)].filter(([, end]) => end === "fetched").map(([href]) => href));
}

/** URLs as the site writes them: without the tracking parameters that it strews over its links. */
export function canonical(hrefs: Iterable<string>): Set<string> {
  const pages = new Set<string>();
  for (const href of hrefs) {
    const url = new URL(href);
    for (const name of [...url.searchParams.keys()]) if (name.startsWith("utm_")) url.searchParams.delete(name);
    pages.add(url.href);
  }
  return pages;
}

/** Any question in SQL to DIR/state.db. */
export function ask(dir: string, sql: string): Record<string, unknown>[] {
  using state = opened(dir);
  return state.prepare(sql).all();
}

function opened(dir: string): DatabaseSync & Disposable {
  const state = new DatabaseSync(join(dir, "state.db"), { readOnly: true });
  return Object.assign(state, { [Symbol.dispose]: () => state.close() });
}

export interface ArchiveCheck {
  readonly records: readonly { readonly file: string; readonly record: WarcRecord }[];
  /** What is wrong with the archive and its index, in words; empty when all is well. */
  readonly faults: readonly string[];
}

/** Reads every record, recomputes its payload digest, and holds index and pages.jsonl against the archive. */
export async function checkArchive(dir: string): Promise<ArchiveCheck> {
  const faults: string[] = [];
  const records: { file: string; record: WarcRecord }[] = [];
  for (const file of (await readdir(join(dir, "archive"))).sort()) {
    if (!file.endsWith(".warc.gz")) faults.push(`${file} was left open`);
    for await (const record of readRecords(createReadStream(join(dir, "archive", file)))) {
      if (record.kind === "damage") faults.push(`${file} at ${record.offset}: ${record.what}`);
      else {
        if (record.flaws.length > 0) faults.push(`${file} at ${record.offset}: ${record.flaws}`);
        records.push({ file, record });
      }
    }
  }
  for (const { file, record } of records) {
    if (header(record.fields, "warc-type") !== "response") continue;
    const payload = parseHttp(Buffer.from(record.block)).body;
    const digest = `sha1:${base32(createHash("sha1").update(payload).digest())}`;
    if (header(record.fields, "warc-payload-digest") !== digest) faults.push(`${file} at ${record.offset}: digest`);
  }
  const responses = new Set(
    records
      .filter(({ record }) => /^(response|revisit|resource)$/.test(header(record.fields, "warc-type") ?? ""))
      .map(({ file, record }) => `${file} ${record.offset} ${record.length}`),
  );
  const lines = (await readFile(join(dir, "indexes/index.cdxj"), "utf8")).trimEnd().split("\n");
  const seen = new Set<string>();
  for (const line of lines) {
    const { filename, offset, length } = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>;
    const place = `${filename} ${offset} ${length}`;
    if (seen.has(place)) faults.push(`indexed twice: ${place}`);
    if (!responses.has(place)) faults.push(`indexed but not there: ${place}`);
    seen.add(place);
  }
  if (lines.some((line, i) => i > 0 && Buffer.compare(Buffer.from(lines[i - 1]!), Buffer.from(line)) > 0))
    faults.push("the index is not sorted");
  const pages = (await readFile(join(dir, "pages/pages.jsonl"), "utf8")).trimEnd().split("\n");
  const visits = pages
    .map((line) => JSON.parse(line) as { id: number; fetched_at: string | null })
    .filter((row) => row.fetched_at !== null)
    .map((row) => `${row.id} ${row.fetched_at}`);
  if (new Set(visits).size !== visits.length) faults.push("pages.jsonl has a visit twice");
  return { records, faults };
}
