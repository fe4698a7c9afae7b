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
import { DueTimes, isByRate, type KeptPanel, type Weighed, type WeightOf, wasLookedAtAgain } from "./due-times.ts";

export interface RecrawlParts {
  readonly frontier: Revisits & Pick<Frontier, "pending">;
  readonly urls: Pick<StateQueries, "byId" | "urls" | "importance">;
  readonly clock: Clock;
  /** 0 <= x < 1. */
  readonly random: () => number;
  readonly weightOf: WeightOf;
  /** One due pass: what is due by then comes back, whatever the budget says, and the crawl ends. Null: it goes on for ever. */
  readonly until: Instant | null;
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
/** What is believed is kept so often, for `trawl due` beside a crawl that never ends. */
const KEEP_MS = 5_000;
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
  #state: Pick<Backend, "setFact"> | null = null;
  #keptAt: Instant = Number.NEGATIVE_INFINITY;
  #keptPages = 0;
  /** Brought forward by a hint: not to be put off again. */
  readonly #hinted = new Set<number>();

  constructor(parts: RecrawlParts, rules: RecrawlRules) {
    this.#parts = parts;
    this.dueTimes = new DueTimes(rules, parts.weightOf);
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
    return this.#parts.until === null;
  }

  /** When the next URL is due, as it was when last looked; null: nothing is, or it was not looked for. */
  get nextAt(): Instant | null {
    return this.#nextAt;
  }

  /** Puts what is due back into the frontier; the number put back. Cheap when there is nothing to do. */
  async take(): Promise<number> {
    const now = this.#parts.clock.now();
    if (!isWithin(KEEP_MS, this.#keptAt, now)) await this.#keep(now);
    if (isWithin(ASK_AGAIN_MS, this.#askedAt, now)) return 0;
    const { until } = this.#parts;
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
    let due = most === 0 ? [] : await this.#parts.frontier.due(now, most);
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
    this.#hinted.add(id);
    if (this.#hinted.size > MOST_HINTED) this.#hinted.delete(this.#hinted.values().next().value!);
    this.#askedAt = Number.NEGATIVE_INFINITY;
    await this.#parts.frontier.schedule([{ id, dueAt: Math.min(at, this.#parts.until ?? at) }]);
  }

  /**
   * Begins with what an earlier run has kept. When that is not the whole, because it was killed, or ran without schedules,
   * or was made by other rules, all URLs that have ended are gone through; the number of those that are scheduled by that.
   */
  async open(state: Pick<Backend, "fact" | "setFact">): Promise<number> {
    const { share: _, ...rules } = this.dueTimes.rules; // which says nothing of when pages are due
    const isAsRuled = (await state.fact(RULED)) === JSON.stringify(rules);
    const isWhole = isAsRuled && (await state.fact(SCHEDULED)) === "all" && (await state.fact(PANEL)) !== null;
    await state.setFact(SCHEDULED, "some"); // until it is closed
    this.#state = state;
    if (!isWhole) {
      const scheduled = await this.#adopt(!isAsRuled);
      await state.setFact(RULED, JSON.stringify(rules));
      return scheduled;
    }
    this.dueTimes.load(await panelRecords(state, this.#parts.urls));
    return 0;
  }

  async close(state: Pick<Backend, "setFact">): Promise<void> {
    await keepPanel(state, this.dueTimes.panel);
    await state.setFact(SCHEDULED, "all");
  }

  /** When pages have come or gone: who is in the panel stays the same otherwise, or nearly. */
  async #keep(now: Instant): Promise<void> {
    this.#keptAt = now;
    const { panel } = this.dueTimes;
    if (this.#state === null || panel.ids.length === this.#keptPages) return;
    await keepPanel(this.#state, panel);
    this.#keptPages = panel.ids.length;
  }

  /**
   * Two walks over the URLs that have ended: what is known of them, and when they are due, where that is not settled.
   * `anew`: it is settled for none but those that are due by now.
   */
  async #adopt(anew: boolean): Promise<number> {
    const { urls, frontier, random, clock } = this.#parts;
    const settledUntil = anew ? clock.now() : Number.POSITIVE_INFINITY;
    for await (const { visit, ...url } of urls.urls({ endedOnly: true }))
      if (visit !== null && isByRate(visit) && this.dueTimes.holds(url))
        this.dueTimes.learn({ ...url, importance: await urls.importance(url.id) }, visit);
    let scheduled = 0;
    let batch: { readonly id: number; readonly dueAt: Instant }[] = [];
    const flush = async () => {
      await frontier.schedule(batch);
      scheduled += batch.length;
      batch = [];
    };
    for await (const { visit, dueAt, ...url } of urls.urls({ endedOnly: true })) {
      if (visit === null || (dueAt !== null && dueAt <= settledUntil)) continue;
      // What is tried after twice as long each time stays at its step, within the bounds.
      const lastMs = dueAt === null ? null : (dueAt - visit.endedAt) / 2;
      const importance = await urls.importance(url.id);
      const at = this.dueTimes.after({ ...url, importance }, visit, lastMs, random());
      if (at !== null) batch.push({ id: url.id, dueAt: at });
      if (batch.length === BATCH) await flush();
    }
    if (batch.length > 0) await flush();
    return scheduled;
  }
}

/** Whether less than so much time has passed; not when the clock was set back behind `since`. */
const isWithin = (ms: number, since: Instant, now: Instant): boolean => now >= since && now - since < ms;

/** Facts of the state: the ids of the panel and how thin it is, and whether all that has ended is scheduled ("all", "some"; none: nothing is). */
const PANEL = "sample";
const SCHEDULED = "scheduled";
/** And the rules by which it was. */
const RULED = "scheduledBy";

/** A record, and the importance that links have given its URL; null when there is no such URL. */
export async function weighed(id: number, urls: Pick<StateQueries, "byId" | "importance">): Promise<Weighed | null> {
  const record = await urls.byId(id);
  return record === null ? null : { ...record, importance: await urls.importance(id) };
}

/** Of the panel the ids of its pages are kept: their records hold the rest. */
const keepPanel = (state: Pick<Backend, "setFact">, panel: DueTimes["panel"]): Promise<void> =>
  state.setFact(PANEL, JSON.stringify(panel));

/** The panel that a run with schedules has kept last; an empty one when there was none. */
export async function panelRecords(
  state: Pick<StateQueries, "fact">,
  urls: Pick<StateQueries, "byId" | "importance">,
): Promise<KeptPanel> {
  const kept = await state.fact(PANEL);
  const { zeros, ids } = kept === null ? NO_PANEL : (JSON.parse(kept) as DueTimes["panel"]);
  const records: Weighed[] = [];
  for (const id of ids) {
    const record = await weighed(id, urls);
    if (record !== null) records.push(record);
  }
  return { zeros, records };
}

const NO_PANEL: DueTimes["panel"] = { zeros: 0, ids: [] };

/** A crawl runs without schedules: one with them, later, goes through all that has ended by then. */
export async function leaveUnscheduled(state: Pick<Backend, "fact" | "setFact">): Promise<void> {
  if ((await state.fact(SCHEDULED)) === "all") await state.setFact(SCHEDULED, "some");
}
