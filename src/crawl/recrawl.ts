/**
 * Brings URLs back: says at each settlement when its URL is due again, and puts what is due back into the frontier, as far
 * as the budget goes and discovery leaves room. On the control thread; policy/recrawl decides.
 */
import type { Clock, Instant } from "../base/clock.ts";
import type { HostKey } from "../model/host.ts";
import {
  afterFirst,
  afterRevisit,
  filled,
  hasTurn,
  NO_TURNS,
  type Purse,
  type RecrawlRules,
  spare,
  type Turns,
} from "../policy/recrawl.ts";
import type { Backend, Frontier, Settled, StateQueries } from "../ports/frontier.ts";
import type { Due, Revisits } from "../ports/revisits.ts";
import { DueTimes, isByRate, type Weighed, type WeightOf, wasLookedAtAgain } from "./due-times.ts";
import { PartedSchedule, type PartedScheduleParts } from "./parted-schedule.ts";
import { isWithin, OwnSchedule, type Schedule, weighed } from "./schedule.ts";

export interface RecrawlParts {
  readonly frontier: Revisits & Pick<Frontier, "pending">;
  readonly urls: Pick<StateQueries, "byId" | "urls" | "importance">;
  readonly clock: Clock;
  /** 0 <= x < 1. */
  readonly random: () => number;
  readonly weightOf: WeightOf;
  /** One due pass: what is due by then comes back, whatever the budget says, and the crawl ends. Null: it goes on for ever. */
  readonly until: Instant | null;
  /** Where crawlers share a crawl. */
  readonly shared?: Pick<PartedScheduleParts, "parts" | "log"> & {
    /** Of a due pass: until when by now, since who joins may have moved it on. */
    untilNow(): Promise<Instant>;
  };
}

/** Due URLs looked at in one go: rows are read for them. */
const AT_ONCE = 200;
const BATCH = 1_000;
/** The class that what comes back waits in: before new pages, of which each pays for so many of them. */
export const REVISITS = 1;
/** A URL whose host is busy with discovery is looked at again after so long. */
const HOST_BUSY_MS = 60_000;
/** When nothing is due the store is asked again after so long. */
const ASK_AGAIN_MS = 1_000;
const MOST_HOSTS = 10_000;
const MOST_HINTED = 10_000;
/** A page that comes due is put off when it would be due so much of its interval later by what is known now. */
const PUT_OFF_PART = 0.1;

export class Recrawl {
  readonly dueTimes: DueTimes;
  readonly #parts: RecrawlParts;
  /** Of all together, and of each host. */
  #turns: Turns = NO_TURNS;
  readonly #hostTurns = new Map<HostKey, Turns>();
  #purse: Purse;
  #askedAt: Instant = Number.NEGATIVE_INFINITY;
  #nextAt: Instant | null = null;
  #until: Instant | null;
  #schedule: Schedule | null = null;
  /** Brought forward by a hint: not to be put off again. */
  readonly #hinted = new Set<number>();

  constructor(parts: RecrawlParts, rules: RecrawlRules) {
    this.#parts = parts;
    this.#until = parts.until;
    this.dueTimes = new DueTimes(rules, parts.weightOf, parts.shared?.parts);
    this.#purse = { visits: 0, at: parts.clock.now() };
  }

  /** The same, with the time at which its URL is due again. */
  settled(settled: Settled): Settled {
    const { lease, verdict, record } = settled;
    if (verdict.kind !== "end" || record === null) return settled;
    const { url, previous, importance } = lease;
    const { clock, random } = this.#parts;
    if (previous === null) this.#first(url.host, clock.now());
    const lastMs = previous === null ? null : record.endedAt - previous.endedAt;
    return { ...settled, dueAt: this.dueTimes.after({ ...url, importance }, record, lastMs, random()) };
  }

  #first(host: HostKey, now: Instant): void {
    const { share } = this.dueTimes.rules;
    this.#turns = afterFirst(this.#turns, now, share);
    const turns = this.#hostTurns.get(host) ?? NO_TURNS;
    this.#hostTurns.delete(host);
    this.#hostTurns.set(host, afterFirst(turns, now, share));
    if (this.#hostTurns.size > MOST_HOSTS) this.#hostTurns.delete(this.#hostTurns.keys().next().value!);
  }

  /** Whether there is always something to wait for. */
  get goesOn(): boolean {
    return this.#until === null;
  }

  /** Of a due pass: whether all that was due has come back and ended, whoever was to bring it back. */
  async isOver(): Promise<boolean> {
    if (this.#until === null || !((await this.#schedule?.isWhole()) ?? true)) return false;
    return this.#parts.frontier.rests(this.#until);
  }

  /** When the next URL is due, as it was when last looked; null: nothing is, or it was not looked for. */
  get nextAt(): Instant | null {
    return this.#nextAt;
  }

  /** Puts what is due back into the frontier; the number put back. Cheap when there is nothing to do. */
  async take(): Promise<number> {
    const now = this.#parts.clock.now();
    await this.#schedule?.tend(now);
    if (isWithin(ASK_AGAIN_MS, this.#askedAt, now)) return 0;
    const { shared } = this.#parts;
    if (this.#until !== null && shared !== undefined) this.#until = await shared.untilNow();
    const until = this.#until;
    const put = until === null ? await this.#takeWithin(now) : await this.#takeAll(until);
    if (put > 0) return put;
    this.#nextAt = await this.#parts.frontier.nextDueAt();
    this.#askedAt = now;
    return 0;
  }

  /** What the budget pays for, and discovery leaves room for. */
  async #takeWithin(now: Instant): Promise<number> {
    const { queued, delayed } = await this.#parts.frontier.pending();
    const isIdle = queued + delayed === 0;
    if (!isIdle && !hasTurn(this.#turns, now)) return 0;
    const { visits } = this.dueTimes.economy;
    this.#purse = filled(this.#purse, now, visits);
    const most = Math.min(Math.floor(this.#purse.visits), AT_ONCE);
    const early = Math.min(spare(this.#purse, visits), AT_ONCE);
    let due = most <= 0 ? [] : await this.#parts.frontier.due(now, most);
    if (due.length < early) due = await this.#parts.frontier.due(now + this.dueTimes.rules.bounds.maxMs, early);
    return this.#putBack(due, now, isIdle);
  }

  async #takeAll(until: Instant): Promise<number> {
    const due = await this.#parts.frontier.due(until, BATCH);
    return this.#revisit(due.map(({ id }) => id));
  }

  /** Pays for them. `isIdle`: nothing waits, so that nothing is held up. */
  async #putBack(due: readonly Due[], now: Instant, isIdle: boolean): Promise<number> {
    const again: number[] = [];
    const put: { readonly id: number; readonly dueAt: Instant }[] = [];
    for (const { id, dueAt, record } of await this.#recordsOf(due)) {
      if (!isIdle && !hasTurn(this.#turns, now)) break;
      const turns = this.#hostTurns.get(record.host);
      if (!isIdle && turns !== undefined && !hasTurn(turns, now)) {
        put.push({ id, dueAt: now + HOST_BUSY_MS });
        continue;
      }
      const later = this.#putOff(record, now, dueAt > now);
      if (later !== null) {
        if (later !== dueAt) put.push({ id, dueAt: later });
        continue;
      }
      again.push(id);
      if (dueAt <= now && record.visit?.end === "robots") continue; // asks robots.txt alone, and costs nobody a visit
      this.#purse = { ...this.#purse, visits: this.#purse.visits - 1 };
      this.#turns = afterRevisit(this.#turns);
      if (turns !== undefined) this.#hostTurns.set(record.host, afterRevisit(turns));
    }
    if (put.length > 0) await this.#parts.frontier.schedule(put);
    return this.#revisit(again);
  }

  async #revisit(ids: readonly number[]): Promise<number> {
    for (const id of ids) this.#hinted.delete(id);
    if (ids.length === 0) return 0;
    return this.#parts.frontier.revisit(ids.map((id) => ({ id, priority: REVISITS })));
  }

  /** Who looks after the URL has not heard of it, and would put it off. */
  async #bring(id: number): Promise<void> {
    this.#purse = { ...this.#purse, visits: this.#purse.visits - 1 };
    await this.#revisit([id]);
  }

  /** Prices move: when a page that comes due should be due instead, or null for now. `early`: there are visits to spare. */
  #putOff({ visit, ...url }: Weighed, now: Instant, early: boolean): Instant | null {
    if (visit === null || this.#hinted.has(url.id)) return null;
    const { bounds } = this.dueTimes.rules;
    if (early) return now < visit.endedAt + bounds.minMs ? visit.endedAt + bounds.minMs : null;
    if (!wasLookedAtAgain(visit) || !isByRate(visit)) return null;
    const { afterMs } = this.dueTimes.reasons(url, visit);
    const dueAt = visit.endedAt + afterMs;
    return dueAt > now + PUT_OFF_PART * afterMs ? dueAt : null;
  }

  async #recordsOf(due: readonly Due[]): Promise<(Due & { readonly record: Weighed })[]> {
    const found: (Due & { readonly record: Weighed })[] = [];
    for (const one of due) {
      const record = await weighed(one.id, this.#parts.urls);
      if (record !== null) found.push({ ...one, record });
    }
    return found;
  }

  /** Somebody who is trusted says that a URL has changed: it is due at `at`, whatever its rate; within a due pass, in that. */
  async hinted(id: number, at: Instant): Promise<void> {
    const parts = this.#parts.shared?.parts;
    if (parts !== undefined && !parts.isMine(parts.of(id))) return this.#bring(id);
    this.#hinted.add(id);
    if (this.#hinted.size > MOST_HINTED) this.#hinted.delete(this.#hinted.values().next().value!);
    this.#askedAt = Number.NEGATIVE_INFINITY;
    await this.#parts.frontier.schedule([{ id, dueAt: Math.min(at, this.#until ?? at) }]);
  }

  /** Begins with what an earlier run has kept, or others have; the number of URLs that had to be scheduled. */
  async open(state: Pick<Backend, "fact" | "setFact">): Promise<number> {
    const { urls, frontier, random, clock, shared } = this.#parts;
    const parts = { dueTimes: this.dueTimes, urls, frontier, random, clock };
    this.#schedule = shared === undefined ? new OwnSchedule(parts, state) : new PartedSchedule({ ...parts, ...shared });
    return this.#schedule.open();
  }

  async close(): Promise<void> {
    await this.#schedule?.close();
  }
}
