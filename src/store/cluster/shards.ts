/** The shards of a crawl: which host is where, what each said last, and scripts run in them. */
import type { Clock, Instant } from "../../base/clock.ts";
import type { HostKey } from "../../model/host.ts";
import type { Connection } from "./connection.ts";
import type { Verb } from "./scripts.ts";
import { shardOf } from "./shard-of.ts";
import { type Candidate, compare, type Standing, standingOf } from "./standing.ts";

/** What other crawlers have changed in a shard is seen after so long, in ms. */
const LOOK_MS = 1_000;

export interface ShardsOptions {
  readonly name: string;
  readonly count: number;
  readonly hostConcurrency: number;
  readonly hostShare: number;
  readonly clock: Clock;
}

export class Shards {
  readonly #connection: Connection;
  readonly #options: ShardsOptions;
  readonly #keys: readonly string[];
  readonly #standings: (Standing | null)[];

  constructor(connection: Connection, options: ShardsOptions) {
    this.#connection = connection;
    this.#options = options;
    // The braces make the slot: all keys of a shard are in one.
    this.#keys = Array.from({ length: options.count }, (_, shard) => `trawl:{${options.name}:${shard}}`);
    this.#standings = this.#keys.map(() => null);
  }

  get count(): number {
    return this.#keys.length;
  }

  of(host: HostKey): number {
    return shardOf(host, this.count);
  }

  key(shard: number): string {
    return this.#keys[shard]!;
  }

  command(shard: number, verb: string, part: string, ...words: string[]): Promise<unknown> {
    return this.#connection.command(this.key(shard), [verb, this.key(shard) + part, ...words]);
  }

  /** A verb that changes nothing: its whole answer. */
  ask<T>(verb: Verb, shard: number, words: readonly string[]): Promise<T> {
    return this.#connection.run(verb, this.key(shard), [...this.#head(), ...words]) as Promise<T>;
  }

  /** A verb that tells how the shard stands after it, which is remembered: the rest of its answer. */
  async run<T>(verb: Verb, shard: number, words: readonly string[]): Promise<T> {
    const at = this.#options.clock.now();
    const [told, standing] = await this.ask<[T, string[]]>(verb, shard, words);
    this.#standings[shard] = standingOf(standing, at);
    return told;
  }

  /** The same in several shards at once: what each answers. */
  async runAll<T>(verb: Verb, words: ReadonlyMap<number, readonly string[]>): Promise<Map<number, T>> {
    const answers = Array.from(words, async ([shard, some]) => [shard, await this.run<T>(verb, shard, some)] as const);
    return new Map(await Promise.all(answers));
  }

  /** How all shards stand; `anew`: whatever is remembered. */
  async standings({ anew = false } = {}): Promise<readonly Standing[]> {
    const now = this.#options.clock.now();
    const old = this.#standings.flatMap((standing, shard) => (anew || !isTrue(standing, now) ? [shard] : []));
    await Promise.all(old.map((shard) => this.run("look", shard, [])));
    return this.#standings as readonly Standing[];
  }

  /** Where the host is that comes first now, and the one that comes first elsewhere. */
  async first(): Promise<{ readonly shard: number; readonly elsewhere: Candidate | null } | null> {
    let shard = -1;
    let best: Candidate | null = null;
    let elsewhere: Candidate | null = null;
    for (const [nth, { best: one }] of (await this.standings()).entries()) {
      if (one === null) continue;
      if (best === null || compare(one, best) < 0) {
        elsewhere = best;
        best = one;
        shard = nth;
      } else if (elsewhere === null || compare(one, elsewhere) < 0) elsewhere = one;
    }
    return best === null ? null : { shard, elsewhere };
  }

  /** What every verb is told first. */
  #head(): string[] {
    const { clock, hostConcurrency, hostShare } = this.#options;
    return [String(clock.now()), String(hostConcurrency), String(hostShare)];
  }
}

const isTrue = (standing: Standing | null, now: Instant): boolean =>
  standing !== null && now < standing.wakeAt && now - standing.at < LOOK_MS;

/** Lists by key, as they come. */
export class Grouped<K, T> extends Map<K, T[]> {
  add(key: K, ...items: readonly T[]): void {
    const list = this.get(key);
    if (list === undefined) this.set(key, [...items]);
    else list.push(...items);
  }
}
