/** A crawl is moved out of its Redis Cluster into a directory of its own, where one crawler goes on with it. */
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { besidePath, removeLeftovers } from "../../base/beside.ts";
import { systemClock } from "../../base/clock.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { inBatches } from "../../base/streamed.ts";
import type { Backend } from "../../ports/frontier.ts";
import { openEmbedded } from "../../store/embedded/backend.ts";
import { writeConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import type { SharedCrawl } from "../config/sharing.ts";
import { committedBytes, IS_ARCHIVE } from "../dir/archive-files.ts";
import { inspectDir, makeDir } from "../dir/crawl-dir.ts";
import { writeIndex } from "../dir/index-file.ts";
import { openPages } from "../dir/pages-file.ts";
import { marksHere } from "../dir/store.ts";
import { openSharedCrawl } from "../place/shared.ts";
import type { CrawlView } from "../place/view.ts";
import { UsageError } from "../usage-error.ts";
import { MOVED_FACTS } from "./facts.ts";
import { moveState, type OnProgress } from "./move-state.ts";

export interface OutParts {
  readonly crawl: SharedCrawl;
  /** Absolute. */
  readonly dir: string;
  /** Archive files are brought into the directory too, and the crawl has no store any more. */
  readonly local: boolean;
  readonly onProgress: OnProgress;
}

const AT_ONCE = 500;

/**
 * Nobody may be at it. The directory is there whole or not at all; what is in the cluster stays as it is. Throws a
 * `UsageError`, or an error of the store or the cluster.
 */
export async function moveOutOfCluster({ crawl, dir, local, onProgress }: OutParts): Promise<void> {
  if ((await inspectDir(dir)) !== "new")
    throw new UsageError("directory", `${dir} holds a crawl; name an empty or a new directory`);
  await using view = await openSharedCrawl(crawl);
  const { crawlers = [] } = await view.standing();
  if (crawlers.length > 0)
    throw new UsageError(
      "frontier",
      `crawlers are at ${view.name}: ${crawlers.map(({ id }) => id).join(" ")}; stop them, and give the same command again`,
    );
  await makeDir(dirname(dir));
  await removeLeftovers(dir);
  const beside = besidePath(dir);
  try {
    await fill(beside, view, local, onProgress);
    await rename(beside, dir);
  } catch (cause) {
    await rm(beside, { recursive: true, force: true });
    throw cause;
  }
}

async function fill(dir: string, view: CrawlView, local: boolean, onProgress: OnProgress): Promise<void> {
  const { state, archive } = view;
  const marks = new Map([...(await state.marks())].filter(([file, bytes]) => IS_ARCHIVE.test(file) && bytes > 0));
  const folder = join(dir, "archive");
  await makeDir(folder);
  if (local)
    for (const file of await archive.files(marks)) await replaceFile(join(folder, file.name), committedBytes(file));
  else await marksHere(folder, marks, (await archive.blobs())!);
  await moveState({
    from: state,
    open: async (told) => openEmbedded(dir, told),
    marks: Array.from(marks, ([file, bytes]) => ({ file, bytes })),
    now: systemClock.now(),
    onProgress,
  });
  await using backend = openEmbedded(dir, { clock: systemClock });
  for (const fact of MOVED_FACTS) {
    const value = await state.fact(fact);
    if (value !== null && !(local && fact.startsWith("store"))) await backend.setFact(fact, value);
  }
  await writePages(dir, backend);
  await writeIndex(dir, backend);
  const { frontier: _frontier, name: _name, ...config } = view.config!;
  const own: CrawlConfig = { ...config, frontier: null, name: null, dir };
  await writeConfig(local ? { ...own, store: null } : own);
}

/** A line for each page as it was seen last: lines for earlier visits are in no state. */
async function writePages(dir: string, backend: Backend): Promise<void> {
  await using pages = await openPages(dir, backend);
  for await (const records of inBatches(backend.urls({ endedOnly: true }), AT_ONCE)) {
    const mark = await pages.write(records.filter(({ visit }) => visit?.attempt !== 0));
    if (mark !== null) await backend.commit({ settled: [], hosts: [], robots: [], marks: [mark] });
  }
}
