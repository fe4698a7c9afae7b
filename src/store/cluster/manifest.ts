/**
 * Which segments count: those of commits that were finished, without what was not taken of them. What is said of a segment
 * goes when it is confirmed as a whole, so that the list is as long as there are commits under way and crawlers that died.
 */
import type { Connection } from "./connection.ts";
import { pairs } from "./crawl.ts";

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
  readonly #key: string;

  /** `name`: of the crawl. */
  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.#key = `trawl:{${name}}:segments`;
  }

  /**
   * The ordinal of a segment that will be written: one that nobody else is given, also by a replica that takes the place of
   * its master, since what is written under it would be lost. It is taken when a commit begins, so that of two records of a
   * URL the later one has the higher ordinal.
   */
  async take(): Promise<number> {
    return this.#connection.lasting(async () => Number(await this.#connection.run("take", this.#key, [])));
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
