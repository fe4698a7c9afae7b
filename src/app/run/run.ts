/** One run of a crawl in its directory: open or resume, crawl until it ends or is stopped, close, write the index. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Admission } from "../../crawl/context.ts";
import { crawl, type LoopEnd } from "../../crawl/crawl.ts";
import { reconsider } from "../../crawl/reconsider.ts";
import { leaveUnscheduled } from "../../crawl/recrawl.ts";
import { seed } from "../../crawl/seed.ts";
import { pagesIn } from "../../model/end.ts";
import type { CrawlStats } from "../../model/stats.ts";
import type { Href } from "../../model/url.ts";
import { proxyName, unreachable } from "../../net/proxy.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Backend } from "../../ports/frontier.ts";
import { repairArchive } from "../../warc/repair.ts";
import { writeConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { proxyOf, rememberRules, rulesHaveChanged } from "../config/rules.ts";
import { type ChangesFile, openChanges } from "../dir/changes-file.ts";
import { clearCrawl, makeDir } from "../dir/crawl-dir.ts";
import { writeIndex } from "../dir/index-file.ts";
import { openPages } from "../dir/pages-file.ts";
import { SPOOL, spoolInbox } from "../dir/spool.ts";
import { claimStore, clearStore, marksHere, mustBeSameStore, openStore, ownerOf, sweepSegments } from "../dir/store.ts";
import { rememberPace } from "../inspect/report/paces.ts";
import { losesMore, lossWords, rememberSeen, seenLoss } from "../inspect/report/seen-loss.ts";
import { UsageError } from "../usage-error.ts";
import { composeControl } from "./compose.ts";
import { checkCookies, openCookies } from "./cookies.ts";
import { diskSentence, isDiskFault, lastKnown } from "./disk-faults.ts";
import { type Fault, faultOf } from "./fault.ts";
import { openLog } from "./logging.ts";
import {
  checkSeen,
  hasFetchedNothing,
  mustHaveNoArchive,
  openBackend,
  openedOrCleared,
  seenChoice,
} from "./opening.ts";
import type { CrawlHooks, CrawlOutcome, Revisits, StopReason } from "./outcome.ts";
import { loadHandlers } from "./plugins.ts";
import { sendingOf, withNotices } from "./sending.ts";
import { type Stop, stopsOf } from "./stops.ts";

/** How often `onStats` is called, in ms. */
const STATS_EVERY_MS = 200;
/** Throws a `UsageError`, or an error of the store with a code, before anything is crawled; a full disk later is an outcome. */
export async function runCrawl(
  config: CrawlConfig,
  hooks: CrawlHooks,
  revisits: Revisits = "none",
): Promise<CrawlOutcome> {
  // What does not load must be known before anything is written.
  await loadHandlers(config.handlers);
  await checkCookies(config.cookies);
  await checkProxy(config);
  checkSeen(seenChoice(config));
  await using blobs = await openStore(config);
  const owner = blobs === null ? null : await ownerOf(blobs);
  const fault = faultOf(process.env);
  await makeDir(config.dir);
  let backend = await openedOrCleared(config, fault);
  try {
    if (config.overwrite && blobs !== null) await clearStore(backend, blobs);
    if (config.overwrite || (await hasFetchedNothing(backend))) {
      await backend[Symbol.asyncDispose]();
      await clearCrawl(config.dir, config.overwrite ? undefined : SPOOL);
      backend = openBackend(config, fault);
    }
    const resumed = (await backend.fact("startedAt")) !== null;
    await mustBeSameStore(backend, blobs);
    if (!resumed) await mustHaveNoArchive(config.dir);
    if (blobs !== null) await claimStore(backend, blobs, owner, randomUUID());
    if (!resumed) await backend.setFact("startedAt", String(systemClock.now()));
    await writeConfig(config);
    await rememberPace(backend, config, systemClock.now());
    await rememberSeen(backend, seenChoice(config));
    await using log = await openLog({
      dir: config.dir,
      clock: systemClock,
      verbose: config.verbose,
      mirror: hooks.onLog,
    });
    log.info({ seeds: config.seeds.length, resumed }, resumed ? "resumed" : "started");
    const told = withNotices(log, hooks);
    return await crawlIn(config, backend, told, resumed, { fault: fault ?? (() => {}), blobs, hooks, revisits });
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}

/** With nobody there every host would look dead. */
async function checkProxy(config: CrawlConfig): Promise<void> {
  const { proxy } = proxyOf(config);
  const why = proxy === null ? null : await unreachable(proxy, config.connectTimeout);
  if (why !== null) throw new UsageError("proxy", `the proxy ${proxyName(proxy!)} ${why}; start it, or mend --proxy`);
}

interface RunParts {
  readonly fault: Fault;
  readonly blobs: Blobs | null;
  readonly hooks: CrawlHooks;
  readonly revisits: Revisits;
}

async function crawlIn(
  config: CrawlConfig,
  backend: Backend,
  log: Log,
  resumed: boolean,
  { fault, blobs, hooks, revisits }: RunParts,
): Promise<CrawlOutcome> {
  const startedAt = systemClock.now();
  const archive = join(config.dir, "archive");
  const marks = await backend.marks();
  if (blobs !== null) await sweepSegments(marks, blobs);
  for (const repair of await repairArchive(archive, blobs === null ? marks : await marksHere(archive, marks, blobs)))
    if (repair.cut > 0) log.info(repair, "archive-tail-cut");
  await using pages = await openPages(config.dir, backend);
  await using changes = await changesOf(config, backend);
  await using kept = await openCookies(config.cookies, log);
  const stop = stopsOf(config, hooks, startedAt);
  let uploadFault: unknown = null;
  await using sending =
    blobs === null
      ? null
      : sendingOf(config, backend, blobs, log, fault, (cause) => {
          uploadFault = cause;
          stop.halt();
        });
  sending?.uploads.start();
  let end: LoopEnd;
  let over = false;
  let stats: (() => Promise<CrawlStats>) | null = null;
  let message: string | undefined;
  try {
    await using control = await composeControl({
      config,
      backend,
      pages: {
        async write(records) {
          const mark = await pages.write(records);
          fault("pages");
          return mark;
        },
      },
      changes,
      cookies: kept.cookies,
      log,
      inbox: (admission) => {
        const admit = (urls: readonly Href[], priority: number | null) =>
          add(urls, { via: 0, depth: 0, priority }, backend, admission);
        return spoolInbox({ dir: config.dir, clock: systemClock, log, admit, fault });
      },
      deadline: stop.deadline,
      waitingMib: sending?.uploads.waitingMib ?? null,
      resumed,
      revisits,
      onSettled: hooks.onSettled,
      onChanged: config.events === "-" ? hooks.onChanged : undefined,
    });
    const { progress, recrawl } = control.context;
    stats = await lastKnown(() => progress.snapshot());
    const tell = stats;
    const tick = async () => {
      const now = await tell();
      if (!over) hooks.onStats?.(now);
    };
    const ticking = setInterval(tick, STATS_EVERY_MS);
    try {
      const { admission } = control.context;
      await seed(config.seeds as Href[], backend, admission.admit);
      if (resumed && (await rulesHaveChanged(backend, config))) {
        const admitted = await reconsider(backend, admission.admit);
        log.info({ admitted }, "rules-changed");
      }
      await rememberRules(backend, config);
      hooks.onStart?.({
        log,
        async add(urls, found) {
          if (over) throw new UsageError("url", "the crawl has ended: nothing can be added to it; start it again");
          return add(urls, { ...found, priority: null }, backend, admission);
        },
      });
      // What was open when an earlier run was killed left no trace of when it ended: wait as if it had ended now.
      if (resumed) await systemClock.sleep(config.delay, stop.soft);
      if (recrawl === null) await leaveUnscheduled(backend);
      else log.info({ scheduled: await recrawl.open(backend) }, "revisits");
      end = await crawl(control.context, stop);
      await recrawl?.close(backend);
      if (uploadFault !== null) throw uploadFault;
    } finally {
      over = true;
      clearInterval(ticking);
      stop.cancel();
    }
  } catch (cause) {
    if (!isDiskFault(cause) || stats === null) throw cause;
    message = diskSentence(cause);
    log.error({ error: cause.message }, "disk");
    end = "stopped";
  }
  let reason = message === undefined ? await reasonOf(end, stop, backend) : "disk";
  fault("ended");
  if (reason !== "disk") {
    await backend.sync(); // else a loss of power could leave an index that names what the state has forgotten
    await writeIndex(config.dir, backend);
  }
  let store: CrawlOutcome["store"];
  if (sending !== null) {
    try {
      if (reason !== "disk" && !(await sending.finish(reason === "interrupted", hooks))) reason = "interrupted";
    } catch (cause) {
      if (!isDiskFault(cause)) throw cause;
      message = diskSentence(cause);
      log.error({ error: cause.message }, "disk");
      reason = "disk";
    }
    store = { name: blobs!.name, ...(await sending.uploads.waiting()) };
  }
  if (reason === "done") await backend.setFact("finishedAt", String(systemClock.now()));
  log.info({ reason }, "ended");
  const loss = reason === "disk" ? null : await seenLoss(backend);
  const lost = loss !== null && losesMore(loss) ? lossWords(loss) : null;
  return {
    ...{ reason, revisits, stats: await stats(), dir: config.dir, resumed },
    ...(message === undefined ? {} : { message }),
    ...(store === undefined ? {} : { store }),
    ...(lost === null ? {} : { lost }),
  };
}

/** The file that changes are told in, if it is one. */
async function changesOf({ events }: CrawlConfig, backend: Backend): Promise<ChangesFile | null> {
  return events === null || events === "-" ? null : openChanges(events, backend);
}

/** URLs that a program or a person adds: asked for by name, so scope and depth do not hold. */
function add(
  urls: readonly Href[],
  { via, depth, priority }: { readonly via: number; readonly depth: number; readonly priority: number | null },
  backend: Backend,
  { admit }: Admission,
): Promise<number> {
  const added = { via, depth, hops: 0, source: "added", ofSeed: false } as const;
  const found = urls.flatMap((href) => admit(href, href, added) ?? []);
  return backend.add(priority === null ? found : found.map((url) => ({ ...url, priority })));
}

async function reasonOf(end: LoopEnd, stop: Stop, backend: Backend): Promise<StopReason> {
  if (end === "limit" || end === "parked" || end === "over-budget") return end;
  if (end === "stopped") return stop.timedOut() ? "time-limit" : "interrupted";
  return pagesIn(await backend.endCounts()) === 0 ? "nothing-fetched" : "done";
}
