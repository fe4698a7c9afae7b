/** DIR/pages/pages.jsonl: a line a URL that has ended. Written before the commit that counts it, cut back to it after a crash. */
import { mkdirSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PageSink } from "../crawl/crawl.ts";
import { pageLine } from "../export/jsonl.ts";
import type { UrlRecord } from "../model/record.ts";
import type { StateQueries } from "../ports/frontier.ts";

/** Its name among the marks, relative to the crawl's directory. */
const PAGES_FILE = "pages/pages.jsonl";

export interface PagesFile extends PageSink, AsyncDisposable {}

/** Opens the file and cuts it to what was committed; writes it anew from the state when bytes are missing. */
export async function openPages(dir: string, state: Pick<StateQueries, "marks" | "urls">): Promise<PagesFile> {
  const path = join(dir, PAGES_FILE);
  mkdirSync(dirname(path), { recursive: true });
  const file = await open(path, "a+");
  const committed = state.marks().get(PAGES_FILE) ?? 0;
  const { size } = await file.stat();
  let bytes = committed;
  if (size >= committed) await file.truncate(committed);
  else bytes = await rewrite(file, state);
  return {
    async write(records: readonly UrlRecord[]) {
      const lines = Buffer.from(records.map(pageLine).join(""), "utf8");
      await writeAll(file, lines);
      bytes += lines.length;
      return { file: PAGES_FILE, bytes };
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** After a power cut the state may know of lines that the disk never got: they are all in the state. */
async function rewrite(file: FileHandle, state: Pick<StateQueries, "urls">): Promise<number> {
  await file.truncate(0);
  let bytes = 0;
  for (const record of state.urls({ endedOnly: true })) {
    const line = Buffer.from(pageLine(record), "utf8");
    await writeAll(file, line);
    bytes += line.length;
  }
  return bytes;
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  let at = 0;
  while (at < bytes.length) at += (await file.write(bytes, at)).bytesWritten;
}
