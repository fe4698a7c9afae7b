/** Opens a crawl for commands that look at it, wherever it is. */
import { join } from "node:path";
import type { InboxSlot } from "../../ports/inbox.ts";
import type { LookOptions } from "../../store/embedded/read-only.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import type { Answers } from "../dir/answers.ts";
import { CrawlArchive } from "../dir/crawl-archive.ts";
import { mustHoldCrawl } from "../dir/crawl-dir.ts";
import { spoolSlot } from "../dir/spool.ts";
import { openDirectory, openRemainsIn } from "./directory.ts";
import { type CrawlPlace, placeOf } from "./place.ts";
import { openSharedCrawl, openSharedSlot } from "./shared.ts";
import type { CrawlView, Remains } from "./view.ts";

/**
 * Throws an error that says the mend when there is no crawl. A crawl that crawlers share is never frozen: what is committed
 * meanwhile may be seen, or not.
 */
export async function openCrawl(place: CrawlPlace, options?: LookOptions): Promise<CrawlView> {
  return place.kind === "directory" ? openDirectory(place.dir, options) : openSharedCrawl(place.crawl);
}

/** The same where the state may be lost, and the archive is still there to be read. */
export async function openRemains(place: CrawlPlace, options?: LookOptions): Promise<Remains> {
  return place.kind === "directory" ? openRemainsIn(place.dir, options) : openSharedCrawl(place.crawl);
}

/** Where people put what they ask of the crawl. Throws an error that says the mend when there is none. */
export async function openSlot(place: CrawlPlace): Promise<InboxSlot & AsyncDisposable> {
  if (place.kind === "shared") return openSharedSlot(place.crawl);
  await mustHoldCrawl(place.dir);
  return { ...spoolSlot(place.dir), async [Symbol.asyncDispose]() {} };
}

/** What was answered in a crawl that one runs oneself: opened for each question, since some are asked long after its end. */
export const answersOf = (config: CrawlConfig): Answers => ({
  archive: {
    async answer(place, body) {
      await using archive = new CrawlArchive({ folder: join(config.dir, "archive"), store: config });
      return await archive.answer(place, body);
    },
  },
  state: {
    async visitsOf(id) {
      await using crawl = await openCrawl(placeOf(config));
      return await crawl.state.visitsOf(id);
    },
  },
});
