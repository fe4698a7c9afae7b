/** One run of a crawl: its workplace opened, its archive mended, crawled until it ends or is stopped, and closed. */
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { crawl, type LoopEnd } from "../../crawl/crawl.ts";
import { leavePartsUnscheduled } from "../../crawl/parted-schedule.ts";
import { reconsider } from "../../crawl/reconsider.ts";
import { leaveUnscheduled } from "../../crawl/schedule.ts";
import { seed } from "../../crawl/seed.ts";
import { pagesIn } from "../../model/end.ts";
import type { CrawlStats } from "../../model/stats.ts";
import type { Href } from "../../model/url.ts";
import { proxyName, unreachable } from "../../net/proxy.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Backend } from "../../ports/frontier.ts";
import { repairArchive } from "../../warc/repair.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { proxyOf, rememberRules, rulesHaveChanged } from "../config/rules.ts";
import { sharedCrawl } from "../config/sharing.ts";
import { marksHere, openStore, sweepSegments } from "../dir/store.ts";
import { losesMore, lossWords, seenLoss } from "../inspect/report/seen-loss.ts";
import { type Watch, watchRun } from "../metrics/watch.ts";
import { UsageError } from "../usage-error.ts";
import { addedBy } from "./added.ts";
import { openAlone } from "./alone.ts";
import { composeControl } from "./compose.ts";
import { checkCookies, openCookies } from "./cookies.ts";
import { diskSentence, isDiskFault, isFrontierAway, isStoreAway, lastKnown } from "./disk-faults.ts";
import { type Fault, faultOf } from "./fault.ts";
import type { CrawlHooks, CrawlOutcome, Revisits, StopReason } from "./outcome.ts";
import { loadHandlers } from "./plugins.ts";
import { sendingOf } from "./sending.ts";
import { openShared } from "./shared.ts";
import { type Stop, stopsOf } from "./stops.ts";
import type { Workplace } from "./workplace.ts";

/** How often `onStats` is called, in ms. */
const STATS_EVERY_MS = 200;

/** Throws a `UsageError`, or an error of the store with a code, before anything is crawled; a full disk later is an outcome. */
export async function runCrawl(
  config: CrawlConfig,
  told: CrawlHooks,
  revisits: Revisits = "none",
): Promise<CrawlOutcome> {
  // What does not load must be known before anything is written.
  await loadHandlers(config.handlers);
  await checkCookies(config.cookies);
  await checkProxy(config);
  await using watch = config.metrics === null ? null : await watchRun(config.metrics, told);
  const hooks = watch?.hooks ?? told;
  await using blobs = await openStore(config);
  const fault = faultOf(process.env);
  const shared = sharedCrawl(config);
  const stop = stopsOf(config, hooks, systemClock.now());
  try {
    const parts = { blobs, fault, hooks, revisits, hard: stop.hard };
    await using place = shared === null ? await openAlone(config, parts) : await openShared(config, shared, parts);
    place.log.info({ seeds: config.seeds.length, resumed: place.resumed }, place.resumed ? "resumed" : "started");
    return await crawlIn(config, place, { fault: fault ?? (() => {}), blobs, hooks, revisits, stop, watch });
  } finally {
    stop.cancel();
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
  readonly stop: Stop;
  readonly watch: Watch | null;
}

async function crawlIn(
  config: CrawlConfig,
  place: Workplace,
  { fault, blobs, hooks, revisits, stop, watch }: RunParts,
): Promise<CrawlOutcome> {
  const { backend, log, resumed } = place;
  await mendArchive(config, place, blobs);
  await using changes = await place.changes();
  await using kept = await openCookies(config.cookies, log);
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
      ...{ config, place, changes, revisits },
      cookies: kept.cookies,
      deadline: stop.deadline,
      waitingMib: sending?.uploads.waitingMib ?? null,
      onCommitted: watch?.committed,
      onSettled: hooks.onSettled,
      onChanged: config.events === "-" ? hooks.onChanged : undefined,
    });
    const { progress, recrawl, hosts } = control.context;
    const { dns } = control;
    const { shared } = place;
    watch?.begun({ crawl: config.name ?? config.dir, progress, hosts, dns, shared, uploads: sending?.uploads ?? null });
    stats = await lastKnown(() => progress.snapshot());
    const tell = stats;
    let telling = false;
    const tick = async () => {
      if (telling) return; // the state may be far away, and slow
      telling = true;
      const now = await tell().finally(() => {
        telling = false;
      });
      if (over) return;
      place.shared?.tell(now);
      hooks.onStats?.(now);
    };
    const ticking = setInterval(tick, STATS_EVERY_MS);
    try {
      const { admission } = control.context;
      const add = addedBy(backend, admission);
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
          return add(urls, null, found);
        },
      });
      // What was open when an earlier run was killed left no trace of when it ended: wait as if it had ended now.
      if (resumed) await systemClock.sleep(config.delay, stop.soft);
      if (recrawl === null) await unscheduled(place);
      else log.info({ scheduled: await recrawl.open(backend) }, "revisits");
      end = await crawl(control.context, stop);
      await recrawl?.close();
      await progress.recount(true);
      if (uploadFault !== null) throw uploadFault;
    } catch (cause) {
      // Who is told to stop does not wait for a frontier that is away, nor for visits that have asked it something.
      if (stop.hard.aborted && isFrontierAway(cause)) await place.shared?.hangUp();
      throw cause;
    } finally {
      over = true;
      watch?.ending();
      clearInterval(ticking);
      stop.cancel();
    }
  } catch (cause) {
    if (!isDiskFault(cause) || stats === null) throw cause;
    if (stop.hard.aborted && (isFrontierAway(cause) || isStoreAway(cause)))
      return interrupted(config, place, revisits, await stats());
    message = diskSentence(cause);
    log.error({ error: cause.message }, "disk");
    end = "stopped";
  }
  let reason = message === undefined ? await reasonOf(end, stop, backend) : "disk";
  fault("ended");
  let written: readonly string[] = [];
  if (reason !== "disk") {
    await backend.sync(); // else a loss of power could leave an index that names what the state has forgotten
    written = await place.finish(end === "done");
  }
  let store: CrawlOutcome["store"];
  if (sending !== null) {
    try {
      if (reason !== "disk" && !(await sending.finish(written, reason === "interrupted", hooks)))
        reason = "interrupted";
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
    ...(config.name === null ? {} : { sharedAs: config.name }),
    ...(message === undefined ? {} : { message }),
    ...(store === undefined ? {} : { store }),
    ...(lost === null ? {} : { lost }),
  };
}

const unscheduled = ({ backend, shared }: Workplace): Promise<void> =>
  shared === null ? leaveUnscheduled(backend) : leavePartsUnscheduled(shared.parts);

/** The outcome of a run that was stopped while nobody answered it. */
function interrupted(
  { dir, name }: CrawlConfig,
  { resumed }: Workplace,
  revisits: Revisits,
  stats: CrawlStats,
): CrawlOutcome {
  return { reason: "interrupted", revisits, stats, dir, resumed, ...(name === null ? {} : { sharedAs: name }) };
}

/** Cuts the files that this run looks after back to what is committed, and brings back what is neither here nor whole in the store. */
async function mendArchive(config: CrawlConfig, { backend, log, owns }: Workplace, blobs: Blobs | null): Promise<void> {
  const dir = join(config.dir, "archive");
  const marks = new Map([...(await backend.marks())].filter(([file]) => owns(file)));
  const here = blobs === null ? marks : await marksHere(dir, marks, blobs);
  if (blobs !== null) await sweepSegments(here, blobs, owns);
  for (const repair of await repairArchive(dir, here)) if (repair.cut > 0) log.info(repair, "archive-tail-cut");
}

async function reasonOf(end: LoopEnd, stop: Stop, backend: Backend): Promise<StopReason> {
  if (end === "limit" || end === "parked" || end === "over-budget") return end;
  if (end === "stopped") return stop.timedOut() ? "time-limit" : "interrupted";
  return pagesIn(await backend.endCounts()) === 0 ? "nothing-fetched" : "done";
}
