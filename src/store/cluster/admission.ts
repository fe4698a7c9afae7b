/** How URLs are admitted to whatever shards they belong to: asked first which are new, since most links lead to what is known. */
import type { Instant } from "../../base/clock.ts";
import type { HostKey } from "../../model/host.ts";
import type { NewUrl } from "../../model/link.ts";
import { dropRecord } from "../../model/record.ts";
import type { Crawl } from "./crawl.ts";
import { lineOf, rowOf, type SeenPlace, seenPlace } from "./rows.ts";
import { Grouped, type Shards } from "./shards.ts";

/** As `seen` tells it. */
const NEW = 0;
const ADMITTED = 1;
const DROPPED = 2;

interface Placed {
  readonly url: NewUrl;
  readonly shard: number;
  readonly place: SeenPlace;
}

export interface Admitted {
  readonly admitted: number;
  readonly dropped: number;
}

export class Admission {
  readonly #shards: Shards;
  readonly #crawl: Crawl;
  readonly #firstTier: (host: HostKey) => number;

  constructor(shards: Shards, crawl: Crawl, firstTier: (host: HostKey) => number) {
    this.#shards = shards;
    this.#crawl = crawl;
    this.#firstTier = firstTier;
  }

  /** Admits what is new, in order. Twice the same comes to the same: it is known the second time. */
  async admit(urls: readonly NewUrl[], now: Instant): Promise<Admitted> {
    const fresh = await this.#fresh(urls);
    if (fresh.length === 0) return { admitted: 0, dropped: 0 };
    const drops = fresh.reduce((sum, { url }) => sum + (url.drop === undefined ? 0 : 1), 0);
    let [id, ordinal] = await Promise.all([
      this.#crawl.next("ids", fresh.length),
      drops === 0 ? 0 : this.#crawl.next("records", drops),
    ]);
    const words = new Grouped<number, string>();
    for (const { url, shard, place } of fresh) {
      const { href, host, drop } = url;
      const line =
        drop === undefined ? "" : lineOf({ ordinal: ordinal++, host, visit: dropRecord(id, href, drop, now) });
      const row = rowOf(url, id, now, place);
      const { bucket, fingerprint } = place;
      const tier = String(this.#firstTier(host));
      words.add(shard, bucket, fingerprint, String(id++), drop?.reason ?? "", host, tier, row, line);
    }
    const told = [...(await this.#shards.runAll<number[]>("admit", words)).values()].flat();
    const count = (what: number): number => told.reduce((sum, one) => sum + (one === what ? 1 : 0), 0);
    return { admitted: count(ADMITTED), dropped: count(DROPPED) };
  }

  /** Those that will be admitted, or recorded as dropped. */
  async #fresh(urls: readonly NewUrl[]): Promise<Placed[]> {
    const placed = urls.map(
      (url): Placed => ({
        url,
        shard: this.#shards.of(url.host),
        place: seenPlace(url.fpHi, url.fpLo, this.#crawl.buckets),
      }),
    );
    const words = new Grouped<number, string>();
    for (const { shard, place } of placed) words.add(shard, place.bucket, place.fingerprint);
    const answers = Array.from(words, async ([shard, some]) => {
      return [shard, await this.#shards.ask<number[]>("seen", shard, some)] as const;
    });
    const told = new Map(await Promise.all(answers));
    const next = new Map<number, number>();
    const states = new Map<string, number>();
    const fresh: Placed[] = [];
    for (const one of placed) {
      const { url, shard, place } = one;
      const nth = next.get(shard) ?? 0;
      next.set(shard, nth + 1);
      const name = `${shard}/${place.fingerprint}`;
      const before = states.get(name) ?? told.get(shard)![nth]!;
      const after = before === NEW || before === DROPPED ? (url.drop === undefined ? ADMITTED : DROPPED) : ADMITTED;
      states.set(name, after);
      if (before === NEW || (before === DROPPED && after === ADMITTED)) fresh.push(one);
    }
    return fresh;
  }
}
