/** What is kept of a crawl as a whole, in one hash: how it was created, facts and marks. */
import type { ArchiveMark } from "../../../model/capture.ts";
import type { Connection } from "../redis/connection.ts";
import { ClusterError } from "../redis/errors.ts";
import { crawlKey, Facts } from "./facts.ts";

/** The layout of keys that this version reads and writes. */
const LAYOUT = "5";

export interface Creation {
  /** Into how many parts its hosts are divided, for ever. */
  readonly shards: number;
  /** How it remembers what was seen. */
  readonly seen: string;
}

const MARK = "mark:";
const WHOLE = "whole";

export class Crawl {
  readonly #connection: Connection;
  readonly #key: string;
  readonly #facts: Facts;

  private constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.#key = crawlKey(name);
    this.#facts = new Facts(connection, name);
  }

  /** Creates the crawl, or checks that it was created alike. @throws ClusterError */
  static async open(connection: Connection, name: string, creation: Creation): Promise<Crawl> {
    const crawl = new Crawl(connection, name);
    for (const [field, wanted] of Object.entries({ layout: LAYOUT, ...creation })) {
      await crawl.#command("HSETNX", field, String(wanted));
      const is = await crawl.#command("HGET", field);
      if (is !== String(wanted)) throw new ClusterError("foreign", otherwise(name, field, String(is), String(wanted)));
    }
    return crawl;
  }

  /** Whether all of it has been created: from then on what is not there is lost. */
  async isWhole(): Promise<boolean> {
    return Number(await this.#command("HEXISTS", WHOLE)) === 1;
  }

  async setWhole(): Promise<void> {
    await this.#command("HSET", WHOLE, "1");
  }

  /** The first of `count` ids of copies of robots.txt that nobody else is given. */
  async nextRobotsId(count: number): Promise<number> {
    const add = ["HINCRBY", "robots", String(count)] as const;
    const last = await this.#connection.lasting(async () => Number(await this.#command(...add)));
    return last - count + 1;
  }

  fact(name: string): Promise<string | null> {
    return this.#facts.fact(name);
  }

  /** Not if Redis was emptied since. */
  async isThere(): Promise<boolean> {
    return (await this.#command("HGET", "layout")) !== null;
  }

  setFact(name: string, value: string): Promise<void> {
    return this.#facts.setFact(name, value);
  }

  async setMarks(marks: readonly ArchiveMark[]): Promise<void> {
    if (marks.length === 0) return;
    await this.#command("HSET", ...marks.flatMap(({ file, bytes }) => [MARK + file, String(bytes)]));
  }

  async marks(): Promise<Map<string, number>> {
    const marks = new Map<string, number>();
    for (const [field, value] of pairs(await this.#command("HGETALL")))
      if (field.startsWith(MARK)) marks.set(field.slice(MARK.length), Number(value));
    return marks;
  }

  #command(verb: string, ...words: readonly string[]): Promise<unknown> {
    return this.#connection.command(this.#key, [verb, this.#key, ...words]);
  }
}

function otherwise(name: string, field: string, is: string, wanted: string): string {
  return field === "layout"
    ? `the crawl ${name} was created by another version of Trawl (layout ${is}, not ${wanted}); go on with that one, or choose another name`
    : `the crawl ${name} was created with ${field} ${is}, not ${wanted}; give it what it has, or choose another name`;
}

/** Takes away all that Redis has of a crawl that nobody is at. */
export async function removeCrawl(connection: Connection, name: string): Promise<void> {
  for (const pattern of [`trawl:{${name}}*`, `trawl:{${name}:*`]) await connection.remove(pattern);
  await connection.replicated();
}

/** A hash as Redis gives it: flat in RESP2, a map or an object in RESP3. */
export function pairs(answer: unknown): [string, string][] {
  if (answer instanceof Map) return [...answer] as [string, string][];
  if (!Array.isArray(answer)) return Object.entries((answer ?? {}) as Record<string, string>);
  return Array.from({ length: answer.length / 2 }, (_, i) => [answer[2 * i], answer[2 * i + 1]] as [string, string]);
}
