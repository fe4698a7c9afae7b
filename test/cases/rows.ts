/** How the case files are read, and how a set of rows is judged. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { CaseResult } from "./run.ts";

/** Rows of a file with one JSON object a line. */
export async function jsonLines<Row>(casesDir: string, file: string): Promise<Row[]> {
  const text = await readFile(path.join(casesDir, file), "utf8");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Row);
}

export async function json<T>(casesDir: string, file: string): Promise<T> {
  return JSON.parse(await readFile(path.join(casesDir, file), "utf8")) as T;
}

/** `check` says what is wrong with a row, or null. A row that throws has failed. */
export function judgeRows<Row>(rows: Iterable<Row>, binding: boolean, check: (row: Row) => string | null): CaseResult {
  let passed = 0;
  const failed: string[] = [];
  for (const row of rows) {
    let wrong: string | null;
    try {
      wrong = check(row);
    } catch (cause) {
      wrong = `threw ${String(cause)} on ${JSON.stringify(row).slice(0, 300)}`;
    }
    if (wrong === null) passed++;
    else failed.push(wrong);
  }
  return { passed, failed, binding };
}

/** `null` when equal, else the difference in words. */
export function same(id: string, actual: unknown, expected: unknown): string | null {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  return a === e ? null : `${id.slice(0, 300)}: expected ${e}, got ${a}`;
}
