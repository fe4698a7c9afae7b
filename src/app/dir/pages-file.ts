/** DIR/pages/pages.jsonl: a line a URL that was asked for, or that robots.txt denied, each time that it ended. */
import { dirname, join } from "node:path";
import type { Sink } from "../../crawl/crawl.ts";
import { pageLine } from "../../export/jsonl.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { StateQueries } from "../../ports/frontier.ts";
import { makeDir } from "./crawl-dir.ts";
import { MarkedFile } from "./marked-file.ts";

/** Its name among the marks, relative to the crawl's directory. */
export const PAGES_FILE = "pages/pages.jsonl";

export interface PagesFile extends Sink<UrlRecord>, AsyncDisposable {}

/** Opens the file and cuts it to what was committed; writes it anew from the state when bytes are missing. */
export async function openPages(dir: string, state: Pick<StateQueries, "marks" | "urls">): Promise<PagesFile> {
  const path = join(dir, PAGES_FILE);
  await makeDir(dirname(path));
  const committed = (await state.marks()).get(PAGES_FILE) ?? 0;
  const file = new MarkedFile(path, PAGES_FILE, committed);
  if (file.mark.bytes < committed) await rewrite(file, state);
  return {
    write: async (records) => file.write(records.map(pageLine).join("")),
    [Symbol.asyncDispose]: async () => file[Symbol.dispose](),
  };
}

/** After a power cut the state may know of lines that the disk never got: they are in the state, the latest of each URL. */
async function rewrite(file: MarkedFile, state: Pick<StateQueries, "urls">): Promise<void> {
  file.clear();
  // Those dropped on admission have no line.
  for await (const record of state.urls({ endedOnly: true }))
    if (record.visit?.attempt !== 0) file.write(pageLine(record));
}
