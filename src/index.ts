/** Trawl as a library. */
export type { CrawlInput } from "./app/config/config.ts";
export { type CallbackOptions, type Crawl, crawl, type LibraryOptions, type PageContext } from "./app/library.ts";
export type { Page } from "./app/page.ts";
export type { CrawlOutcome, StopReason } from "./app/run/outcome.ts";
export { UsageError } from "./app/usage-error.ts";
export type { MainContent } from "./media/main-content.ts";
export type { EndReason } from "./model/end.ts";
export type { UrlRecord, VisitRecord } from "./model/record.ts";
export type { CrawlStats } from "./model/stats.ts";
