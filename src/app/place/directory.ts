/** A crawl in a directory, as commands look at it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isHeld } from "../../store/embedded/database.ts";
import { type EmbeddedState, type LookOptions, openState } from "../../store/embedded/read-only.ts";
import { readConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import type { Answers } from "../dir/answers.ts";
import { CrawlArchive } from "../dir/crawl-archive.ts";
import { mustHoldCrawl } from "../dir/crawl-dir.ts";
import { spoolSlot } from "../dir/spool.ts";
import type { CrawlView, Remains } from "./view.ts";

export interface DirectoryView extends CrawlView {
  readonly state: EmbeddedState;
}

/** Throws a `UsageError` or a `StateError` that says the mend when there is no crawl in `dir`. */
export async function openCrawl(dir: string, options?: LookOptions): Promise<DirectoryView> {
  await mustHoldCrawl(dir);
  const left = await archiveIn(dir);
  const state = openState(dir, options);
  return {
    ...{ ...left, state },
    damage: () => state.damage(),
    standing: async () => ({ running: isHeld(dir), paused: await spoolSlot(dir).isPaused() }),
    async [Symbol.asyncDispose]() {
      state[Symbol.dispose]();
      await left[Symbol.asyncDispose]();
    },
  };
}

/** The same where the state may be lost, and the archive is still there to be read. */
export async function openRemains(dir: string, options?: LookOptions): Promise<Remains> {
  const isLost = !existsSync(join(dir, "state.db")) && existsSync(join(dir, "archive"));
  return isLost ? archiveIn(dir) : openCrawl(dir, options);
}

async function archiveIn(dir: string) {
  const config = await readConfig(dir);
  const archive = new CrawlArchive({ folder: join(dir, "archive"), store: config });
  return {
    ...{ name: dir, dir, config, archive, state: null },
    damage: () => [],
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
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
      await using crawl = await openCrawl(config.dir);
      return await crawl.state.visitsOf(id);
    },
  },
});
