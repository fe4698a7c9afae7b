/** A crawl's state as commands look at it: read-only, also while the crawl runs. */
import { openState, type ReadOnlyState } from "../store/embedded/read-only.ts";
import { mustHoldCrawl } from "./crawl-dir.ts";

/** Throws a `UsageError` or a `StateError` that says the mend when there is no crawl in `dir`. */
export async function openCrawl(dir: string): Promise<ReadOnlyState> {
  await mustHoldCrawl(dir);
  return openState(dir);
}
