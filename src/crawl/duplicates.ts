/** Which page was there before with the same content: to the byte, or nearly so. On the control thread, for all of the crawl. */
import { hashText } from "../base/hash.ts";
import type { Stream } from "../base/streamed.ts";
import { FingerprintTable } from "../dedup/fingerprint-table.ts";
import { NearDuplicates } from "../dedup/near-duplicates.ts";
import { parseSimhash } from "../dedup/simhash.ts";
import type { Capture } from "../model/capture.ts";
import type { PageInfo } from "../model/page.ts";
import type { KnownContent } from "../model/record.ts";

/** Candidates looked at for a page, at most: a millisecond, where the pages of a great site are much alike. */
const MOST_LOOKED_AT = 20_000;
/** Pages that name another as canonical, of which it is remembered. */
const MOST_NAMED = 100_000;
/** The tables keep ids in 32 bits: pages of higher ids are compared with others, and others not with them. */
const MOST_ID = 2 ** 32 - 1;

/** What a page is a copy of: ids of URLs, of which one at most is set. */
export interface CopyOf {
  readonly duplicateOf: number | null;
  readonly nearDuplicateOf: number | null;
}

export const NO_COPY: CopyOf = { duplicateOf: null, nearDuplicateOf: null };

/**
 * The first page of each content. Copies are not remembered: whatever resembles a copy is held against the first, so that
 * pages that differ a little more each time do not become one. About 16 bytes a page, and 28 for its text.
 *
 * A first page that names another as canonical gives way to it when that comes with the same content: copies from then on
 * are copies of the one that was named. That is kept in memory alone, for so many pages as there is room for.
 */
export class Duplicates {
  /** By 64 bits of the digest's hash. */
  readonly #byDigest = new FingerprintTable();
  readonly #byText = new NearDuplicates();
  /** Of first pages: the other that each names as canonical, until it has come; then its id. */
  readonly #named = new Map<number, string | number>();

  /** `known`: the contents of pages that earlier runs have kept. */
  static async of(known: Stream<KnownContent>): Promise<Duplicates> {
    const duplicates = new Duplicates();
    for await (const { urlId, digest, simhash } of known) {
      duplicates.#remember(digest, urlId);
      if (simhash !== null) duplicates.#rememberText(parseSimhash(simhash), urlId);
    }
    return duplicates;
  }

  /**
   * What the page of a URL is a copy of; it is remembered when it is none. `href`: what was requested. Nothing is told of
   * empty and of cut bodies.
   */
  copyOf(urlId: number, href: string, bytes: number, capture: Capture, page: PageInfo): CopyOf {
    if (bytes === 0 || capture.truncated !== null) return NO_COPY;
    const first = this.#remember(capture.digest, urlId);
    if (first !== urlId) return this.#copy(urlId, href, first, "duplicateOf");
    if (page.simhash !== null) {
      const hash = parseSimhash(page.simhash);
      const near = this.#byText.nearest(...hash, MOST_LOOKED_AT);
      if (near === null) this.#rememberText(hash, urlId);
      else if (near.id !== urlId) return this.#copy(urlId, href, near.id, "nearDuplicateOf");
    }
    if (page.canonical !== null && page.canonical !== href) this.#rememberName(urlId, page.canonical);
    return NO_COPY;
  }

  /**
   * The same of a page that has changed since it was first there. It is remembered by what it was then: a page that changes
   * every hour would fill the memory by itself.
   */
  copyNow(urlId: number, href: string, bytes: number, capture: Capture, page: PageInfo): CopyOf {
    if (bytes === 0 || capture.truncated !== null) return NO_COPY;
    const first = this.first(capture.digest);
    if (first !== null) return first === urlId ? NO_COPY : this.#copy(urlId, href, first, "duplicateOf");
    const near = page.simhash === null ? null : this.#byText.nearest(...parseSimhash(page.simhash), MOST_LOOKED_AT);
    return near === null || near.id === urlId ? NO_COPY : this.#copy(urlId, href, near.id, "nearDuplicateOf");
  }

  #copy(urlId: number, href: string, first: number, how: keyof CopyOf): CopyOf {
    const named = this.#named.get(first);
    if (named === href) this.#named.set(first, urlId);
    const original = this.#named.get(first);
    const id = typeof original === "number" ? original : first;
    return id === urlId ? NO_COPY : { ...NO_COPY, [how]: id };
  }

  #rememberText(hash: ReturnType<typeof parseSimhash>, urlId: number): void {
    if (urlId <= MOST_ID) this.#byText.add(...hash, urlId);
  }

  #rememberName(urlId: number, canonical: string): void {
    if (this.#named.size >= MOST_NAMED) this.#named.delete(this.#named.keys().next().value!);
    this.#named.set(urlId, canonical);
  }

  /** Another crawler has found it. */
  learn(digest: string, urlId: number): void {
    this.#remember(digest, urlId);
  }

  /** The URL that had a content of this digest first, by 64 bits of it; null when none had. */
  first(digest: string): number | null {
    const [hi, lo] = hashText(digest);
    return this.#byDigest.find(hi, lo) || null;
  }

  /** The URL that had the content first. */
  #remember(digest: string, urlId: number): number {
    if (urlId > MOST_ID) return this.first(digest) ?? urlId;
    const [hi, lo] = hashText(digest);
    return this.#byDigest.insert(hi, lo, urlId) ? urlId : this.#byDigest.find(hi, lo);
  }
}
