/**
 * Which segments count: those of commits that were finished, without what was not taken of them. What is said of a segment
 * goes when it is confirmed as a whole, so that the list is as long as there are commits under way and crawlers that died.
 */

import { pairs } from "../crawl/crawl.ts";
import { emptied, isGone, lost } from "../crawl/losses.ts";
import type { Connection } from "../redis/connection.ts";

export interface ManifestState {
  /** The ordinal taken last. */
  readonly last: number;
  /** Taken and not confirmed: under way, or left behind by a crawler that died. */
  readonly open: ReadonlySet<number>;
  /** Of confirmed segments, the entries that were not taken. */
  readonly refused: ReadonlyMap<number, ReadonlySet<number>>;
}

const LAST = "last";
const OPEN = "open:";
const REFUSED = "refused:";

export class Manifest {
  readonly #connection: Connection;
  readonly #name: string;
  readonly #key: string;
  /** The ordinal that was taken here last. */
  #taken = 0;

  /** `name`: of the crawl. */
  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.#name = name;
    this.#key = `trawl:{${name}}:segments`;
  }

  /** Of a new crawl: none has been taken yet. */
  async create(): Promise<void> {
    await this.#command("HSETNX", LAST, "0");
  }

  /**
   * The ordinal of a segment that will be written: one that nobody else is given, also by a replica that takes the place of
   * its master, since what is written under it would be lost. It is taken when a commit begins, so that of two records of a
   * URL the later one has the higher ordinal.
   */
  async take(): Promise<number> {
    const before = this.#taken;
    const ordinal = await this.#connection.lasting(async () => {
      try {
        return Number(await this.#connection.run("take", this.#key, []));
      } catch (cause) {
        throw isGone(cause) ? emptied(this.#name) : cause;
      }
    });
    if (ordinal <= before)
      throw lost(this.#name, `it gives out the number ${ordinal} for records, and has given out ${before}`);
    this.#taken = Math.max(this.#taken, ordinal);
    return ordinal;
  }

  /** Segments that are there, although nobody knows that their ordinals were taken: they count as open. */
  async recall(ordinals: readonly number[]): Promise<void> {
    await this.#connection.run("recall", this.#key, ordinals.map(String));
  }

  /** It is written, and what was taken of it is settled. `refused`: the indices of entries that were not. */
  async confirm(ordinal: number, refused: readonly number[]): Promise<void> {
    if (refused.length > 0) await this.#command("HSET", REFUSED + ordinal, refused.join(","));
    await this.#command("HDEL", OPEN + ordinal);
  }

  async state(): Promise<ManifestState> {
    let last = 0;
    const open = new Set<number>();
    const refused = new Map<number, ReadonlySet<number>>();
    for (const [field, value] of pairs(await this.#command("HGETALL"))) {
      if (field === LAST) last = Number(value);
      else if (field.startsWith(OPEN)) open.add(Number(field.slice(OPEN.length)));
      else refused.set(Number(field.slice(REFUSED.length)), new Set(value.split(",").map(Number)));
    }
    return { last, open, refused };
  }

  #command(verb: string, ...words: readonly string[]): Promise<unknown> {
    return this.#connection.command(this.#key, [verb, this.#key, ...words]);
  }
}
