/** When all URLs that have ended are due, and what is believed of their pages, from one run to the next of a crawler that is alone. */
import type { Clock, Instant } from "../base/clock.ts";
import { inStep } from "../base/in-step.ts";
import type { UrlRecord } from "../model/record.ts";
import type { Backend, StateQueries } from "../ports/frontier.ts";
import type { Sample } from "../ports/parts.ts";
import type { Revisits } from "../ports/revisits.ts";
import { type DueTimes, isByRate, type KeptPanel, type Weighed } from "./due-times.ts";

/** What a run begins with, keeps up, and leaves behind. */
export interface Schedule {
  /** Before URLs come back; the number of those that were scheduled anew. */
  open(): Promise<number>;
  /** Now and then. Cheap when there is nothing to do. */
  tend(now: Instant): Promise<void>;
  /** Whether each URL of the crawl that has ended has the time at which it is due, by the rules of this run. */
  isWhole(): Promise<boolean>;
  close(): Promise<void>;
}

export interface ScheduleParts {
  readonly dueTimes: DueTimes;
  readonly frontier: Pick<Revisits, "schedule">;
  readonly clock: Clock;
  /** 0 <= x < 1. */
  readonly random: () => number;
}

/** What is believed is kept so often, for `trawl due` beside a crawl that never ends. */
const KEEP_MS = 5_000;
const BATCH = 1_000;

/** Facts of the state: the ids of the panel and how thin it is, and whether all that has ended is scheduled ("all", "some"; none: nothing is). */
const PANEL = "sample";
const SCHEDULED = "scheduled";
/** And the rules by which it was. */
const RULED = "scheduledBy";

type ImportanceOf = (url: UrlRecord) => number | Promise<number>;

export class OwnSchedule implements Schedule {
  readonly #parts: ScheduleParts & { readonly urls: Pick<StateQueries, "byId" | "urls" | "importance"> };
  readonly #state: Pick<Backend, "fact" | "setFact">;
  #keptAt: Instant = Number.NEGATIVE_INFINITY;
  #keptPages = 0;

  constructor(
    parts: ScheduleParts & { readonly urls: Pick<StateQueries, "byId" | "urls" | "importance"> },
    state: Pick<Backend, "fact" | "setFact">,
  ) {
    this.#parts = parts;
    this.#state = state;
  }

  /**
   * Begins with what an earlier run has kept. When that is not the whole, because it was killed, or ran without schedules,
   * or was made by other rules, all URLs that have ended are gone through.
   */
  async open(): Promise<number> {
    const { dueTimes, urls } = this.#parts;
    const state = this.#state;
    const rules = rulesText(dueTimes);
    const isAsRuled = (await state.fact(RULED)) === rules;
    const isWhole = isAsRuled && (await state.fact(SCHEDULED)) === "all" && (await state.fact(PANEL)) !== null;
    await state.setFact(SCHEDULED, "some"); // until it is closed
    if (isWhole) {
      dueTimes.load(await panelRecords(state, urls));
      return 0;
    }
    const importanceOf = (url: UrlRecord) => urls.importance(url.id);
    await learnFrom(urls.urls({ endedOnly: true }), importanceOf, this.#parts);
    const scheduled = await scheduleAll(urls.urls({ endedOnly: true }), importanceOf, !isAsRuled, this.#parts);
    await state.setFact(RULED, rules);
    return scheduled;
  }

  /** When pages have come or gone: who is in the panel stays the same otherwise, or nearly. */
  async tend(now: Instant): Promise<void> {
    if (isWithin(KEEP_MS, this.#keptAt, now)) return;
    this.#keptAt = now;
    const { panel } = this.#parts.dueTimes;
    if (panel.ids.length === this.#keptPages) return;
    await keepPanel(this.#state, panel);
    this.#keptPages = panel.ids.length;
  }

  async isWhole(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    await keepPanel(this.#state, this.#parts.dueTimes.panel);
    await this.#state.setFact(SCHEDULED, "all");
  }
}

/** What decides when pages are due: not how many of all visits may go to those that are known. */
export function rulesText(dueTimes: Pick<DueTimes, "rules">): string {
  const { share: _, ...rules } = dueTimes.rules;
  return JSON.stringify(rules);
}

/** What is known of these pages. */
export async function learnFrom(
  urls: AsyncIterable<UrlRecord>,
  importanceOf: ImportanceOf,
  { dueTimes }: Pick<ScheduleParts, "dueTimes">,
): Promise<void> {
  for await (const { visit, ...url } of urls)
    if (visit !== null && isByRate(visit) && dueTimes.holds(url))
      dueTimes.learn({ ...url, importance: await importanceOf({ ...url, visit }) }, visit);
}

/**
 * Schedules those of these URLs that are not, and of the others, where that was by other rules (`anew`), those that are not
 * due by now; how many.
 */
export async function scheduleAll(
  urls: AsyncIterable<UrlRecord>,
  importanceOf: ImportanceOf,
  anew: boolean,
  { dueTimes, frontier, random, clock }: ScheduleParts,
): Promise<number> {
  const settledUntil = anew ? clock.now() : Number.POSITIVE_INFINITY;
  let scheduled = 0;
  let batch: { readonly id: number; readonly dueAt: Instant }[] = [];
  const flush = async () => {
    await frontier.schedule(batch);
    scheduled += batch.length;
    batch = [];
  };
  for await (const { visit, dueAt, ...url } of urls) {
    if (visit === null || (dueAt !== null && dueAt <= settledUntil)) continue;
    // What is tried after twice as long each time stays at its step, within the bounds.
    const lastMs = dueAt === null ? null : (dueAt - visit.endedAt) / 2;
    const importance = await importanceOf({ ...url, visit, dueAt });
    const at = dueTimes.after({ ...url, importance }, visit, lastMs, random());
    if (at !== null) batch.push({ id: url.id, dueAt: at });
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return scheduled;
}

/** Whether less than so much time has passed; not when the clock was set back behind `since`. */
export const isWithin = (ms: number, since: Instant, now: Instant): boolean => now >= since && now - since < ms;

/** A record, and the importance that links have given its URL; null when there is no such URL. */
export async function weighed(id: number, urls: Pick<StateQueries, "byId" | "importance">): Promise<Weighed | null> {
  const record = await urls.byId(id);
  return record === null ? null : { ...record, importance: await urls.importance(id) };
}

/** Of the panel the ids of its pages are kept: their records hold the rest. */
const keepPanel = (state: Pick<Backend, "setFact">, panel: Sample): Promise<void> =>
  state.setFact(PANEL, JSON.stringify(panel));

/** The panel that a run with schedules has kept last; an empty one when there was none. */
export async function panelRecords(
  state: Pick<StateQueries, "fact">,
  urls: Pick<StateQueries, "byId" | "importance">,
): Promise<KeptPanel> {
  const kept = await state.fact(PANEL);
  return kept === null ? { zeros: 0, records: [] } : sampleRecords(JSON.parse(kept) as Sample, urls);
}

/** The records of these pages are asked for so many at a time: some may be far away. */
const AT_ONCE = 16;

export async function sampleRecords(
  { zeros, ids }: Sample,
  urls: Pick<StateQueries, "byId" | "importance">,
): Promise<KeptPanel> {
  const found = new Map<number, Weighed>();
  await inStep(ids, AT_ONCE, async (id) => {
    const record = await weighed(id, urls);
    if (record !== null) found.set(id, record);
  });
  return { zeros, records: ids.flatMap((id) => found.get(id) ?? []) };
}

/** A crawl runs without schedules: one with them, later, goes through all that has ended by then. */
export async function leaveUnscheduled(state: Pick<Backend, "fact" | "setFact">): Promise<void> {
  if ((await state.fact(SCHEDULED)) === "all") await state.setFact(SCHEDULED, "some");
}
