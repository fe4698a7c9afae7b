/**
 * What the registrable domains of hosts have had, all hosts of one together: counted here, and where many crawlers share a
 * crawl, told to the others with each commit and heard of them before a lease.
 */
import type { Clock, Instant } from "../base/clock.ts";
import { registrableDomain } from "../policy/url-key.ts";
import type { DomainCounts } from "../ports/domain-counts.ts";

/** What is asked of all hosts of one registrable domain together, their robots.txt aside. */
export interface DomainEntry {
  /** Pages; of those that others have asked for, what was heard of them. */
  readonly requests: number;
  /** Errands given and not committed. */
  open: number;
}

export interface SharedDomains {
  readonly counts: DomainCounts;
  readonly clock: Clock;
  /** Of those who take part, this one included. */
  crawlers(): number;
  /** How many pages more of a domain that has had so many change anything for it; Infinity: none do. */
  untilNext(requests: number): number;
}

interface Entry extends DomainEntry {
  readonly name: string;
  requests: number;
  /** Hosts in memory that hold it. */
  hosts: number;
  /** Of `requests`, those that the others have not been told of. */
  untold: number;
  heardAt: Instant;
}

/** Those that no host in memory holds: as many stay as there is room for, the ones not asked for longest go first. */
const PASSED_OVER = 8;
/** What was heard of a domain holds for as many ms as it has pages left until it matters, within these. */
const SHORTEST_MS = 500;
const LONGEST_MS = 60_000;

export class Domains {
  readonly #entries = new Map<string, Entry>();
  readonly #untold = new Set<Entry>();
  readonly #kept: number;
  readonly #shared: SharedDomains | null;

  /** `kept`: so many stay in memory, and those of hosts in memory. `shared`: null where nobody else counts. */
  constructor(kept: number, shared: SharedDomains | null) {
    this.#kept = kept;
    this.#shared = shared;
  }

  get crawlers(): number {
    return this.#shared?.crawlers() ?? 1;
  }

  /** That of a host that is in memory from now on. */
  hold(hostname: string): DomainEntry {
    const entry = this.#entry(registrableDomain(hostname));
    entry.hosts++;
    return entry;
  }

  /** The host is not in memory any longer. */
  leave(held: DomainEntry): void {
    (held as Entry).hosts--;
  }

  count(hostname: string, pages: number): void {
    if (pages === 0) return;
    const entry = this.#entry(registrableDomain(hostname));
    entry.requests += pages;
    if (this.#shared === null) return;
    entry.untold += pages;
    this.#untold.add(entry);
  }

  /** What others have counted, of domains of which it was not heard of late. */
  async hear(hostnames: Iterable<string>): Promise<void> {
    if (this.#shared === null) return;
    const { counts, clock } = this.#shared;
    const now = clock.now();
    const names = new Set<string>();
    for (const hostname of hostnames) {
      const name = registrableDomain(hostname);
      const entry = this.#entries.get(name);
      if (entry === undefined || now - entry.heardAt >= this.#holdsFor(entry)) names.add(name);
    }
    if (names.size === 0) return;
    const asked = [...names];
    const sums = await counts.of(asked);
    for (const [nth, name] of asked.entries()) heard(this.#entry(name), sums[nth]!, now);
  }

  /** Tells what was counted since; one call at a time. */
  async tell(): Promise<void> {
    if (this.#shared === null || this.#untold.size === 0) return;
    const { counts, clock } = this.#shared;
    const now = clock.now();
    const entries = [...this.#untold];
    const pages = entries.map(({ name, untold }) => ({ domain: name, pages: untold }));
    this.#untold.clear();
    for (const entry of entries) entry.untold = 0;
    for (const [nth, sum] of (await counts.add(pages)).entries()) heard(entries[nth]!, sum, now);
  }

  #holdsFor({ requests }: Entry): number {
    return Math.min(Math.max(this.#shared!.untilNext(requests), SHORTEST_MS), LONGEST_MS);
  }

  #entry(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined)
      entry = { name, requests: 0, open: 0, hosts: 0, untold: 0, heardAt: Number.NEGATIVE_INFINITY };
    else this.#entries.delete(name);
    this.#entries.set(name, entry); // last used is last in the map's order
    if (this.#entries.size > this.#kept) this.#forget(entry);
    return entry;
  }

  #forget(used: Entry): void {
    let left = PASSED_OVER;
    for (const [name, entry] of this.#entries) {
      if (left-- === 0) return;
      this.#entries.delete(name);
      if (entry !== used && entry.hosts === 0 && entry.untold === 0) return;
      this.#entries.set(name, entry);
    }
  }
}

/** Sums only grow: of several that come in any order the largest is the newest, and what is untold is in none. */
function heard(entry: Entry, sum: number, at: Instant): void {
  entry.requests = Math.max(entry.requests, sum + entry.untold);
  entry.heardAt = Math.max(entry.heardAt, at);
}
