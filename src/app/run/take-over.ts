/**
 * Archive files that crawlers of a shared crawl have left behind who are not there any more. One crawler at a time brings
 * them here from their segments, so that they go up whole: what it took is in its place when the next one looks.
 */
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { patience } from "../../blobs/patience.ts";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import type { Backend } from "../../ports/frontier.ts";
import type { Facts } from "../../store/cluster/crawl/facts.ts";
import { marksHere, sweepSegments } from "../dir/store.ts";

export interface TakeOverParts {
  readonly dir: string;
  /** This crawler. */
  readonly id: string;
  readonly state: Pick<Backend, "marks">;
  readonly facts: Pick<Facts, "settle" | "replaceFact">;
  readonly blobs: Blobs;
  readonly log: Pick<Log, "warn">;
  isLiving(crawler: string): boolean;
}

/** Who is at it, or nobody. */
const TAKES_OVER = "takesOver";
const NOBODY = "";
/** How often it looks whether it is its turn, in ms. */
const LOOK_EVERY_MS = 500;

/** The crawler that has written an archive file: TRAWL-TIME-CRAWLER_THREAD-SERIAL. */
export const writerOf = (file: string): string | null => /-([0-9a-f]+)_\d+-\d+\.warc\./.exec(file)?.[1] ?? null;

/** What is brought here, as far as it was committed, is the caller's to send; when that is done the turn is to be given back. */
export async function takeOver(parts: TakeOverParts): Promise<void> {
  const { blobs, log, isLiving } = parts;
  await turn(parts);
  const isLeft = (file: string): boolean => !isLiving(writerOf(file) ?? "");
  const patient = patience({ clock: systemClock, log, store: blobs.name });
  const here = await patient(() => brought(parts, isLeft));
  await patient(() => sweepSegments(here, blobs, isLeft));
}

/** The marks of what was brought here. Who was taken for dead, and wakes, sends its files itself: its segments go while they are read. */
async function brought(
  { dir, state, blobs }: TakeOverParts,
  isLeft: (file: string) => boolean,
): Promise<ReadonlyMap<string, number>> {
  for (;;) {
    const left = new Map([...(await state.marks())].filter(([file]) => isLeft(file)));
    try {
      return await marksHere(join(dir, "archive"), left, blobs);
    } catch (cause) {
      if (!(cause instanceof BlobError && cause.code === "store-missing")) throw cause;
      await systemClock.sleep(LOOK_EVERY_MS);
    }
  }
}

/** Changes nothing when it was somebody else's, or nobody's. */
export async function giveTurnBack({ id, facts }: Pick<TakeOverParts, "id" | "facts">): Promise<void> {
  await facts.replaceFact(TAKES_OVER, id, NOBODY);
}

async function turn({ id, facts, isLiving }: TakeOverParts): Promise<void> {
  for (;;) {
    const at = await facts.settle(TAKES_OVER, id);
    if (at === id) return;
    if (!isLiving(at) && (await facts.replaceFact(TAKES_OVER, at, id))) return;
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}
