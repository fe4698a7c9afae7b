/**
 * How links reach the shards that they belong to: URLs that may be new are sent whole; of those that are known to be there
 * (`dedup/known-links`) nothing is sent but, now and then, the cash that a page gives them.
 */
import type { Instant } from "../../../base/clock.ts";
import { CashLevels, cashOf, FIRST_LEVEL, shareOf } from "../../../dedup/cash-levels.ts";
import { KnownLinks } from "../../../dedup/known-links.ts";
import { type Share, systematicSample } from "../../../dedup/systematic-sample.ts";
import type { HostKey } from "../../../model/host.ts";
import type { Lease } from "../../../model/lease.ts";
import {
  AGAIN_WORDS,
  carriesCash,
  type FirstCash,
  type LinksAgain,
  type NewUrl,
  type UrlName,
} from "../../../model/link.ts";
import type { Settled } from "../../../ports/frontier.ts";
import type { Word } from "../redis/connection.ts";
import { NO_GIFT, Parcel, toldBy } from "./parcel.ts";
import type { Shards } from "./shards.ts";
import type { Spill } from "./spill.ts";

/** So many of a page's links to what is known stand for all: four find the important pages nearly as well as all (docs/bench/importance.md). */
const SAMPLE = 4;
/** A script that is longer keeps all others waiting too long. */
const PARCEL = 500;

export interface Admitted {
  admitted: number;
  dropped: number;
}

export interface AdmissionOptions {
  readonly firstCash: FirstCash | null;
  readonly firstTier: (host: HostKey) => number;
}

/** A page whose links are admitted, and the level of its cash. */
export interface Page {
  readonly settled: Settled;
  readonly level: number;
  /** Where its record stands in the order of all. */
  readonly recorded: string;
}

export class Admission {
  readonly known = new KnownLinks();
  readonly #shards: Shards;
  readonly #spill: Spill;
  readonly #options: AdmissionOptions;
  readonly #levels = new CashLevels();

  constructor(shards: Shards, spill: Spill, options: AdmissionOptions) {
    this.#shards = shards;
    this.#spill = spill;
    this.#options = options;
  }

  /** Admits what is new, in order. `recorded`: where drops among them stand in the order of records. */
  add(urls: readonly NewUrl[], recorded: string, now: Instant): Promise<Admitted> {
    const parcels = new Parcels(this.#shards, this.#options.firstTier);
    for (const url of urls) this.#url(url, parcels, null, 0, recorded, now);
    return this.#send(parcels);
  }

  /** The links of pages that have current leases, in order, with their shares of the pages' cash. */
  follow(pages: readonly Page[], now: Instant): Promise<Admitted> {
    const parcels = new Parcels(this.#shards, this.#options.firstTier);
    for (const { settled, level, recorded } of pages) {
      const { lease, verdict, links, linksAgain } = settled;
      const share = this.#options.firstCash === null || verdict.kind !== "end" ? 0 : shareOf(level, links, linksAgain);
      const known: Share<UrlName>[] = [];
      for (const url of links)
        if (!this.#url(url, parcels, lease, share, recorded, now) && carriesCash(url))
          known.push({ to: url, amount: share });
      if (share === 0 || lease.previous !== null) continue;
      const again = namedAgain(linksAgain, lease, share);
      // Those that are named for themselves alone are given to one by one.
      const isSample = again.length < (linksAgain?.count ?? 0);
      const gifts = systematicSample(isSample ? [...known, ...again] : known, SAMPLE, Math.random());
      for (const { to, amount } of isSample ? gifts : [...gifts, ...again]) this.#give(to, parcels, lease, amount);
    }
    return this.#send(parcels);
  }

  /** False: it is known to be there already. */
  #url(url: NewUrl, parcels: Parcels, page: Lease | null, share: number, recorded: string, now: Instant): boolean {
    if (this.known.level(url.fpHi, url.fpLo) !== -1) return false;
    const { firstCash } = this.#options;
    const given = carriesCash(url) ? share : 0;
    const level =
      firstCash === null || url.drop !== undefined ? 0 : this.#levels.after(FIRST_LEVEL, firstCash(url) + given);
    // A page that comes back gave its share to what is known when it came first: only what is new gets one.
    const gift = page === null || page.previous !== null ? NO_GIFT : parcels.gift(page, given, url.host);
    parcels.for(url.host).url(url, now, gift, level, recorded);
    return true;
  }

  /**
   * What is not a whole step for a URL of this level is given as a step, as often as makes the same in the mean: the rest
   * need not be sent. Levels only rise, so that one which is out of date makes more be sent, never less.
   */
  #give(name: UrlName, parcels: Parcels, page: Lease, amount: number): void {
    const level = this.known.level(name.fpHi, name.fpLo);
    const step = level === -1 ? 0 : cashOf(level + 1) - cashOf(level);
    if (amount < step && Math.random() * step >= amount) return;
    parcels.for(name.host).gift(name, parcels.gift(page, Math.max(amount, step), name.host));
  }

  async #send(parcels: Parcels): Promise<Admitted> {
    const sum = { admitted: 0, dropped: 0 };
    await Promise.all(
      parcels.all().map(async ([shard, parcel]) => {
        const away = await this.#sent(shard, parcel.names, parcel.words(), sum);
        if (away.size === 0) return;
        await this.#spill.bringBack(shard, [...away.values()]);
        const { names, words } = parcel.part([...away.keys()]);
        await this.#sent(shard, names, words, sum);
      }),
    );
    return sum;
  }

  /** Of those with which nothing was done the row that must be brought back first. */
  async #sent(
    shard: number,
    names: readonly UrlName[],
    words: readonly Word[],
    sum: Admitted,
  ): Promise<Map<number, number>> {
    const away = new Map<number, number>();
    const told = await this.#shards.run<number[]>("admit", shard, words);
    for (const [nth, number] of told.entries()) {
      const { fpHi, fpLo } = names[nth]!;
      const says = toldBy(number);
      if (says.is === "away") away.set(nth, says.local);
      if (says.is === "admitted") sum.admitted++;
      if (says.is === "dropped") sum.dropped++;
      if (says.is === "admitted" || says.is === "known") this.known.put(fpHi, fpLo, says.level);
    }
    return away;
  }
}

/** Parcels for shards, as they fill. */
class Parcels {
  readonly #shards: Shards;
  readonly #tierOf: (host: HostKey) => number;
  readonly #all: [number, Parcel][] = [];
  readonly #open = new Map<number, Parcel>();

  constructor(shards: Shards, tierOf: (host: HostKey) => number) {
    this.#shards = shards;
    this.#tierOf = tierOf;
  }

  all(): readonly (readonly [number, Parcel])[] {
    return this.#all;
  }

  for(host: HostKey): Parcel {
    const shard = this.#shards.of(host);
    const open = this.#open.get(shard);
    if (open !== undefined && open.names.length < PARCEL) return open;
    const parcel = new Parcel(this.#tierOf);
    this.#open.set(shard, parcel);
    this.#all.push([shard, parcel]);
    return parcel;
  }

  /** From a page to a URL of this host. */
  gift(page: Lease, amount: number, host: HostKey) {
    const { shard, local } = this.#shards.localOf(page.url.id);
    return { amount, page: shard === this.#shards.of(host) ? local : 0 };
  }
}

function namedAgain(linksAgain: LinksAgain | null | undefined, page: Lease, share: number): Share<UrlName>[] {
  const shares: Share<UrlName>[] = [];
  if (linksAgain === null || linksAgain === undefined) return shares;
  const { count, words, hosts } = linksAgain;
  const amount = (share * count * AGAIN_WORDS) / words.length;
  for (let at = 0; at < words.length; at += AGAIN_WORDS) {
    const host = words[at + 2] === 0 ? page.url.host : hosts[words[at + 2]! - 1]!;
    shares.push({ to: { fpHi: words[at]!, fpLo: words[at + 1]!, host }, amount });
  }
  return shares;
}
