/** What a crawl runs with: plain data, because it travels to visit threads and into DIR/crawl.json. */
import type { CrawlOptions } from "./options.ts";

export interface CrawlConfig extends Omit<CrawlOptions, "input" | "config" | "dir"> {
  /** Absolute URLs in fetch form, in the order given, each once; at least one. */
  readonly seeds: readonly string[];
  /** Absolute. */
  readonly dir: string;
}
