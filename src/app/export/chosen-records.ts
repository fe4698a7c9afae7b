/** The URLs of a crawl that an export means. */
import type { UrlRecord } from "../../model/record.ts";
import type { ExportJob } from "./job.ts";

/** Told how far it is, once for many. */
const AT_ONCE = 1024;

/** In order of admission, counted as they go. */
export async function* chosenRecords({
  state,
  where,
  onProgress,
}: Pick<ExportJob, "state" | "where" | "onProgress">): AsyncGenerator<UrlRecord> {
  let seen = 0;
  for await (const record of state.urls()) {
    if (++seen % AT_ONCE === 0) onProgress("URLs", seen, null);
    if (where === null || where(record.href, record.visit)) yield record;
  }
}
