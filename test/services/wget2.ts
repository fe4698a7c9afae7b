/** wget2, the crawler that others are measured by: what `wget2 -r` finds in the same place. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand, need } from "./command.ts";

export interface Wget2Answer {
  /** Normalised by WHATWG: wget2's statistics have URLs with their escapes undone. */
  readonly href: string;
  readonly status: number;
}

/** Throws `MissingService` when wget2 is not there and cannot be installed. */
export function wget2Path(): Promise<string> {
  return need("wget2", ["wget2"], () => findCommand("wget2"));
}

/**
 * Crawls recursively from `href` into a folder that is removed again: its host only, any depth, robots.txt obeyed, page
 * assets too. Every URL asked for, in order. `more` are further options (`--accept=html`).
 */
export async function wget2Recursive(href: string, more: readonly string[] = []): Promise<Wget2Answer[]> {
  const binary = await wget2Path();
  const dir = await mkdtemp(join(tmpdir(), "wget2-"));
  const csv = join(dir, "stats.csv");
  try {
    const args = ["--recursive", "--level=0", "--no-config", "--quiet", "--no-verbose", `--stats-site=csv:${csv}`];
    const child = spawn(binary, [...args, ...more, href], { cwd: dir, stdio: "ignore" });
    await once(child, "exit"); // 8 when any page was missing: the statistics tell more
    return parseStats(await readFile(csv, "utf8"));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** `ID,ParentID,URL,Status,Link,Method,Size,SizeDecompressed,TransferTime,ResponseTime,Encoding,Verification`; nothing is quoted. */
function parseStats(csv: string): Wget2Answer[] {
  const answers: Wget2Answer[] = [];
  for (const line of csv.split("\n")) {
    const match = /^\d+,\d+,(.+),(\d+)(?:,-?\d+){8}$/.exec(line);
    if (match !== null) answers.push({ href: new URL(match[1]!).href, status: Number(match[2]) });
  }
  return answers;
}
