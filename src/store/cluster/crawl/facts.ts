/** Small facts of a crawl, in the hash that is the crawl's own: there before its frontier is opened, and for those who only look. */
import type { Connection } from "../redis/connection.ts";

/** In front of the names of facts among the fields of the hash. */
const FACT = "fact:";

/** Of the crawl's first start, when all was there that it needs. */
export const STARTED_AT = "startedAt";

export const crawlKey = (name: string): string => `trawl:{${name}}`;

export class Facts {
  readonly #connection: Connection;
  readonly #key: string;

  /** `name`: of the crawl. */
  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.#key = crawlKey(name);
  }

  async fact(name: string): Promise<string | null> {
    return (await this.#command("HGET", FACT + name)) as string | null;
  }

  async setFact(name: string, value: string): Promise<void> {
    await this.#command("HSET", FACT + name, value);
  }

  /** Of several who say what a fact is, the first is believed: what it is. */
  async settle(name: string, value: string): Promise<string> {
    await this.#command("HSETNX", FACT + name, value);
    return (await this.fact(name))!;
  }

  /** Sets a fact if it is still `before`, or not there (null); whether it was. A call that is made twice may say that it was not. */
  async replaceFact(name: string, before: string | null, after: string): Promise<boolean> {
    return (await this.#connection.run("swap", this.#key, [FACT + name, before ?? "", after])) === 1;
  }

  /** Adds to a fact that is a number, 0 where there is none: what it is then. A call whose answer is lost may count twice. */
  async add(name: string, more: number): Promise<number> {
    return Number(await this.#command("HINCRBY", FACT + name, String(more)));
  }

  /** Whether there is such a crawl: a crawler has once been ready to crawl it. */
  async isBegun(): Promise<boolean> {
    return (await this.fact(STARTED_AT)) !== null;
  }

  /**
   * What a first start that failed has left goes, so that the next may have other rules, unless others than `crawler` (""
   * for none) are there; whether nothing is left.
   */
  async renew(crawler: string): Promise<boolean> {
    return (await this.#connection.run("renew", this.#key, [crawler])) === 1;
  }

  #command(verb: string, ...words: readonly string[]): Promise<unknown> {
    return this.#connection.command(this.#key, [verb, this.#key, ...words]);
  }
}
