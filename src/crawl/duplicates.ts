/** Which page was there before with the same content: to the byte, or nearly so. On the control thread, for all of the crawl. */
import { hashText } from "../base/hash.ts";
import { FingerprintTable } from "../dedup/fingerprint-table.ts";
import { NearDuplicates } from "../dedup/near-duplicates.ts";
import { parseSimhash } from "../dedup/simhash.ts";
import type { Capture } from "../model/capture.ts";
import type { PageInfo } from "../model/page.ts";
import type { KnownContent } from "../model/record.ts";

/** Candidates looked at for a page, at most: a millisecond, where the pages of a great site are much alike. */
const MOST_LOOKED_AT = 20_000;

/** What a page is a copy of: ids of URLs, of which one at most is set. */
export interface CopyOf {
  readonly duplicateOf: number | null;
  readonly nearDuplicateOf: number | null;
}

export const NO_COPY: CopyOf = { duplicateOf: null, nearDuplicateOf: null };

/**
 * The first page of each content. Copies are not remembered: whatever resembles a copy is held against the first, so that
 * pages that differ a little more each time do not become one. About 16 bytes a page, and 28 for its text.
 */
export class Duplicates {
  /** By 64 bits of the digest's hash. */
  readonly #byDigest = new FingerprintTable();
  readonly #byText = new NearDuplicates();

  /** `known`: the contents of pages that earlier runs have kept. */
  constructor(known: Iterable<KnownContent>) {
    for (const { urlId, digest, simhash } of known) {
      this.#remember(digest, urlId);
      if (simhash !== null) this.#byText.add(...parseSimhash(simhash), urlId);
    }
  }

  /** What the page of a URL is a copy of; it is remembered when it is none. Nothing is told of empty and of cut bodies. */
  copyOf(urlId: number, bytes: number, capture: Capture, page: PageInfo): CopyOf {
    if (bytes === 0 || capture.truncated !== null) return NO_COPY;
    const first = this.#remember(capture.digest, urlId);
    if (first !== urlId) return { duplicateOf: first, nearDuplicateOf: null };
    if (page.simhash === null) return NO_COPY;
    const hash = parseSimhash(page.simhash);
    const near = this.#byText.nearest(...hash, MOST_LOOKED_AT);
    if (near === null) this.#byText.add(...hash, urlId);
    return near === null || near.id === urlId ? NO_COPY : { duplicateOf: null, nearDuplicateOf: near.id };
  }

  /** The URL that had a content of this digest first, by 64 bits of it; null when none had. */
  first(digest: string): number | null {
    const [hi, lo] = hashText(digest);
    return this.#byDigest.find(hi, lo) || null;
  }

  /** The URL that had the content first. */
  #remember(digest: string, urlId: number): number {
    const [hi, lo] = hashText(digest);
    return this.#byDigest.insert(hi, lo, urlId) ? urlId : this.#byDigest.find(hi, lo);
  }
}
