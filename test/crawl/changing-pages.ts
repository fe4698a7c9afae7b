/**
 * Pages that change at rates of their own, looked at again by the real scheduler over a real frontier, on a clock that
 * jumps: how fresh the copies were, beside what could be if the rates were known.
 */
import type { Clock } from "../../src/base/clock.ts";
import { hashText } from "../../src/base/hash.ts";
import { Recrawl } from "../../src/crawl/recrawl.ts";
import { weighed } from "../../src/crawl/schedule.ts";
import { NO_HISTORY } from "../../src/model/history.ts";
import type { HostKey } from "../../src/model/host.ts";
import type { Lease } from "../../src/model/lease.ts";
import { NO_ANSWER, type VisitRecord } from "../../src/model/record.ts";
import type { Href } from "../../src/model/url.ts";
import { rateOf } from "../../src/policy/change-rate.ts";
import { afterLook } from "../../src/policy/history.ts";
import {
  age,
  freshness,
  type RevisitBounds,
  type RevisitPolicy,
  visitsWorth,
  within,
} from "../../src/policy/revisit-rate.ts";
import type { Backend } from "../../src/ports/frontier.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { random } from "../web/random.ts";

export const DAY = 86_400_000;
const HOUR = DAY / 24;
const HOSTS = 100;
export const BOUNDS: RevisitBounds = { minMs: HOUR, maxMs: 90 * DAY };

/** From 0 to 1, both left out. */
export type Uniform = () => number;

export function uniform(seed: number, label: string): Uniform {
  const { word } = random(seed, label);
  return () => (word() + 0.5) / 2 ** 32;
}

export interface Pages {
  /** Changes a ms. */
  readonly rates: readonly number[];
  readonly weights: readonly number[];
}

export interface Outcome {
  /** The share of time for which copies were up to date, by weight; of all days, and of the last two thirds. */
  readonly freshness: number;
  readonly freshnessLater: number;
  /** For how long copies had been out of date, in ms, by weight. */
  readonly age: number;
  readonly visitsPerDay: number;
  /** Spearman's correlation of the rates that were estimated with the true ones. */
  readonly rankCorrelation: number;
  /** Microseconds of CPU a visit, the frontier's part included. */
  readonly cpuUs: number;
}

interface Plan {
  readonly policy: RevisitPolicy;
  readonly days: number;
  readonly visitsPerDay: number;
  readonly seed: number;
  readonly tickMs?: number;
  /** In memory, if nothing is said. */
  readonly open?: (options: { readonly clock: Clock; readonly hostConcurrency: number }) => Backend;
}

/** What is best when the rates are known: the same shares for ever, from the first day. */
export function optimum({ rates, weights }: Pages, visitsPerDay: number): Pick<Outcome, "freshness" | "age"> {
  const sharesAt = (price: number) => rates.map((rate, at) => within(visitsWorth(rate, weights[at]!, price), BOUNDS));
  let [low, high] = [-100, 100];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    const all = sharesAt(2 ** middle).reduce((sum, visits) => sum + visits, 0);
    if (all > visitsPerDay / DAY) low = middle;
    else high = middle;
  }
  return expected({ rates, weights }, sharesAt(2 ** high));
}

/** What given shares come to, in the long run. */
export function expected({ rates, weights }: Pages, visits: readonly number[]): Pick<Outcome, "freshness" | "age"> {
  let [fresh, old, all] = [0, 0, 0];
  for (const [at, rate] of rates.entries()) {
    fresh += weights[at]! * freshness(rate, visits[at]!);
    old += weights[at]! * age(rate, visits[at]!);
    all += weights[at]!;
  }
  return { freshness: fresh / all, age: old / all };
}

export async function simulate(pages: Pages, plan: Plan): Promise<Outcome> {
  const { rates, weights } = pages;
  const { policy, days, visitsPerDay, seed, tickMs = HOUR, open = memoryBackend } = plan;
  const chance = uniform(seed, "looks");
  const start = Date.UTC(2026, 0, 1);
  let now = start;
  const clock: Clock = { now: () => now, sleep: async () => {} };
  const backend = open({ clock, hostConcurrency: Number.MAX_SAFE_INTEGER });
  const recrawl = new Recrawl(
    { frontier: backend, urls: backend, clock, random: chance, until: null, weightOf: ({ id }) => weights[id - 1]! },
    { policy, everyMs: 7 * DAY, budget: visitsPerDay / DAY, bounds: BOUNDS, share: 0.5 },
  );
  const changesAt = rates.map((rate) => start - Math.log(chance()) / rate);
  const seenAt = rates.map(() => start);
  const account = new Account(start + days * DAY * (1 / 3), changesAt, weights);
  await backend.add(
    rates.map((_, at) => {
      const host = `http://h${at % HOSTS}.test` as HostKey;
      const href = `${host}/page-${at}` as Href;
      const [fpHi, fpLo] = hashText(href);
      return { href, host, fpHi, fpLo, depth: 1, hops: 0, via: 0, source: "link", priority: 2 } as const;
    }),
  );
  let visits = 0;
  const visitAll = async (): Promise<void> => {
    for (;;) {
      const leases = await backend.lease(1_000);
      if (leases.length === 0) return;
      const settled = leases.map((lease) => {
        const at = lease.url.id - 1;
        const changed = changesAt[at]! <= now;
        account.until(at, seenAt[at]!, now);
        if (changed) changesAt[at] = now - Math.log(chance()) / rates[at]!;
        seenAt[at] = now;
        visits++;
        return recrawl.settled({
          lease,
          verdict: { kind: "end", end: "fetched" },
          hostReadyAt: now,
          record: recordOf(lease, changed, now),
          links: [],
        });
      });
      await backend.commit({ settled, hosts: [], robots: [], marks: [] });
    }
  };
  await visitAll();
  visits = 0;
  const before = process.cpuUsage();
  for (const end = start + days * DAY; now < end; now += tickMs) {
    while ((await recrawl.take()) > 0) await visitAll();
  }
  const { user, system } = process.cpuUsage(before);
  now = start + days * DAY;
  for (const at of rates.keys()) account.until(at, seenAt[at]!, now);
  const estimates: number[] = [];
  for (const at of rates.keys()) {
    const { visit, ...url } = (await weighed(at + 1, backend))!;
    estimates.push(rateOf(recrawl.dueTimes.reasons(url, visit).belief));
  }
  await backend[Symbol.asyncDispose]();
  return {
    ...account.means(),
    visitsPerDay: visits / days,
    rankCorrelation: spearman(estimates, rates),
    cpuUs: (user + system) / visits,
  };
}

/** The time for which copies were up to date, and how old they were, added up. */
class Account {
  readonly #laterFrom: number;
  readonly #changesAt: readonly number[];
  readonly #weights: readonly number[];
  #all = 0;
  #fresh = 0;
  #allLater = 0;
  #freshLater = 0;
  #age = 0;

  constructor(laterFrom: number, changesAt: readonly number[], weights: readonly number[]) {
    this.#laterFrom = laterFrom;
    this.#changesAt = changesAt;
    this.#weights = weights;
  }

  until(at: number, from: number, to: number): void {
    const weight = this.#weights[at]!;
    const change = Math.min(this.#changesAt[at]!, to);
    this.#all += weight * (to - from);
    this.#fresh += weight * (change - from);
    this.#age += (weight * (to - change) ** 2) / 2;
    if (to <= this.#laterFrom) return;
    const laterFrom = Math.max(from, this.#laterFrom);
    this.#allLater += weight * (to - laterFrom);
    this.#freshLater += weight * Math.max(change - laterFrom, 0);
  }

  means(): Pick<Outcome, "freshness" | "freshnessLater" | "age"> {
    return {
      freshness: this.#fresh / this.#all,
      freshnessLater: this.#freshLater / this.#allLater,
      age: this.#age / this.#all,
    };
  }
}

function recordOf({ url, previous }: Lease, changed: boolean, now: number): VisitRecord {
  const content = { digest: `${changed ? now : url.id}`, body: null, simhash: null, etag: null, lastModified: null };
  const before = previous?.history ?? afterLook(NO_HISTORY, previous?.endedAt ?? now, first(content));
  const change = { kind: changed ? "changed" : "same", distance: null } as const;
  return {
    ...NO_ANSWER,
    ...{ urlId: url.id, href: url.href, end: "fetched", detail: null, attempt: 1, startedAt: now, endedAt: now },
    history: previous === null ? null : afterLook(before, now, { kind: "content", change, ...content }),
  };
}

const first = <C>(content: C) => ({ kind: "content", change: { kind: "first", distance: null }, ...content }) as const;

/** Of ranks; equal values share theirs. */
export function spearman(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [ranks(one), ranks(other)];
  const mean = (a.length - 1) / 2;
  let [both, ofA, ofB] = [0, 0, 0];
  for (const [at, rank] of a.entries()) {
    both += (rank - mean) * (b[at]! - mean);
    ofA += (rank - mean) ** 2;
    ofB += (b[at]! - mean) ** 2;
  }
  return both / Math.sqrt(ofA * ofB);
}

function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => values[a]! - values[b]!);
  const found = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let at = from; at < to; at++) found[order[at]!] = (from + to - 1) / 2;
    from = to;
  }
  return found;
}

/** Draws a rate, in changes a day. */
export type Draw = (chance: Uniform) => number;

const between = (chance: Uniform, low: number, high: number): number => low * (high / low) ** chance();
const gauss = (chance: Uniform): number => Math.sqrt(-2 * Math.log(chance())) * Math.cos(2 * Math.PI * chance());

/** By a table of shares of pages and the days between two changes, spread evenly over the magnitudes within each row. */
const table =
  (rows: readonly (readonly [share: number, least: number, most: number])[]): Draw =>
  (chance) => {
    let left = chance();
    const row = rows.find(([share]) => {
      left -= share;
      return left < 0;
    });
    const [, least, most] = row ?? rows.at(-1)!;
    return 1 / between(chance, least, most);
  };

/**
 * Distributions of rates. The first two are measured ones; the tables say in which interval between changes so large a
 * part of the pages lies, not where in it. `live` is no measurement: three pages of five change many times a day.
 */
export const DISTRIBUTIONS: Readonly<Record<string, Draw>> = {
  /** Cho and Garcia-Molina 2000, 720,000 pages of 270 sites, all domains. */
  "the Web of 2000": table([
    [0.23, 0.1, 1],
    [0.15, 1, 7],
    [0.16, 7, 30],
    [0.16, 30, 120],
    [0.3, 120, 1_000],
  ]),
  /** The same, .com alone: more than 40 % changed each day. */
  ".com of 2000": table([
    [0.41, 0.1, 1],
    [0.18, 1, 7],
    [0.14, 7, 30],
    [0.12, 30, 120],
    [0.15, 120, 1_000],
  ]),
  "log-uniform": (chance) => between(chance, 1 / 300, 100),
  "log-normal": (chance) => Math.exp(2.5 * gauss(chance)) / 3,
  live: (chance) => (chance() < 0.6 ? between(chance, 10, 1_000) : between(chance, 0.1, 1)),
};

/** Importance as PageRank has it: a few pages have most. */
export const zipf = (pages: number): number[] =>
  Array.from({ length: pages }, (_, at) => 1 / (1 + ((at * 389) % pages)));
