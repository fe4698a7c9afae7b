/** What the control thread is told of a page's links: those that it may not know, and some of the others. */
import type { RecentLinks } from "../dedup/recent.ts";
import type { HostKey } from "../model/host.ts";
import type { LeasedUrl } from "../model/lease.ts";
import { carriesCash, type LinksAgain, type NewUrl } from "../model/link.ts";

/** 2^32 by the golden ratio: multiples of it, modulo 2^32, are spread evenly (Knuth, vol. 3, 6.4). */
const GOLDEN = 0x9e3779b1;
/** Of the links that were told before so many are named, in the place of all. */
const SAMPLE = 8;

export class Told {
  readonly links: NewUrl[] = [];
  readonly #again: NewUrl[] = [];
  readonly #page: LeasedUrl;
  readonly #lately: RecentLinks;

  constructor(page: LeasedUrl, lately: RecentLinks) {
    this.#page = page;
    this.#lately = lately;
  }

  tell(url: NewUrl): void {
    const { fpHi, fpLo, drop } = url;
    // A drop is remembered apart: found where nothing is said against it, the same URL must be told.
    if (!this.#lately.met(fpHi, drop === undefined ? fpLo : ~fpLo >>> 0)) this.links.push(url);
    else if (carriesCash(url)) this.#again.push(url);
  }

  again(): LinksAgain | null {
    const count = this.#again.length;
    if (count === 0) return null;
    const hosts: HostKey[] = [];
    const words: number[] = [];
    // At even distances, from a place that is another for each page: a menu's items have their turns.
    const size = Math.min(count, SAMPLE);
    const from = (Math.imul(this.#page.id, GOLDEN) >>> 0) / 2 ** 32;
    for (let i = 0; i < size; i++) {
      const { fpHi, fpLo, host } = this.#again[Math.floor(((i + from) * count) / size)]!;
      const nth = host === this.#page.host ? 0 : hosts.indexOf(host) + 1 || hosts.push(host);
      words.push(fpHi, fpLo, nth);
    }
    return { count, words: Uint32Array.from(words), hosts };
  }
}
