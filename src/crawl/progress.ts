/** Counts what the crawl does, and takes the snapshots that people look at. */
import type { Clock, Instant } from "../base/clock.ts";
import type { EndReason } from "../model/end.ts";
import { type CrawlStats, FAILURES, type Waiting } from "../model/stats.ts";
import type { Visited } from "../model/visited.ts";
import type { Frontier, StateQueries } from "../ports/frontier.ts";
import type { Hosts } from "./hosts.ts";
import type { Outcome } from "./settle.ts";

/** "Now" is the last so many ms. */
const WINDOW_MS = 10_000;

export interface Limits {
  readonly limit: number | null;
  readonly deadline: Instant | null;
}

export class Progress {
  readonly #clock: Clock;
  readonly #state: Pick<Frontier, "pending" | "nextReadyAt"> & Pick<StateQueries, "endCounts">;
  readonly #hosts: Hosts;
  readonly #limits: Limits;
  readonly #startedAt: Instant;
  readonly #pagesAtStart: number;
  #pages: number;
  #requests = 0;
  #bytes = 0;
  #paused = false;
  /** Samples of (time, pages) within the window, oldest first. */
  #samples: { readonly at: Instant; readonly pages: number }[] = [];

  constructor(
    clock: Clock,
    state: Pick<Frontier, "pending" | "nextReadyAt"> & Pick<StateQueries, "endCounts">,
    hosts: Hosts,
    limits: Limits,
  ) {
    this.#clock = clock;
    this.#state = state;
    this.#hosts = hosts;
    this.#limits = limits;
    this.#startedAt = clock.now();
    this.#pages = state.endCounts().get("fetched") ?? 0;
    this.#pagesAtStart = this.#pages;
  }

  /** URLs that ended as "fetched", earlier runs included: what `limit` limits. */
  get pages(): number {
    return this.#pages;
  }

  pause(paused: boolean): void {
    this.#paused = paused;
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
    for (const [i, { settled }] of outcomes.entries())
      if (current[i] === true && settled.verdict.kind === "end" && settled.verdict.end === "fetched") this.#pages++;
  }

  snapshot(): CrawlStats {
    const at = this.#clock.now();
    const { queued, leased, delayed, hosts } = this.#state.pending();
    const byEnd = Object.fromEntries(this.#state.endCounts()) as Partial<Record<EndReason, number>>;
    let failed = 0;
    for (const reason of FAILURES) failed += byEnd[reason] ?? 0;
    return {
      at,
      startedAt: this.#startedAt,
      fetched: this.#pages,
      failed,
      byEnd,
      requests: this.#requests,
      bytes: this.#bytes,
      queued,
      leased,
      delayed,
      hosts,
      rateNow: this.#rateNow(at),
      rateMean: perSecond(this.#pages - this.#pagesAtStart, at - this.#startedAt),
      ...this.#limits,
      paused: this.#paused,
      waiting: leased === 0 && queued + delayed > 0 ? this.#waiting(at) : null,
    };
  }

  #rateNow(at: Instant): number {
    this.#samples.push({ at, pages: this.#pages });
    while (this.#samples.length > 1 && this.#samples[1]!.at <= at - WINDOW_MS) this.#samples.shift();
    const oldest = this.#samples[0]!;
    return perSecond(this.#pages - oldest.pages, at - oldest.at);
  }

  #waiting(now: Instant): Waiting | null {
    const until = this.#state.nextReadyAt();
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
