/**
 * What sitemaps and feeds say of when URLs change, from when it is read until the look that it was said before. On the
 * control thread; policy/hints decides. Held in memory alone, for so many URLs: what is forgotten, or lost with the
 * process, is said again the next time that the sitemap is read, and what a look has been told of is in its history.
 */
import type { Clock } from "../base/clock.ts";
import { type HostAgain, NEVER_AGAIN } from "../model/host.ts";
import { LISTED_WORDS, type Listed, type ListedWords, listedAt } from "../model/listed.ts";
import type { UrlRecord, VisitRecord } from "../model/record.ts";
import { chanceOf } from "../policy/change-rate.ts";
import { afterDated, isTrusted, saysChanged } from "../policy/hints.ts";
import { historyOf } from "../policy/history.ts";
import type { StateQueries } from "../ports/frontier.ts";
import type { UrlOf } from "./due-times.ts";
import type { Hosts } from "./hosts.ts";
import type { Recrawl } from "./recrawl.ts";

/** URLs looked up in one go: rows are read for them. */
const AT_ONCE = 100;
const MOST_HELD = 200_000;

export interface HintParts {
  readonly urls: Pick<StateQueries, "find">;
  readonly hosts: Pick<Hosts, "load" | "get">;
  readonly recrawl: Pick<Recrawl, "hinted" | "dueTimes">;
  readonly clock: Pick<Clock, "now">;
  /** URLs of which it is known what was said; those told of last. */
  readonly most?: number;
}

export class Hints {
  readonly #parts: HintParts;
  readonly #most: number;
  /** Not gone through yet, and how far the first is. */
  readonly #heard: ListedWords[] = [];
  #at = 0;
  /** By URL; told of last is last in the map's order. */
  readonly #said = new Map<number, Listed>();

  constructor(parts: HintParts) {
    this.#parts = parts;
    this.#most = parts.most ?? MOST_HELD;
  }

  /** What a document says whose links have been committed. */
  hear(words: ListedWords): void {
    this.#heard.push(words);
  }

  get isWaiting(): boolean {
    return this.#heard.length > 0;
  }

  /** Goes through some of what was heard: pages that have changed, as somebody says who is trusted, are due now. */
  async take(): Promise<void> {
    const words = this.#heard[0];
    if (words === undefined) return;
    const end = Math.min(this.#at + AT_ONCE * LISTED_WORDS, words.length);
    for (; this.#at < end; this.#at += LISTED_WORDS) {
      const record = await this.#parts.urls.find({ fpHi: words[this.#at]!, fpLo: words[this.#at + 1]! });
      if (record !== null) await this.#take(record, listedAt(words, this.#at));
    }
    if (end < words.length) return;
    this.#heard.shift();
    this.#at = 0;
  }

  async #take({ id, host, state, visit }: UrlRecord, says: Listed): Promise<void> {
    const history = visit === null ? null : historyOf(visit);
    const known = history?.listed ?? null;
    const all = together(this.#said.get(id) ?? known, says);
    if (known !== null && known.lastmod === all.lastmod && known.changefreq === all.changefreq) return;
    this.#hold(id, all);
    if (state !== "ended" || history === null || history.seenAt === null) return;
    const { hosts, recrawl, clock } = this.#parts;
    const calls = saysChanged(all, { seenAt: history.seenAt, listed: known });
    if (!calls) return;
    await hosts.load([host]);
    if (isTrusted(hosts.get(host).state.again?.hints ?? null)) await recrawl.hinted(id, clock.now());
  }

  #hold(id: number, says: Listed): void {
    this.#said.delete(id);
    this.#said.set(id, says);
    if (this.#said.size > this.#most) this.#said.delete(this.#said.keys().next().value!);
  }

  /** The record of a look with what had been said of the URL, which is forgotten here; the same when it saw no content. */
  noted(record: VisitRecord): VisitRecord {
    const listed = this.#said.get(record.urlId);
    if (listed === undefined) return record;
    const history = historyOf(record);
    if (history.seenAt !== record.startedAt) return record;
    this.#said.delete(record.urlId);
    return { ...record, history: { ...history, listed } };
  }

  /** What is known of a host once a look has told whether a page had changed; the same when nobody had said when. */
  judged(
    again: HostAgain | null,
    url: UrlOf,
    previous: VisitRecord,
    look: { readonly at: number; readonly changed: boolean },
  ): HostAgain | null {
    const { seenAt, listed } = historyOf(previous);
    const says = this.#said.get(url.id) ?? listed;
    if (says === null || says.lastmod === null || seenAt === null) return again;
    const belief = this.#parts.recrawl.dueTimes.belief(url, previous);
    const chance = chanceOf(belief, look.at - seenAt);
    const called = saysChanged(says, { seenAt, listed });
    const known = again ?? NEVER_AGAIN;
    return { ...known, hints: afterDated(known.hints, { called, changed: look.changed, chance }) };
  }
}

/** A feed says when a page changed, and a sitemap how often: the one does not make the other unsaid. */
const together = (before: Listed | null, { lastmod, changefreq }: Listed): Listed => ({
  lastmod: lastmod ?? before?.lastmod ?? null,
  changefreq: changefreq ?? before?.changefreq ?? null,
});
