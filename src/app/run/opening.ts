/** The state of a run: opened, begun again, or refused. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { filterOf, type SeenChoice, type SeenKind } from "../../dedup/seen-kinds.ts";
import { pagesIn } from "../../model/end.ts";
import { hostnameOf } from "../../model/host.ts";
import { firstTier, weightOf } from "../../policy/budget.ts";
import { firstCash } from "../../policy/priority.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Backend, FrontierOptions } from "../../ports/frontier.ts";
import { openEmbedded } from "../../store/embedded/backend.ts";
import { StateError } from "../../store/embedded/errors.ts";
import { isArchiveName } from "../../warc/packings.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { leaseMsOf, weightsOf } from "../config/rules.ts";
import { clearCrawl } from "../dir/crawl-dir.ts";
import { SPOOL } from "../dir/spool.ts";
import { clearStore } from "../dir/store.ts";
import { UsageError } from "../usage-error.ts";
import { count } from "../wording.ts";
import type { Fault } from "./fault.ts";

/** Of all open visits, what one host may hold while others wait (SPEC 3). */
const HOST_SHARE = 0.1;
export const seenChoice = ({ seen, seenCapacity, seenError }: CrawlConfig): SeenChoice => ({
  kind: seen as SeenKind,
  capacity: seenCapacity,
  error: seenError,
});

/** A filter that is too large for anybody, or for this machine, must be heard of before anything is written. */
export function checkSeen(choice: SeenChoice): void {
  if (choice.kind === "exact") return;
  try {
    filterOf(choice);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError(
      "bad-value",
      `--seen ${choice.kind} for ${count(choice.capacity)} URLs at ${choice.error} needs more memory than there is for it; give a smaller --seen-capacity or a larger --seen-error`,
      { cause },
    );
  }
}

/** The crawl's state; made anew where it is to begin again. */
export async function openedState(
  config: CrawlConfig,
  blobs: Blobs | null,
  fault: Fault | undefined,
): Promise<Backend> {
  const backend = await openedOrCleared(config, fault);
  try {
    if (config.overwrite && blobs !== null) await clearStore(backend, blobs);
    if (!config.overwrite && !(await hasFetchedNothing(backend))) return backend;
  } catch (cause) {
    await backend[Symbol.asyncDispose]();
    throw cause;
  }
  await backend[Symbol.asyncDispose]();
  await clearCrawl(config.dir, config.overwrite ? undefined : SPOOL);
  return openBackend(config, fault);
}

/** `--overwrite` begins again whatever the state is, unless another process has it open. */
async function openedOrCleared(config: CrawlConfig, fault: Fault | undefined): Promise<Backend> {
  try {
    return openBackend(config, fault);
  } catch (cause) {
    const unreadable = cause instanceof StateError && /^(foreign|state-older)$/.test(cause.code);
    if (!config.overwrite || !unreadable) throw cause;
    await clearCrawl(config.dir);
    return openBackend(config, fault);
  }
}

/** What every back end is told. */
export function frontierOptions(config: CrawlConfig): Required<FrontierOptions> {
  const { hostConcurrency, concurrency } = config;
  const weights = weightsOf(config);
  return {
    clock: systemClock,
    leaseMs: leaseMsOf(config),
    hostConcurrency,
    hostShare: Math.max(1, Math.floor(concurrency * HOST_SHARE)),
    firstCash,
    firstTier: (host) => firstTier(weightOf(hostnameOf(host), weights)),
  };
}

function openBackend(config: CrawlConfig, fault: Fault | undefined): Backend {
  return openEmbedded(config.dir, {
    ...frontierOptions(config),
    seen: seenChoice(config),
    ...(fault === undefined ? {} : { fault }),
  });
}

/** A state that knows of nothing beside an archive is not the state that belongs to it: repairing by it would remove every file. */
export async function mustHaveNoArchive(dir: string): Promise<void> {
  const names = await readdir(join(dir, "archive")).catch(() => []);
  if (names.length === 0) return;
  throw new UsageError(
    "directory",
    `${dir} has an archive, and its state.db is empty; put back a copy of state.db, name another directory with --dir, or begin again with --overwrite`,
  );
}

/** A crawl that ended without one page, and without anything in its archive, (no network, a name mistyped elsewhere) has nothing to go on with: it begins again. */
async function hasFetchedNothing(backend: Backend): Promise<boolean> {
  const { queued, leased, delayed } = await backend.pending();
  const started = (await backend.fact("startedAt")) !== null;
  const archived = [...(await backend.marks())].some(([file, bytes]) => isArchiveName(file) && bytes > 0);
  return started && queued + leased + delayed === 0 && !archived && pagesIn(await backend.endCounts()) === 0;
}
