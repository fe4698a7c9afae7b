/** Which page had a body first, for crawlers that do not see each other's pages. */
import type { KnownContent } from "../model/record.ts";

export interface Bodies {
  /**
   * The id of the URL of which a body with this digest is known to be; null when it is new. It is a guess: recognised are
   * 64 bits of it, and what was kept last may not be there yet.
   */
  first(digest: string): Promise<number | null>;
  /** Of pages that are committed: the first of each body stays. */
  keep(pages: readonly KnownContent[]): Promise<void>;
}
