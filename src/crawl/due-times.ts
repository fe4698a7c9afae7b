/** What is believed of the pages of a crawl, at what price a visit stands, and so when each URL is due again. */
import type { Instant } from "../base/clock.ts";
import type { History } from "../model/history.ts";
import type { Lease } from "../model/lease.ts";
import type { UrlRecord, VisitRecord } from "../model/record.ts";
import { around, type Belief, believed, NO_LOOKS } from "../policy/change-rate.ts";
import { priorWith } from "../policy/hints.ts";
import { Panel } from "../policy/panel.ts";
import {
  budgetOf,
  type Economy,
  laterMs,
  type NextLook,
  nextLook,
  type RecrawlRules,
  type Return,
  returnOf,
} from "../policy/recrawl.ts";
import { urlPattern } from "../policy/url-pattern.ts";
import type { Parts } from "../ports/parts.ts";

/** A URL, and the importance that links have given it (as in its lease). */
export type UrlOf = Pick<UrlRecord, "id" | "host" | "href"> & Pick<Lease, "importance">;

export type Weighed = UrlRecord & Pick<Lease, "importance">;

/** How much more a URL's being up to date is worth than that of one that weighs 1. */
export type WeightOf = (url: Pick<UrlOf, "id" | "importance">) => number;

/** Where no importance is kept all weigh the same. */
export const byImportance: WeightOf = ({ importance }) => importance || 1;

/** Before anything is known, a page is taken to change once a month, give or take a factor of twelve. */
const FIRST_BELIEF = around(1 / (30 * 86_400_000), 2.5);
/** The price is found anew when so large a part of the panel has changed. */
const STALE_PART = 1 / 200;
/** Looks are spread by so much, so that what was found together does not come back together for ever. */
const JITTER = 0.1;

/** What the next look at a URL stands on. */
export interface Reasons extends NextLook {
  readonly kind: Return;
  readonly belief: Belief;
  readonly weight: number;
}

/** Which pages are this crawler's, and how many the others have. */
export type Among = Pick<Parts, "of" | "isMine" | "others">;

/** A panel as a run has left it. */
export interface KeptPanel {
  /** How thin it is (policy/panel). */
  readonly zeros: number;
  readonly records: readonly Weighed[];
}

export class DueTimes {
  readonly rules: RecrawlRules;
  readonly #weightOf: WeightOf;
  readonly #panel: Panel;
  readonly #among: Among | null;
  #economy: Economy | null = null;
  #changedSince = 0;

  /** `among`: null for who looks after all pages. */
  constructor(rules: RecrawlRules, weightOf: WeightOf, among: Among | null = null) {
    this.rules = rules;
    this.#weightOf = weightOf;
    this.#among = among;
    this.#panel = new Panel(FIRST_BELIEF, rules.bounds);
  }

  /**
   * When a URL is due again after a visit that ended it, and which the panel has learnt from then; null: never.
   * `lastMs`: since the visit before; null when there was none. `random`: 0 <= x < 1.
   */
  after(url: UrlOf, record: VisitRecord, lastMs: number | null, random: number): Instant | null {
    const { bounds } = this.rules;
    const kind = returnAfter(record);
    if (kind !== "by-rate") this.#forget(url.id);
    if (kind === "never") return null;
    if (kind === "later") return record.endedAt + laterMs(lastMs, this.rules);
    const { afterMs } = this.learn(url, record);
    // The second look comes at any time within the interval: looks are spread evenly, and short spans tell of fast pages.
    if (!wasLookedAtAgain(record)) return record.endedAt + Math.max(random * afterMs, bounds.minMs);
    const spread = afterMs * (1 + JITTER * (random - 0.5));
    return record.endedAt + Math.min(Math.max(spread, bounds.minMs), bounds.maxMs);
  }

  /** Takes what is known of a page into the panel; its next look. */
  learn(url: UrlOf, { history }: VisitRecord): NextLook {
    const { pattern } = urlPattern(url.href);
    const belief = this.#believed(url, pattern, history);
    const weight = this.#weightOf(url);
    if (!this.holds(url)) return nextLook(belief, weight, this.economy, this.rules);
    const page = { belief, weight, host: url.host, pattern };
    this.#panel.put(url.id, { ...page, soundings: 0 });
    this.#changedSince++;
    const next = nextLook(belief, weight, this.economy, this.rules);
    if (next.soundings > 0) this.#panel.put(url.id, { ...page, soundings: next.soundings });
    return next;
  }

  #forget(id: number): void {
    this.#panel.remove(id);
    this.#changedSince++;
  }

  /** What the next look would stand on by what is known now. */
  reasons(url: UrlOf, visit: VisitRecord | null): Reasons {
    const belief = this.belief(url, visit);
    const weight = this.#weightOf(url);
    const kind = visit === null ? "by-rate" : returnAfter(visit);
    return { kind, belief, weight, ...nextLook(belief, weight, this.economy, this.rules) };
  }

  /** What is believed of a page by what is known now. */
  belief(url: UrlOf, visit: VisitRecord | null): Belief {
    return this.#believed(url, urlPattern(url.href).pattern, visit?.history ?? null);
  }

  #believed({ host }: UrlOf, pattern: string, history: History | null): Belief {
    const prior = priorWith(history?.listed?.changefreq ?? null, this.#panel.prior(host, pattern));
    return believed(history ?? NO_LOOKS, prior);
  }

  /** As it was when the panel had last changed by a good part. */
  get economy(): Economy {
    const { pages, scale, demand, soundings } = this.#panel;
    const visits = budgetOf(pages, this.rules, this.#among?.others);
    const isFresh = this.#changedSince <= demand.pages * STALE_PART;
    if (this.#economy !== null && isFresh && isNear(visits, this.#economy.visits)) return this.#economy;
    const left = Math.max(visits - soundings, visits / 2);
    this.#changedSince = 0;
    this.#economy = {
      ...{ visits, pages, soundings },
      changes: demand.changes * scale,
      price: demand.price(left / scale),
    };
    return this.#economy;
  }

  /** Whether the panel has a place for it. */
  holds({ id }: Pick<UrlOf, "id">): boolean {
    return this.#panel.holds(id) && (this.#among === null || this.#among.isMine(this.#among.of(id)));
  }

  /** Pages that are visited again, of those that this crawler looks after; estimated where they are many. */
  get pages(): number {
    return this.#panel.pages;
  }

  /** Others look after some of them from now on. */
  leave(): void {
    for (const id of [...this.#panel.ids]) if (!this.holds({ id })) this.#forget(id);
  }

  /** From now on a page of the panel stands for 2 ** zeros, if it did not for more. */
  thin(zeros: number): void {
    if (zeros > this.#panel.zeros) this.#panel.thin(zeros);
  }

  /** Whose records tell what the panel knows. */
  get panel(): { readonly zeros: number; readonly ids: readonly number[] } {
    return { zeros: this.#panel.zeros, ids: [...this.#panel.ids] };
  }

  /** Learns from the records of an earlier run's panel, each of which stands for as many pages as it did there. */
  load({ zeros, records }: KeptPanel): void {
    this.thin(zeros);
    // Twice: the second time with the priors that the first has given.
    for (let round = 0; round < 2; round++)
      for (const { visit, ...url } of records) if (visit !== null && isByRate(visit)) this.learn(url, visit);
  }
}

const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= other * STALE_PART;

const returnAfter = ({ end, attempt }: VisitRecord): Return =>
  attempt === 0 || end === "retry" || end === "follow" ? "never" : returnOf(end);

/** Whether there is more than the first look to go by. */
export const wasLookedAtAgain = ({ history }: VisitRecord): boolean => history !== null && history.checks > 0;

/** Whether the page's next look goes by its rate of change. */
export const isByRate = (visit: VisitRecord): boolean => returnAfter(visit) === "by-rate";
