/** What crawlers that share a crawl have asked of each registrable domain, all hosts of it together. */

export interface DomainCounts {
  /** Pages asked of each, in order; 0 where nobody has asked for any. */
  of(domains: readonly string[]): Promise<readonly number[]>;
  /**
   * Adds, each call once, and gives the sums in order. They are known to all, and last, when it returns. A call that has
   * failed may have been counted, wholly or in part.
   */
  add(pages: readonly DomainPages[]): Promise<readonly number[]>;
}

export interface DomainPages {
  readonly domain: string;
  readonly pages: number;
}
