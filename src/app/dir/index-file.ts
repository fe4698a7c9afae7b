/** DIR/indexes/index.cdxj, made anew from the state: sorted, each capture once, there whole or not at all. */
import { dirname, join } from "node:path";
import type { StateQueries } from "../../ports/frontier.ts";
import { type CdxEntry, cdxEntry, writeCdxj } from "../../warc/cdxj.ts";
import { makeDir } from "./crawl-dir.ts";

export const INDEX_FILE = "indexes/index.cdxj";

export async function writeIndex(dir: string, state: Pick<StateQueries, "captures">, path = join(dir, INDEX_FILE)) {
  await makeDir(dirname(path));
  await writeCdxj(entries(state), path);
}

async function* entries(state: Pick<StateQueries, "captures">): AsyncIterableIterator<CdxEntry> {
  for await (const visit of state.captures()) {
    const entry = cdxEntry(visit);
    if (entry !== null) yield entry;
  }
}
