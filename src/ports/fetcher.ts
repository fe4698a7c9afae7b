/** One request, one answer. Redirects are values; nothing that a server does throws. */
import type { FetchRequest, FetchResult } from "../model/fetch-result.ts";

export interface Fetcher extends AsyncDisposable {
  /**
   * Connects to `request.address` and nowhere else, within the deadlines and limits it was made with. Ends in bounded
   * time whatever the server does. An abort by `signal` gives a failure with cause "timeout" and detail "aborted".
   */
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchResult>;
}
