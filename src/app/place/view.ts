/** A crawl as commands look at it, wherever it is: nothing is written, and it may run meanwhile. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ReadOnlyState } from "../../ports/read-only.ts";
import { isHeld } from "../../store/embedded/database.ts";
import { type LookOptions, openState } from "../../store/embedded/read-only.ts";
import { readConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import type { Answers } from "../dir/answers.ts";
import { CrawlArchive } from "../dir/crawl-archive.ts";
import { mustHoldCrawl } from "../dir/crawl-dir.ts";
import { isPaused } from "../dir/spool.ts";

/** What is left of a crawl: perhaps its archive alone. */
export interface Remains extends AsyncDisposable {
  /** How people know it. */
  readonly name: string;
  /** Its directory. */
  readonly dir: string;
  /** Null when it has none that is kept. */
  readonly config: CrawlConfig | null;
  readonly archive: CrawlArchive;
  /** Null when it is lost. */
  readonly state: ReadOnlyState | null;
}

export interface CrawlView extends Remains {
  readonly state: ReadOnlyState;
  standing(): Promise<Standing>;
}

export interface Standing {
  /** A process is at it now. */
  readonly running: boolean;
  /** By `trawl pause`. */
  readonly paused: boolean;
}

/** Throws a `UsageError` or a `StateError` that says the mend when there is no crawl in `dir`. */
export async function openCrawl(dir: string, options?: LookOptions): Promise<CrawlView> {
  await mustHoldCrawl(dir);
  const left = await remains(dir);
  const state = openState(dir, options);
  return {
    ...{ ...left, state },
    standing: async () => ({ running: isHeld(dir), paused: await isPaused(dir) }),
    async [Symbol.asyncDispose]() {
      state[Symbol.dispose]();
      await left.archive[Symbol.asyncDispose]();
    },
  };
}

/** The same where the state may be lost, and the archive is still there to be read. */
export async function openRemains(dir: string, options?: LookOptions): Promise<Remains> {
  if (existsSync(join(dir, "state.db")) || !existsSync(join(dir, "archive"))) return openCrawl(dir, options);
  const left = await remains(dir);
  return { ...left, state: null, [Symbol.asyncDispose]: () => left.archive[Symbol.asyncDispose]() };
}

async function remains(dir: string): Promise<Pick<Remains, "name" | "dir" | "config" | "archive">> {
  const config = await readConfig(dir);
  return { name: dir, dir, config, archive: new CrawlArchive({ folder: join(dir, "archive"), store: config }) };
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
