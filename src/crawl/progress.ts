/** Counts what the crawl does, and takes the snapshots that people look at. */
import type { Clock, Instant } from "../base/clock.ts";
import { type EndReason, isPresent, pagesIn } from "../model/end.ts";
import { type Again, type CrawlStats, FAILURES, type Waiting } from "../model/stats.ts";
import type { Visited } from "../model/visited.ts";
import type { Frontier, Pending, StateQueries } from "../ports/frontier.ts";
import type { Hosts } from "./hosts.ts";
import type { Outcome } from "./settle.ts";

/** "Now" is the last so many ms. */
const WINDOW_MS = 10_000;
/** What others have done is counted so often, in ms, and more often where a limit hangs on it. */
const RECOUNT_MS = 5_000;
const RECOUNT_FOR_LIMIT_MS = 1_000;

type Ends = ReadonlyMap<EndReason, number>;
type Counted = Pick<Frontier, "pending" | "nextReadyAt"> & Pick<StateQueries, "endCounts">;

export interface Limits {
  readonly limit: number | null;
  /** The limit counts what this run fetches alone: a pass over what is due. */
  readonly ofRun: boolean;
  readonly deadline: Instant | null;
  /** How many crawlers are at the crawl, this one included; null when there can be no others. */
  readonly crawlers: (() => number) | null;
  /** Where they visit pages again: adds to the visits of all, and gives them; `before` of them the limit does not count. Null or left out where they do not. */
  readonly visits?: { readonly before: number; add(more: number): Promise<number> } | null;
}

export class Progress {
  readonly #clock: Clock;
  readonly #state: Counted;
  readonly #hosts: Hosts;
  readonly #limits: Limits;
  readonly #startedAt: Instant;
  readonly #pagesAtStart: number;
  /** As it was when it was counted; whoever is alone asks for it when it is wanted. */
  #byEnd: Ends;
  #countedAt: Instant;
  #pages: number;
  #fetched = 0;
  /** Of these, those that are among the visits of all. */
  #told = 0;
  #visitsOfAll = 0;
  #again: Again = { looks: 0, changed: 0, unchanged: 0, away: 0 };
  #requests = 0;
  #bytes = 0;
  #paused = false;
  #nextVisitAt: Instant | null = null;
  #open = 0;
  #turnedAt: Instant;
  /** Since nothing waited when it was asked last. */
  #idle: { readonly pending: Pending; readonly at: Instant } | null = null;
  /** Samples of (time, pages fetched) within the window, oldest first. */
  #samples: { readonly at: Instant; readonly fetched: number }[] = [];

  private constructor(clock: Clock, state: Counted, hosts: Hosts, limits: Limits, byEnd: Ends) {
    this.#clock = clock;
    this.#state = state;
    this.#hosts = hosts;
    this.#limits = limits;
    this.#startedAt = clock.now();
    this.#turnedAt = this.#startedAt;
    this.#byEnd = byEnd;
    this.#countedAt = this.#startedAt;
    this.#pages = pagesIn(byEnd);
    this.#pagesAtStart = this.#pages;
  }

  static async open(clock: Clock, state: Counted, hosts: Hosts, limits: Limits): Promise<Progress> {
    return new Progress(clock, state, hosts, limits, await state.endCounts());
  }

  /**
   * What `limit` limits: each page that was fetched or looked at in this run, and those that were there when it began; with
   * others, all pages, or all visits of theirs, as far as they have been counted.
   */
  get visits(): number {
    if (this.#limits.visits != null) return this.#visitsOfAll + this.#fetched - this.#told;
    if (this.#limits.crawlers !== null) return this.#pages;
    return (this.#limits.ofRun ? 0 : this.#pagesAtStart) + this.#fetched;
  }

  /** Counts now and then what others have done, `anew` in any case. Not while something of one's own is being committed. */
  async recount(anew = false): Promise<void> {
    const { crawlers, limit } = this.#limits;
    const now = this.#clock.now();
    const isFresh = now - this.#countedAt < (limit === null ? RECOUNT_MS : RECOUNT_FOR_LIMIT_MS);
    if (crawlers === null || (isFresh && !anew)) return;
    this.#countedAt = now;
    this.#byEnd = await this.#state.endCounts();
    this.#pages = pagesIn(this.#byEnd);
    const { visits } = this.#limits;
    if (visits == null || limit === null) return;
    const fetched = this.#fetched;
    this.#visitsOfAll = (await visits.add(fetched - this.#told)) - visits.before;
    this.#told = fetched;
  }

  /** Leases that this run has, from being permitted to their commit. */
  get open(): number {
    return this.#open;
  }

  /** When the crawl's loop came round last. */
  get turnedAt(): Instant {
    return this.#turnedAt;
  }

  turned(open: number): void {
    this.#open = open;
    this.#turnedAt = this.#clock.now();
  }

  pause(paused: boolean): void {
    this.#paused = paused;
  }

  /** When the next URL comes back. */
  expect(nextVisitAt: Instant | null): void {
    this.#nextVisitAt = nextVisitAt;
  }

  /** Requests that are on their way. */
  asked(requests: number): void {
    this.#requests += requests;
  }

  answered({ outcome }: Visited): void {
    if (outcome.kind === "answer") this.#bytes += outcome.bytes;
  }

  /** `current`: whether each outcome was taken by the frontier. */
  committed(outcomes: readonly Outcome[], current: readonly boolean[]): void {
    for (const [i, outcome] of outcomes.entries()) if (current[i] === true) this.#count(outcome);
  }

  #count({ settled: { lease, verdict, record }, change }: Outcome): void {
    if (verdict.kind !== "end") return;
    const { previous } = lease;
    const isThere = isPresent(verdict.end);
    if (isThere) this.#fetched++;
    this.#pages += Number(isThere) - Number(isPresent(previous?.end));
    if (previous === null) return;
    const { looks, changed, unchanged, away } = this.#again;
    this.#again = {
      looks: looks + 1,
      changed: changed + Number(change?.kind === "changed"),
      unchanged: unchanged + Number(change?.kind === "same"),
      away: away + Number(record?.history != null && record.history.away !== null),
    };
  }

  async snapshot(): Promise<CrawlStats> {
    const at = this.#clock.now();
    const { crawlers, limit, deadline } = this.#limits;
    const { queued, leased, delayed, hosts } = await this.#pending(at);
    if (crawlers === null) this.#byEnd = await this.#state.endCounts();
    const byEnd = Object.fromEntries(this.#byEnd) as Partial<Record<EndReason, number>>;
    let failed = 0;
    for (const reason of FAILURES) failed += byEnd[reason] ?? 0;
    return {
      at,
      startedAt: this.#startedAt,
      fetched: this.#pages,
      shared: crawlers === null ? null : { crawlers: crawlers(), here: this.#fetched, leases: this.#open },
      again: this.#again,
      failed,
      byEnd,
      requests: this.#requests,
      bytes: this.#bytes,
      queued,
      leased,
      delayed,
      hosts,
      rateNow: this.#rateNow(at),
      rateMean: perSecond(this.#fetched, at - this.#startedAt),
      limit,
      deadline,
      paused: this.#paused,
      nextVisitAt: queued + leased + delayed === 0 ? this.#nextVisitAt : null,
      waiting: leased === 0 && queued + delayed > 0 ? await this.#waiting(at) : null,
    };
  }

  /** Where others are, that nothing waits is said by no memory, and so asked no more often than need be. */
  async #pending(now: Instant): Promise<Pending> {
    if (this.#idle !== null && now - this.#idle.at < RECOUNT_FOR_LIMIT_MS) return this.#idle.pending;
    const pending = await this.#state.pending();
    this.#idle = this.#limits.crawlers !== null && pending.hosts === 0 ? { pending, at: now } : null;
    return pending;
  }

  #rateNow(at: Instant): number {
    this.#samples.push({ at, fetched: this.#fetched });
    while (this.#samples.length > 1 && this.#samples[1]!.at <= at - WINDOW_MS) this.#samples.shift();
    const oldest = this.#samples[0]!;
    return perSecond(this.#fetched - oldest.fetched, at - oldest.at);
  }

  async #waiting(now: Instant): Promise<Waiting | null> {
    const until = await this.#state.nextReadyAt();
    if (until === null || until <= now) return null;
    for (const { state, backoffSays } of this.#hosts.known) {
      if (state.readyAt !== until) continue;
      const cause = state.backoffUntil >= state.delayUntil && backoffSays !== "" ? "backoff" : "delay";
      return { host: state.host, until, cause, detail: backoffSays };
    }
    return null;
  }
}

const perSecond = (count: number, ms: number): number => (ms > 0 ? (count * 1000) / ms : 0);
