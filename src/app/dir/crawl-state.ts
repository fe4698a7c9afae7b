/** A crawl's state as commands look at it: read-only, also while the crawl runs. */
import { type LookOptions, openState, type ReadOnlyState } from "../../store/embedded/read-only.ts";
import { mustHoldCrawl } from "./crawl-dir.ts";

/** Throws a `UsageError` or a `StateError` that says the mend when there is no crawl in `dir`. */
export async function openCrawl(dir: string, options?: LookOptions): Promise<ReadOnlyState> {
  await mustHoldCrawl(dir);
  return openState(dir, options);
}
