/** A page's cash is shared out over its links, and raises what waits (promise 8 of the port). */
import { CashLevels, FIRST_LEVEL, shareOf } from "../../dedup/cash-levels.ts";
import type { HostKey } from "../../model/host.ts";
import type { Lease } from "../../model/lease.ts";
import { AGAIN_WORDS, carriesCash, type FirstCash, type LinksAgain, type NewUrl } from "../../model/link.ts";
import type { Settled } from "../../ports/frontier.ts";
import type { JournalWriter } from "./journal.ts";
import type { KnownUrls } from "./known.ts";
import type { Schedule } from "./schedule.ts";

export class Raising {
  readonly #firstCash: FirstCash;
  readonly #known: KnownUrls;
  readonly #journal: JournalWriter;
  readonly #schedule: Schedule;
  readonly #levels = new CashLevels();
  /** Whose links are being committed, and what each is given; null: nobody's. */
  #page: Lease | null = null;
  #share = 0;

  constructor(firstCash: FirstCash, known: KnownUrls, journal: JournalWriter, schedule: Schedule) {
    this.#firstCash = firstCash;
    this.#known = known;
    this.#journal = journal;
    this.#schedule = schedule;
  }

  /** The links that follow are of this visit; null: of none. */
  follow(settled: Settled | null): void {
    this.#page = settled?.lease ?? null;
    this.#share = settled === null ? 0 : this.#shareOf(settled);
  }

  #shareOf({ lease, verdict, links, linksAgain }: Settled): number {
    if (verdict.kind !== "end") return 0;
    return shareOf(this.#known.cash.get(lease.url.id), links, linksAgain);
  }

  /** The level of a URL that is admitted. */
  begin(url: NewUrl, id: number): number {
    const level = this.#levels.after(FIRST_LEVEL, this.#firstCash(url) + (carriesCash(url) ? this.#share : 0));
    this.#known.cash.set(id, level);
    return level;
  }

  /** A link to the URL that is known as `id`. */
  link(url: NewUrl, id: number): void {
    if (carriesCash(url)) this.#give(id, this.#share, url.host);
  }

  again({ count, words, hosts }: LinksAgain): void {
    if (this.#page === null) return;
    const share = (this.#share * count * AGAIN_WORDS) / words.length;
    for (let at = 0; at < words.length; at += AGAIN_WORDS) {
      const id = this.#known.find(words[at]!, words[at + 1]!);
      if (id !== 0) this.#give(id, share, words[at + 2] === 0 ? this.#page.url.host : hosts[words[at + 2]! - 1]!);
    }
  }

  #give(id: number, amount: number, host: HostKey): void {
    // A page that comes back gave them theirs when it came first.
    if (amount === 0 || this.#page === null || id === this.#page.url.id || this.#page.previous !== null) return;
    const { states, cash } = this.#known;
    const before = cash.get(id);
    const level = this.#levels.after(before, amount);
    if (level === before) return;
    cash.set(id, level);
    this.#journal.raised(id, level);
    if (states.waits(id)) this.#schedule.host(host)?.raise(id, level);
  }
}
