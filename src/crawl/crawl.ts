/** The control thread's loop: lease, permit, give to visitors, settle what comes back, commit; until nothing is pending. */
import type { Log } from "../base/log.ts";
import type { ArchiveMark } from "../model/capture.ts";
import type { ChangeEvent } from "../model/event.ts";
import type { Lease } from "../model/lease.ts";
import { contentOf, type UrlRecord } from "../model/record.ts";
import type { Href } from "../model/url.ts";
import type { Errand, Sealed } from "../model/visited.ts";
import { addressReadyAt, isParked } from "../policy/politeness.ts";
import type { Bodies } from "../ports/bodies.ts";
import type { Frontier, Settled } from "../ports/frontier.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Visitors } from "../ports/visitors.ts";
import { Bell } from "./bell.ts";
import { commit } from "./commit.ts";
import type { Committed } from "./committed.ts";
import type { SettleContext } from "./context.ts";
import { numbered } from "./hosts.ts";
import { type PermitContext, permit, release, targetOf } from "./permit.ts";
import type { Progress } from "./progress.ts";
import { changeEvents, endedRecords } from "./records.ts";
import type { Recrawl } from "./recrawl.ts";
import { withReturns } from "./returns.ts";
import { type Outcome, settleUnvisited, settleVisit } from "./settle.ts";

export interface CrawlRules {
  /** Stop when so many pages have been fetched; null: no limit. */
  readonly limit: number | null;
  /** Visits that may be open at once, in all threads. */
  readonly concurrency: number;
}

/** An output that is written before the commit that counts it, and cut back to it after a crash. */
export interface Sink<T> {
  write(items: readonly T[]): Promise<ArchiveMark>;
}

/** Where changes are told. */
export interface Changes extends Sink<ChangeEvent> {
  /** After the commit: which of those written last were taken. Left out where a commit counts all or none of them. */
  settled?(taken: readonly boolean[]): Promise<void>;
}

export interface CrawlContext extends PermitContext, Omit<SettleContext, "rules"> {
  readonly frontier: Frontier;
  readonly visitors: Visitors;
  readonly progress: Progress;
  /** pages.jsonl; null: only the state tells of pages. */
  readonly pages: Sink<UrlRecord> | null;
  /** What has changed; null: nobody wants to know. */
  readonly changes: Changes | null;
  /** Told which bodies are known; null: no other crawler asks. */
  readonly bodies: Pick<Bodies, "keep"> | null;
  readonly inbox: Inbox;
  /** Brings URLs back; null in a crawl that visits each once. */
  readonly recrawl: Recrawl | null;
  readonly log: Log;
  readonly crawlRules: CrawlRules;
  readonly settleRules: SettleContext["rules"];
  /** Told of each batch after its commit, for counting alone. */
  onCommitted?(batch: Committed): void;
  /** Told of URLs that have ended, after their commit; the crawl waits for it. */
  onSettled?(records: readonly UrlRecord[]): void | Promise<void>;
  /** Told of what has changed, after the commit that holds it. */
  onChanged?(events: readonly ChangeEvent[]): void;
  /** Told where a seed was redirected to, before that URL is visited: the scope grows, in all threads and for later runs. */
  onSeedMoved(to: Href): Promise<void>;
}

export interface Stops {
  /** Lease nothing more; let open visits end. */
  readonly soft: AbortSignal;
  /** Leave open visits: their URLs are queued again at the next start. */
  readonly hard: AbortSignal;
}

/**
 * "done": nothing is pending, and nothing comes back. "limit": enough pages. "stopped": a signal said so. "parked": all that is pending waits for
 * hosts that have asked to be left alone for longer than anybody would wait. "over-budget": all that is pending is of
 * hosts that have had their pages.
 */
export type LoopEnd = "done" | "limit" | "stopped" | "parked" | "over-budget";

/** Leases wait in line for an address, or for DNS: so many times `concurrency` may be open in all. */
const OPEN_PER_SLOT = 4;
/** How often it is looked who has waited too long to be given to a visitor, in ms. */
const LATE_EVERY_MS = 5_000;
/** The loop looks round at least so often, in ms. */
const IDLE_MS = 500;

const SOMETHING = { queued: 1, leased: 0, delayed: 0 };

export async function crawl(context: CrawlContext, stops: Stops): Promise<LoopEnd> {
  return new Loop(context, stops).run();
}

class Loop {
  readonly #context: CrawlContext;
  readonly #settling: SettleContext;
  readonly #stops: Stops;
  readonly #bell: Bell;
  /** The loop has failed: who waits for a turn need not wait any longer, and keeps nothing from ending. */
  readonly #failed = new AbortController();
  readonly #noMoreTurns: AbortSignal;
  /** Permitted, waiting for a free visitor. */
  readonly #granted: Errand[] = [];
  #sealed: readonly Sealed[] = [];
  #decided: Outcome[] = [];
  /** Leases open anywhere: being permitted, granted, visited, or waiting for their commit. */
  #open = 0;
  /** No lease could be taken when last looked: only an event can change that, not the clock. */
  #full = false;
  #failure: unknown = null;
  #paused = false;

  constructor(context: CrawlContext, stops: Stops) {
    this.#context = context;
    this.#settling = { ...context, rules: context.settleRules };
    this.#stops = stops;
    this.#noMoreTurns = AbortSignal.any([stops.soft, this.#failed.signal]);
    this.#bell = new Bell(context.clock);
  }

  async run(): Promise<LoopEnd> {
    const ended = new AbortController();
    const beside = [this.#pump(ended.signal), this.#leaveLate(ended.signal)];
    const ring = () => this.#bell.ring();
    this.#stops.soft.addEventListener("abort", ring);
    this.#stops.hard.addEventListener("abort", ring);
    try {
      for (;;) {
        this.#context.progress.turned(this.#open);
        await this.#commit();
        if (this.#failure !== null) throw this.#failure;
        await this.#bringBack();
        // What was added at the last moment is not left lying.
        await this.#lookIn((await this.#end()) !== null);
        const end = await this.#end();
        if (end !== null) return end;
        const resting = this.#stopping() || this.#paused;
        if (!resting) await this.#lease();
        await this.#give();
        if (this.#sealed.length > 0 || this.#decided.length > 0 || this.#hasHints()) continue;
        await this.#bell.wait(await this.#untilDue(resting));
      }
    } catch (cause) {
      this.#failed.abort();
      throw cause;
    } finally {
      this.#stops.soft.removeEventListener("abort", ring);
      this.#stops.hard.removeEventListener("abort", ring);
      ended.abort();
      await Promise.all(beside);
    }
  }

  /** Carries sealed batches from the visitors to the loop. */
  async #pump(ended: AbortSignal): Promise<void> {
    try {
      while (!ended.aborted) {
        const sealed = await this.#context.visitors.take(ended);
        this.#sealed = [...this.#sealed, ...sealed];
        this.#bell.ring();
      }
    } catch (cause) {
      this.#failure ??= cause;
      this.#bell.ring();
    }
  }

  /** While a commit takes long nobody gives errands away: who has waited too long goes back while its lease is good. */
  async #leaveLate(ended: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    try {
      while (!ended.aborted) {
        await clock.sleep(LATE_EVERY_MS, ended);
        const now = clock.now();
        const late = this.#granted.filter(({ beginBy }) => now > beginBy);
        for (const errand of late) this.#granted.splice(this.#granted.indexOf(errand), 1);
        await this.#leave(late);
      }
    } catch (cause) {
      this.#failure ??= cause;
      this.#bell.ring();
    }
  }

  async #bringBack(): Promise<void> {
    const { recrawl, hints, progress } = this.#context;
    if (recrawl === null || this.#paused || this.#stopping()) return;
    await hints?.take();
    await recrawl.take();
    progress.expect(recrawl.nextAt);
  }

  async #lookIn(eager: boolean): Promise<void> {
    const { inbox, progress } = this.#context;
    this.#paused = await inbox.look(eager);
    progress.pause(this.#paused);
    await progress.recount();
  }

  /** How the crawl ends, if it ends now. */
  async #end(): Promise<LoopEnd | null> {
    const { frontier, recrawl } = this.#context;
    const goesOn = recrawl?.goesOn ?? false;
    // Who goes on in any case need not ask.
    const { queued, leased, delayed } = goesOn ? SOMETHING : await frontier.pending();
    const isIdle = queued + leased + delayed === 0;
    if (isIdle && !this.#hasHints() && ((await recrawl?.isOver()) ?? true)) return "done";
    if (this.#stopping()) {
      if (this.#open > 0 && !this.#stops.hard.aborted) return null;
      return this.#enough() ? "limit" : "stopped";
    }
    // What others have leased may come back, or bring links; and where all is idle they have something to bring back.
    return goesOn || isIdle || this.#open > 0 || leased > 0 || this.#paused ? null : this.#nothingToWaitFor();
  }

  /** Some of what sitemaps have said is to be gone through; it may bring URLs back. */
  #hasHints(): boolean {
    return (this.#context.hints?.isWaiting ?? false) && !this.#paused && !this.#stopping();
  }

  #stopping(): boolean {
    return this.#stops.soft.aborted || this.#enough();
  }

  #enough(): boolean {
    const { limit } = this.#context.crawlRules;
    return limit !== null && this.#context.progress.visits >= limit;
  }

  async #nothingToWaitFor(): Promise<LoopEnd | null> {
    const { frontier, clock, settleRules } = this.#context;
    const at = await frontier.nextReadyAt();
    if (at === null) return "over-budget"; // nothing is open, so every host with work was set aside
    return isParked({ readyAt: at }, clock.now(), settleRules.politeness) ? "parked" : null;
  }

  async #lease(): Promise<void> {
    const { frontier, visitors, hosts, crawlRules, progress } = this.#context;
    const most = crawlRules.concurrency * OPEN_PER_SLOT - this.#open;
    const left =
      crawlRules.limit === null ? most : crawlRules.limit - progress.visits - (await frontier.pending()).leased;
    const want = Math.min(visitors.free - this.#granted.length, most, left);
    this.#full = want <= 0;
    if (this.#full) return;
    const leases = await frontier.lease(want);
    await hosts.loadLeased(leases);
    for (const lease of leases) {
      this.#open++;
      this.#permit(lease).catch((cause) => {
        this.#failure ??= cause;
        this.#bell.ring();
      });
    }
  }

  async #permit(lease: Lease): Promise<void> {
    const { frontier } = this.#context;
    const permitted = await permit(lease, this.#context, this.#noMoreTurns);
    if (this.#failed.signal.aborted) return;
    if (permitted.kind === "later") {
      const { hostReadyAt, hostTier } = permitted;
      await frontier.release([{ lease, hostReadyAt, hostTier }]);
      this.#open--;
    } else if (permitted.kind === "go") {
      if (this.#stops.soft.aborted || this.#paused) await this.#leave([permitted.errand]);
      else this.#granted.push(permitted.errand);
    } else {
      this.#decided.push(settleUnvisited(lease, permitted, this.#settling));
    }
    this.#bell.ring();
  }

  async #give(): Promise<void> {
    const { visitors } = this.#context;
    if (this.#stops.soft.aborted || this.#paused) await this.#leave(this.#granted.splice(0));
    const free = Math.min(visitors.free, this.#granted.length);
    if (free <= 0) return;
    const errands = this.#granted.splice(0, free);
    this.#context.progress.asked(errands.length);
    visitors.give(errands);
  }

  /** Gives granted errands back unvisited. */
  async #leave(errands: readonly Errand[]): Promise<void> {
    if (errands.length === 0) return;
    const now = this.#context.clock.now();
    for (const errand of errands) this.#putBack(errand, now);
    await this.#context.frontier.release(errands.map(({ lease }) => ({ lease, hostReadyAt: now })));
    this.#open -= errands.length;
  }

  #putBack(
    { lease, href, task, address }: Pick<Errand, "lease" | "href" | "task" | "address">,
    addressReadyAt: number,
  ): void {
    const { hosts, turns } = this.#context;
    const entry = hosts.get(lease.url.host);
    release(entry, targetOf(href, entry, hosts), task === "robots");
    if (address !== "") turns.give(address, addressReadyAt);
  }

  async #commit(): Promise<void> {
    const sealed = this.#sealed;
    const decided = this.#decided;
    if (sealed.length === 0 && decided.length === 0) return;
    this.#sealed = [];
    this.#decided = [];
    const { frontier, hosts, feedback, pages, progress, recrawl, hints, settleRules } = this.#context;
    const unasked = sealed.flatMap((one) => one.unasked);
    progress.asked(-unasked.length);
    await this.#leave(unasked);
    await hosts.load(decided.map(({ settled }) => settled.lease.url.host));
    const outcomes = [...decided];
    for (const { visits } of sealed)
      for (const visited of visits) {
        this.#putBack(visited, addressReadyAt(visited.endedAt, settleRules.politeness));
        outcomes.push(settleVisit(visited, this.#settling));
        progress.answered(visited);
      }
    const settled = await this.#consult(outcomes);
    const records = endedRecords(outcomes);
    const { changes, onChanged } = this.#context;
    const told = changes === null && onChanged === undefined ? [] : changeEvents(outcomes);
    const events = told.map(({ event }) => event);
    const written = pages === null || records.length === 0 ? [] : [await pages.write(records)];
    if (changes !== null && events.length > 0) written.push(await changes.write(events));
    // Before anybody can lease the URL, and so find links there.
    for (const { seedMoved } of outcomes) if (seedMoved !== null) await this.#context.onSeedMoved(seedMoved);
    const beganAt = this.#context.clock.now();
    const judged = {
      sealed,
      settled: settled.map((one) => recrawl?.settled(one) ?? one),
      hosts: outcomes.flatMap((outcome) => outcome.hosts).map((state) => feedback.withLessons(state)),
      robots: outcomes.flatMap((outcome) => outcome.robots ?? []),
      requests: outcomes.flatMap((outcome) => outcome.request ?? []),
      outputs: written,
    };
    const [report] = await Promise.all([commit(judged, frontier), hosts.tell()]);
    this.#open -= outcomes.length;
    let nth = 0;
    for (const { robots } of outcomes) {
      if (robots === null) continue;
      const id = report.robotsIds[nth++]!;
      const entry = hosts.get(robots.host);
      if (entry.robots?.history.latest === robots) entry.robots = numbered(entry.robots, id);
    }
    if (hints !== null)
      for (const { visits } of sealed) for (const { listed } of visits) if (listed !== undefined) hints.hear(listed);
    if (report.current.includes(false)) this.#context.visitors.forget();
    progress.committed(outcomes, report.current);
    this.#context.onCommitted?.({ sealed, outcomes, report, beganAt, endedAt: this.#context.clock.now() });
    await this.#context.bodies?.keep(
      outcomes.flatMap(({ settled: { record } }, nth) => (report.current[nth] && record && contentOf(record)) || []),
    );
    if (told.length > 0) {
      const taken = told.map(({ nth }) => report.current[nth]!);
      await changes?.settled?.(taken);
      onChanged?.(events.filter((_, nth) => taken[nth]));
    }
    if (records.length > 0) await this.#context.onSettled?.(records);
  }

  /** What takes a question to the store, for all of a batch: after it was settled, so that no permit meets a host half settled. */
  async #consult(outcomes: readonly Outcome[]): Promise<Settled[]> {
    const { feedback, softNotFound, settleRules } = this.#context;
    const lessons = outcomes.flatMap(({ lesson }) => lesson ?? []);
    for (const [nth, isAlike] of (await feedback.learn(lessons)).entries())
      softNotFound.learn(lessons[nth]!.visited.lease.url, isAlike);
    return Promise.all(outcomes.map(({ settled }) => withReturns(settled, settleRules.judge.keys, this.#context)));
  }

  async #untilDue(resting: boolean): Promise<number> {
    const { frontier, clock } = this.#context;
    if (resting || this.#full) return IDLE_MS;
    const at = await frontier.nextReadyAt();
    return at === null ? IDLE_MS : Math.min(Math.max(at - clock.now(), 1), IDLE_MS);
  }
}
