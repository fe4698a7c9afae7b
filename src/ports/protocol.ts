/** Schemes beside http and https, each brought by a module: a plain object. */
import type { FetchRequest, FetchResult } from "../model/fetch-result.ts";

export interface ProtocolModule {
  /** With the colon, as `URL.protocol` writes them. `model/url` knows them too (`KNOWN`). */
  readonly schemes: readonly string[];
  /**
   * Promises what a `Fetcher` does: an end in bounded time, within the limits it was made with, and faults as values. A
   * response has `httpVersion` null; in the place of HTTP's header fields it says `Content-Type`, and `Last-Modified` if known.
   */
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchResult>;
}
