/**
 * The same where crawlers share a crawl: each looks after some of its parts. A part that comes to it is taken in: by what is
 * kept of it, or, where not all of it is scheduled, by going through its URLs. What is believed of a part is kept with it,
 * for whoever has it next.
 */
import type { Instant } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { thinned } from "../policy/panel.ts";
import type { StateQueries } from "../ports/frontier.ts";
import type { Parts, Sample } from "../ports/parts.ts";
import {
  isWithin,
  learnFrom,
  rulesText,
  type Schedule,
  type ScheduleParts,
  sampleRecords,
  scheduleAll,
} from "./schedule.ts";

export interface PartedScheduleParts extends ScheduleParts {
  readonly parts: Parts;
  readonly urls: Pick<StateQueries, "byId" | "importance">;
  readonly log: Pick<Log, "info">;
}

/** Whose part is whose is looked at so often, in ms. */
const LOOK_MS = 1_000;
/** What is believed is kept so often, in ms. */
const KEEP_MS = 10_000;
/** Whoever has lost a part to another has heard of it, and kept what it believes of it, after so long. */
const HAND_OVER_MS = 5_000;

type Weighing = { readonly importance: number };
const importanceOf = (url: unknown): number => (url as Weighing).importance;

export class PartedSchedule implements Schedule {
  readonly #options: PartedScheduleParts;
  readonly #rules: string;
  /** Parts that were taken in, each with its sample as it was kept last, as text. */
  readonly #taken = new Map<number, string>();
  /** Those of which the crawler before may keep something still, and when that is looked at. */
  readonly #fresh = new Map<number, Instant>();
  #lookedAt: Instant = Number.NEGATIVE_INFINITY;
  #keptAt: Instant = Number.NEGATIVE_INFINITY;
  #taking: Promise<void> | null = null;
  #failure: unknown = null;
  #isClosed = false;

  constructor(options: PartedScheduleParts) {
    this.#options = options;
    this.#rules = rulesText(options.dueTimes);
  }

  async open(): Promise<number> {
    return this.#takeIn(this.#news());
  }

  /** What takes long is done beside the crawl. */
  async tend(now: Instant): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (isWithin(LOOK_MS, this.#lookedAt, now)) return;
    this.#lookedAt = now;
    const { parts, dueTimes } = this.#options;
    const lost = [...this.#taken.keys()].filter((part) => !parts.isMine(part));
    if (lost.length > 0) {
      await this.#keep(lost);
      for (const part of lost) {
        this.#taken.delete(part);
        this.#fresh.delete(part);
      }
      dueTimes.leave();
    }
    parts.tell(dueTimes.pages);
    this.#taking ??= this.#beside(now);
    if (isWithin(KEEP_MS, this.#keptAt, now)) return;
    this.#keptAt = now;
    await this.#keep([...this.#taken.keys()]);
  }

  /** What there is to do that takes long, if there is any. */
  #beside(now: Instant): Promise<void> | null {
    const news = this.#news();
    const due = [...this.#fresh].flatMap(([part, at]) => (at <= now ? [part] : []));
    if (news.length === 0 && due.length === 0) return null;
    const work = async () => {
      await this.#load(due);
      for (const part of due) this.#fresh.delete(part);
      if (news.length === 0) return;
      const scheduled = await this.#takeIn(news);
      this.#options.log.info({ parts: news.length, scheduled }, "revisits-taken-over");
    };
    return work()
      .catch((cause) => {
        this.#failure = cause;
      })
      .finally(() => {
        this.#taking = null;
      });
  }

  async isWhole(): Promise<boolean> {
    const { parts } = this.#options;
    const scheduled = await parts.scheduled();
    const isScheduled = (part: number): boolean => {
      const is = scheduled.get(part);
      return is?.isWhole === true && is.rules === this.#rules;
    };
    return Array.from({ length: parts.count }, (_, part) => part).every(isScheduled);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#taking;
    if (this.#failure !== null) throw this.#failure;
    await this.#keep([...this.#taken.keys()]);
  }

  /** Parts that are this crawler's and were not taken in yet. */
  #news(): number[] {
    const { parts } = this.#options;
    return Array.from({ length: parts.count }, (_, part) => part).filter(
      (part) => parts.isMine(part) && !this.#taken.has(part),
    );
  }

  /** The number of URLs that had to be scheduled. */
  async #takeIn(news: readonly number[]): Promise<number> {
    const { parts, dueTimes, clock } = this.#options;
    const before = await parts.scheduled();
    const isScheduled = (part: number): boolean =>
      before.get(part)?.isWhole === true && before.get(part)?.rules === this.#rules;
    await this.#load(news.filter(isScheduled));
    const rest = news.filter((part) => !isScheduled(part));
    for (const part of rest) {
      if (this.#isClosed) return 0;
      await learnFrom(parts.ended(part), importanceOf, this.#options);
    }
    let scheduled = 0;
    for (const part of rest) {
      if (this.#isClosed) return scheduled;
      const anew = before.get(part)?.rules !== this.#rules;
      scheduled += await scheduleAll(parts.ended(part), importanceOf, anew, this.#options);
      await parts.setScheduled(new Map([[part, { rules: this.#rules, isWhole: true }]]));
    }
    for (const part of news) {
      this.#taken.set(part, "");
      this.#fresh.set(part, clock.now() + HAND_OVER_MS);
    }
    parts.tell(dueTimes.pages);
    return scheduled;
  }

  /** What others have kept of these parts, as far as it is not known here. */
  async #load(some: readonly number[]): Promise<void> {
    const { parts, dueTimes, urls } = this.#options;
    let zeros = 0;
    const ids = new Set<number>();
    for (const sample of (await parts.samples(some)).values()) {
      zeros = Math.max(zeros, sample.zeros);
      for (const id of sample.ids) ids.add(id);
    }
    dueTimes.thin(zeros);
    for (const id of dueTimes.panel.ids) ids.delete(id);
    const held = [...ids].filter((id) => dueTimes.holds({ id }));
    dueTimes.load(await sampleRecords({ zeros, ids: held }, urls));
    parts.tell(dueTimes.pages);
  }

  async #keep(some: readonly number[]): Promise<void> {
    const { parts, dueTimes } = this.#options;
    const { zeros, ids } = dueTimes.panel;
    const byPart = new Map<number, number[]>(some.map((part) => [part, []]));
    for (const id of ids) byPart.get(parts.of(id))?.push(id);
    // Of these the crawler before may know more.
    const before = await parts.samples(some.filter((part) => this.#fresh.has(part)));
    const changed = new Map<number, Sample>();
    for (const [part, own] of byPart) {
      const sample = bothOf({ zeros, ids: own }, before.get(part) ?? NONE);
      const text = [sample.zeros, ...sample.ids].join(" ");
      if (this.#taken.get(part) === text) continue;
      this.#taken.set(part, text);
      changed.set(part, sample);
    }
    await parts.keepSamples(changed);
  }
}

const NONE: Sample = { zeros: 0, ids: [] };

/** Two samples of one part. */
function bothOf(one: Sample, other: Sample): Sample {
  const ids = [...new Set([...one.ids, ...other.ids])].sort((a, b) => a - b);
  return thinned(Math.max(one.zeros, other.zeros), ids, Number.POSITIVE_INFINITY);
}

/** A crawl runs without schedules: what its crawlers settle is due at no time. */
export async function leavePartsUnscheduled(parts: Pick<Parts, "scheduled" | "setScheduled">): Promise<void> {
  const whole = [...(await parts.scheduled())].filter(([, { isWhole }]) => isWhole);
  await parts.setScheduled(new Map(whole.map(([part, { rules }]) => [part, { rules, isWhole: false }])));
}

/** What all crawlers together have kept of their panels. */
export async function samplesOf(parts: Pick<Parts, "count" | "samples">): Promise<Sample> {
  const kept = await parts.samples(Array.from({ length: parts.count }, (_, part) => part));
  const all = [...kept.values()];
  return thinned(
    Math.max(0, ...all.map(({ zeros }) => zeros)),
    all.flatMap(({ ids }) => ids),
  );
}
