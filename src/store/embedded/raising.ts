/** Links to what is known: they are counted, and raise what waits (promise 8 of the port). */
import { LinkLevels } from "../../dedup/link-levels.ts";
import type { HostKey } from "../../model/host.ts";
import type { Lease } from "../../model/lease.ts";
import { AGAIN_WORDS, type LinkRules, type LinksAgain, type NewUrl } from "../../model/link.ts";
import type { JournalWriter } from "./journal.ts";
import type { KnownUrls } from "./known.ts";
import type { Schedule } from "./schedule.ts";
import { SOME_ID } from "./seen.ts";

export class Raising {
  readonly #rules: LinkRules;
  readonly #known: KnownUrls;
  readonly #journal: JournalWriter;
  readonly #schedule: Schedule;
  readonly #levels = new LinkLevels();

  constructor(rules: LinkRules, known: KnownUrls, journal: JournalWriter, schedule: Schedule) {
    this.#rules = rules;
    this.#known = known;
    this.#journal = journal;
    this.#schedule = schedule;
  }

  /** A link to the URL that is known as `id`, on the page leased. */
  link(url: NewUrl, id: number, on: Lease): void {
    if (url.drop !== undefined || url.source !== "link") return;
    this.#count(id, 1, url.host, on);
  }

  again({ words, hosts }: LinksAgain, on: Lease): void {
    for (let at = 0; at < words.length; at += AGAIN_WORDS) {
      const id = this.#known.find(words[at]!, words[at + 1]!);
      const host = words[at + 3] === 0 ? on.url.host : hosts[words[at + 3]! - 1]!;
      if (id !== 0) this.#count(id, words[at + 2]!, host, on);
    }
  }

  #count(id: number, links: number, host: HostKey, on: Lease): void {
    const { states } = this.#known;
    // A filter alone does not tell which URL it is.
    if (id === SOME_ID || id === on.url.id || states.hasEverEnded(id)) return;
    const { steps, highest, foreign } = this.#rules;
    const before = states.levelOf(id);
    const level = this.#levels.after(before, host === on.url.host ? links : links * foreign);
    if (level === before) return;
    states.setLevel(id, level);
    this.#journal.linked(id, level - before);
    const from = states.classOf(id);
    const to = Math.max(from - (steps[level]! - steps[before]!), Math.min(from, highest));
    if (to !== from) this.#schedule.host(host)?.raise(id, from, to, states);
  }
}
