/** DIR/pages/pages.jsonl: a line a URL that was asked for, or that robots.txt denied. Written before the commit that counts it, cut back to it after a crash. */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PageSink } from "../../crawl/crawl.ts";
import { pageLine } from "../../export/jsonl.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { StateQueries } from "../../ports/frontier.ts";
import { makeDir } from "./crawl-dir.ts";

/** Its name among the marks, relative to the crawl's directory. */
export const PAGES_FILE = "pages/pages.jsonl";

export interface PagesFile extends PageSink, AsyncDisposable {}

/** Opens the file and cuts it to what was committed; writes it anew from the state when bytes are missing. */
export async function openPages(dir: string, state: Pick<StateQueries, "marks" | "urls">): Promise<PagesFile> {
  const path = join(dir, PAGES_FILE);
  await makeDir(dirname(path));
  const file = openSync(path, "a");
  const committed = state.marks().get(PAGES_FILE) ?? 0;
  let bytes = committed;
  if (fstatSync(file).size >= committed) ftruncateSync(file, committed);
  else bytes = rewrite(file, state);
  return {
    async write(records: readonly UrlRecord[]) {
      const lines = Buffer.from(records.map(pageLine).join(""), "utf8");
      writeAll(file, lines);
      bytes += lines.length;
      return { file: PAGES_FILE, bytes };
    },
    [Symbol.asyncDispose]: async () => closeSync(file),
  };
}

/** After a power cut the state may know of lines that the disk never got: they are all in the state. */
function rewrite(file: number, state: Pick<StateQueries, "urls">): number {
  ftruncateSync(file, 0);
  let bytes = 0;
  for (const record of state.urls({ endedOnly: true })) {
    if (record.visit?.attempt === 0) continue; // dropped on admission
    const line = Buffer.from(pageLine(record), "utf8");
    writeAll(file, line);
    bytes += line.length;
  }
  return bytes;
}

/** On the spot: lines go to the page cache in less time than a trip through the thread pool takes. */
function writeAll(file: number, bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) at += writeSync(file, bytes, at);
}
