/** Those who make visits: worker threads, or the same thread in tests and small crawls. */
import type { Href } from "../model/url.ts";
import type { Errand, Sealed } from "../model/visited.ts";

export interface Visitors extends AsyncDisposable {
  /** How many more errands may be given now. */
  readonly free: number;
  give(errands: readonly Errand[]): void;
  /** The next batches of finished visits, their archive bytes durable; waits for the first unless the signal aborts. */
  take(signal?: AbortSignal): Promise<readonly Sealed[]>;
  /** What was sent may not have been admitted: links sent lately may be sent again. */
  forget(): void;
  /** A seed was redirected to this URL: it belongs to the crawl's scope from now on. */
  extend(seed: Href): void;
}
