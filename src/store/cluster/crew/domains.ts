/**
 * Pages by registrable domain, for all crawlers of a crawl: hashes that stay compact up to 60 million domains, in parts
 * that are spread over all masters. What is counted twice or not at all: docs/decisions/0023-crawlers-of-one-crawl.md.
 */
import { randomUUID } from "node:crypto";
import { hashText } from "../../../base/hash.ts";
import type { DomainCounts, DomainPages } from "../../../ports/domain-counts.ts";
import type { Connection } from "../redis/connection.ts";
import { Grouped } from "../shards/shards.ts";

/** Each a slot of its own; of all that a commit counts in one there is one call. */
const PARTS = 16;
const BUCKETS = 1 << 14;

export interface ClusterDomainsOptions {
  /** The crawl. */
  readonly name: string;
  /** This crawler, and nobody else. */
  readonly id: string;
}

export class ClusterDomains implements DomainCounts {
  readonly #connection: Pick<Connection, "command" | "run" | "replicated">;
  readonly #options: ClusterDomainsOptions;
  readonly #life = randomUUID().slice(0, 8);
  #calls = 0;
  /** The call before: a part knows no more than the last call of each crawler, so that the next waits for replicas to have it. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(connection: Pick<Connection, "command" | "run" | "replicated">, options: ClusterDomainsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  of(domains: readonly string[]): Promise<readonly number[]> {
    const asked = domains.map(async (domain) => {
      const { part, bucket } = placeOf(domain);
      const key = `${this.#keyOf(part)}:${bucket}`;
      return Number((await this.#connection.command(key, ["HGET", key, domain])) ?? 0);
    });
    return Promise.all(asked);
  }

  add(pages: readonly DomainPages[]): Promise<readonly number[]> {
    const number = `${this.#life}.${++this.#calls}`;
    const call = this.#before.then(() => this.#count(number, pages));
    this.#before = call;
    return call;
  }

  /** Each has had so many at least: what is known of them from elsewhere. */
  async atLeast(pages: readonly DomainPages[]): Promise<void> {
    await this.#count("", pages);
  }

  /** In the order of `pages`. */
  async #count(number: string, pages: readonly DomainPages[]): Promise<readonly number[]> {
    const byPart = new Grouped<number, { readonly nth: number; readonly words: readonly string[] }>();
    for (const [nth, one] of pages.entries()) {
      const { part, bucket } = placeOf(one.domain);
      byPart.add(part, { nth, words: [String(bucket), one.domain, String(one.pages)] });
    }
    const sums = pages.map(() => 0);
    const counted = Array.from(byPart, async ([part, some]) => {
      const words = [this.#options.id, number, ...some.flatMap((one) => one.words)];
      const told = (await this.#connection.run("count", this.#keyOf(part), words)) as number[];
      for (const [at, { nth }] of some.entries()) sums[nth] = told[at]!;
    });
    await Promise.all(counted);
    await this.#connection.replicated();
    return sums;
  }

  // The braces make the slot: a part and its buckets are in one.
  #keyOf(part: number): string {
    return `trawl:{${this.#options.name}:domains:${part}}`;
  }
}

function placeOf(domain: string): { readonly part: number; readonly bucket: number } {
  const [hi, lo] = hashText(domain);
  return { part: lo % PARTS, bucket: hi % BUCKETS };
}
