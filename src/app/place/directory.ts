/** A crawl in a directory, as commands look at it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { panelRecords } from "../../crawl/schedule.ts";
import { isHeld } from "../../store/embedded/database.ts";
import { type EmbeddedState, type LookOptions, openState } from "../../store/embedded/read-only.ts";
import { readConfig } from "../config/config.ts";
import { CrawlArchive } from "../dir/crawl-archive.ts";
import { CRAWLER_NAME, mustHoldCrawl } from "../dir/crawl-dir.ts";
import { spoolSlot } from "../dir/spool.ts";
import type { CrawlView, Remains } from "./view.ts";

export interface DirectoryView extends CrawlView {
  readonly state: EmbeddedState;
}

/** Throws a `UsageError` or a `StateError` that says the mend when there is no crawl in `dir`. */
export async function openDirectory(dir: string, options?: LookOptions): Promise<DirectoryView> {
  await mustHoldCrawl(dir);
  const left = await archiveIn(dir);
  const state = openState(dir, options);
  return {
    ...{ ...left, state, domains: null },
    damage: () => state.damage(),
    standing: async () => ({ running: isHeld(dir), paused: await spoolSlot(dir).isPaused() }),
    panel: () => panelRecords(state, state),
    async [Symbol.asyncDispose]() {
      state[Symbol.dispose]();
      await left[Symbol.asyncDispose]();
    },
  };
}

/** The same where the state may be lost, and the archive is still there to be read. */
export async function openRemainsIn(dir: string, options?: LookOptions): Promise<Remains> {
  const has = (name: string): boolean => existsSync(join(dir, name));
  const isLost = !has("state.db") && !has(CRAWLER_NAME) && has("archive");
  return isLost ? archiveIn(dir) : openDirectory(dir, options);
}

async function archiveIn(dir: string) {
  const config = await readConfig(dir);
  const archive = new CrawlArchive({ folder: join(dir, "archive"), store: config });
  return {
    ...{ name: dir, dir, config, archive, state: null },
    damage: () => [],
    standing: async () => ({ running: false, paused: false }),
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}
