/** The shards of a crawl: which host is where, what each said last, and scripts run in them. */
import type { Clock, Instant } from "../../../base/clock.ts";
import type { HostKey } from "../../../model/host.ts";
import type { Pending } from "../../../ports/frontier.ts";
import { pairs } from "../crawl/crawl.ts";
import { crawlKey } from "../crawl/facts.ts";
import { beheaded, emptied, isGone, LastIds, lost } from "../crawl/losses.ts";
import type { Connection, Word } from "../redis/connection.ts";
import type { ClusterError } from "../redis/errors.ts";
import type { Verb } from "../redis/scripts.ts";
import { shardOf } from "./shard-of.ts";
import { type Standing, standingIn, standingOf, UNKNOWN } from "./standing.ts";

/** What others have brought to a shard of this crawler that had nothing to do is seen after so long, in ms. */
const LOOK_MS = 1_000;
/** What they have changed in any other. */
const FAR_LOOK_MS = 5_000;
/** Work of a shard that others look after is left over when it has been due for so long. */
const LEFT_OVER_MS = 1_000;

export interface ShardsOptions {
  /** Nothing is created, and what is lost is passed over. */
  readonly looks: boolean;
  readonly name: string;
  readonly owner: string;
  readonly count: number;
  readonly hostConcurrency: number;
  readonly hostShare: number;
  readonly keepsCash: boolean;
  /** What scripts are told of filters (`seen-filter`), where there are any: no cash is kept then. */
  readonly filter?: Buffer | null;
  readonly clock: Clock;
  readonly prefers: (shard: number) => boolean;
}

/** A URL's id in its shard. */
export interface Local {
  readonly shard: number;
  readonly local: number;
}

/** A shard that may have work, and how much of it is wanted. */
export interface Offer {
  readonly shard: number;
  readonly most: number;
}

export class Shards {
  readonly #connection: Connection;
  readonly #options: ShardsOptions;
  readonly #keys: readonly string[];
  readonly #standings: Standing[];
  /** Of all standings. */
  readonly #sum = { queued: 0, leased: 0, delayed: 0, hosts: 0 };
  /** So that no answer that an earlier opening kept is taken for one of this. */
  readonly #opening = Math.random().toString(36).slice(2);
  #calls = 0;
  /** The last call of a verb in a shard: the next waits for it, since the shard keeps one answer for the case that it gets lost. */
  readonly #under = new Map<string, Promise<unknown>>();
  readonly #lastIds: LastIds;
  /** Where the last ids of all shards are kept, so that it is seen at the next opening when one is less. */
  readonly #lastIdsKey: string;

  constructor(connection: Connection, options: ShardsOptions) {
    this.#connection = connection;
    this.#options = options;
    // The braces make the slot: all keys of a shard are in one.
    this.#keys = Array.from({ length: options.count }, (_, shard) => `trawl:{${options.name}:${shard}}`);
    this.#standings = this.#keys.map(() => UNKNOWN);
    this.#lastIds = new LastIds(options.name, options.count, options.clock);
    this.#lastIdsKey = `${crawlKey(options.name)}:lasts`;
  }

  get count(): number {
    return this.#keys.length;
  }

  of(host: HostKey): number {
    return shardOf(host, this.count);
  }

  /** Ids of a crawl with one shard are its own. */
  idOf({ shard, local }: Local): number {
    return local * this.count + shard;
  }

  localOf(id: number): Local {
    const shard = id % this.count;
    return { shard, local: (id - shard) / this.count };
  }

  command(shard: number, verb: string, part: string, ...words: string[]): Promise<unknown> {
    const key = this.#keys[shard]!;
    return this.#connection.command(key, [verb, key + part, ...words]);
  }

  /** The same, where the answer is no text. */
  bytes(shard: number, verb: string, part: string, ...words: string[]): Promise<unknown> {
    const key = this.#keys[shard]!;
    return this.#connection.bytes(key, [verb, key + part, ...words]);
  }

  /** A verb that changes nothing, or nothing but what time brings: its whole answer. */
  ask<T>(verb: Verb, shard: number, words: readonly Word[] = []): Promise<T> {
    return this.#call<T>(verb, shard, words, this.#options.clock.now());
  }

  /** A verb that tells how the shard stands after it, which is remembered: the rest of its answer. */
  async run<T>(verb: Verb, shard: number, words: readonly Word[] = []): Promise<T> {
    const name = `${verb} ${shard}`;
    const before = this.#under.get(name);
    const work = async (): Promise<T> => {
      await before?.catch(() => {});
      const at = this.#options.clock.now();
      const [told, standing] = await this.#call<[T, (number | string)[]]>(verb, shard, words, at);
      this.#remember(shard, standingOf(standing, at));
      return told;
    };
    const call = work();
    this.#under.set(name, call);
    try {
      return await call;
    } finally {
      if (this.#under.get(name) === call) this.#under.delete(name);
    }
  }

  /** The same in several shards at once: what each answers. */
  async runAll<T>(verb: Verb, words: ReadonlyMap<number, readonly Word[]>): Promise<Map<number, T>> {
    const answers = Array.from(words, async ([shard, some]) => [shard, await this.run<T>(verb, shard, some)] as const);
    return new Map(await Promise.all(answers));
  }

  /** In every shard. */
  each<T>(work: (shard: number) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#keys.map((_, shard) => work(shard)));
  }

  /** Whether none of them has ever had a URL, as they said last. */
  get areBlank(): boolean {
    return this.#lastIds.said.every((last) => last === 0);
  }

  /** What is to be said when they are not, and the crawl begins only now. */
  beheaded(): ClusterError {
    const { said } = this.#lastIds;
    return beheaded(this.#options.name, said.filter((last) => last > 0).length, said.length);
  }

  /** How many have no record any more. */
  async gone(): Promise<number> {
    const there = await this.each((shard) => this.command(shard, "EXISTS", ""));
    return there.filter((one) => Number(one) === 0).length;
  }

  /** @throws ClusterError "lost" when one has no record any more, or knows of fewer URLs than it did. */
  async mustBeWhole(): Promise<void> {
    const kept = await this.#connection.command(this.#lastIdsKey, ["HGETALL", this.#lastIdsKey]);
    const records = await this.each((shard) => this.bytes(shard, "GET", "") as Promise<Buffer | null>);
    if (records.includes(null)) {
      await this.#mustBeThere();
      return this.mustBeWhole();
    }
    for (const [shard, before] of pairs(kept)) {
      const { last } = standingIn(records[Number(shard)]!, this.#options.clock.now());
      if (last < Number(before)) throw this.#lastIds.isLess(Number(shard), last, Number(before));
    }
  }

  /** Now and then what shards knew a while ago is written down; `ended`: what they know now, which is with replicas. */
  async keepLastIds(ended = false): Promise<void> {
    const lasts = ended ? this.#lastIds.said : this.#lastIds.settled();
    const words = lasts?.flatMap((last, shard) =>
      last > 0 && this.#isOwn(shard) ? [String(shard), String(last)] : [],
    );
    if (words === undefined || words.length === 0) return;
    await this.#connection.command(this.#lastIdsKey, ["HSET", this.#lastIdsKey, ...words]);
  }

  /** Shards with work that is due, the one whose work has waited longest first, for `most` leases in all. */
  async withWork(most: number): Promise<Offer[]> {
    const now = this.#options.clock.now();
    await this.#look(now);
    let due = this.#due(now, true);
    if (due.length === 0) due = this.#due(now, false);
    due.sort((a, b) => this.#standings[a]!.readyAt - this.#standings[b]!.readyAt);
    const offers: Offer[] = [];
    let left = most;
    for (const shard of due) {
      if (left <= 0) break;
      const some = Math.min(left, Math.max(this.#standings[shard]!.free, 1));
      offers.push({ shard, most: some });
      left -= some;
    }
    return offers;
  }

  async pending(): Promise<Pending> {
    await this.#look(this.#options.clock.now());
    // That nothing waits is said by nobody's memory.
    if (this.#sum.hosts === 0) await this.#lookAt(this.#keys.map((_, shard) => shard));
    return { ...this.#sum };
  }

  /** The earliest time at which some shard could give a lease, as far as is known. */
  async nextReadyAt(): Promise<Instant> {
    await this.#look(this.#options.clock.now());
    return this.#standings.reduce(
      (next, standing, shard) => Math.min(next, this.#isOwn(shard) ? standing.readyAt : leftOverAt(standing)),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Those that this crawler looks after. */
  own(): number[] {
    return this.#keys.flatMap((_, shard) => (this.#isOwn(shard) ? [shard] : []));
  }

  /** Shards that this crawler looks after that hold more rows than `most`, and how many. */
  overfull(most: number): (readonly [shard: number, rows: number])[] {
    return this.#standings.flatMap(({ rows }, shard) =>
      rows > most && this.#isOwn(shard) ? [[shard, rows] as const] : [],
    );
  }

  /** Shards that this crawler looks after where something that has ended is due again by then. */
  async dueBy(until: Instant): Promise<number[]> {
    await this.#look(this.#options.clock.now());
    return this.#standings.flatMap(({ dueAt }, shard) => (dueAt <= until && this.#isOwn(shard) ? [shard] : []));
  }

  async nextDueAt(): Promise<Instant> {
    await this.#look(this.#options.clock.now());
    const own = this.#standings.filter((_, shard) => this.#isOwn(shard));
    return own.reduce((next, { dueAt }) => Math.min(next, dueAt), Number.POSITIVE_INFINITY);
  }

  /** Whether nothing is pending in any shard, and nothing due by then: said by nobody's memory. */
  async rest(until: Instant): Promise<boolean> {
    const rest = () => this.#sum.hosts === 0 && this.#standings.every(({ dueAt }) => dueAt > until);
    await this.#look(this.#options.clock.now());
    if (!rest()) return false;
    await this.#lookAt(this.#keys.map((_, shard) => shard));
    return rest();
  }

  #isOwn(shard: number): boolean {
    return this.#options.prefers(shard);
  }

  #due(now: Instant, own: boolean): number[] {
    return this.#standings.flatMap((standing, shard) => {
      const at = own ? standing.readyAt : leftOverAt(standing);
      return at <= now && this.#isOwn(shard) === own ? [shard] : [];
    });
  }

  /** Asks where what is remembered may be true no more. */
  #look(now: Instant): Promise<void> {
    const old = this.#standings.flatMap(({ at, wakeAt, queued }, shard) => {
      const isOwn = this.#isOwn(shard);
      const isOld = (isOwn && now >= wakeAt) || now - at >= (isOwn && queued === 0 ? LOOK_MS : FAR_LOOK_MS);
      return isOld ? [shard] : [];
    });
    return this.#lookAt(old);
  }

  /** The record tells how the shard stands, unless there is something to be brought up to now. */
  async #lookAt(shards: readonly number[]): Promise<void> {
    const at = this.#options.clock.now();
    await Promise.all(
      shards.map(async (shard) => {
        const record = (await this.bytes(shard, "GET", "")) as Buffer | null;
        if (record === null && !this.#options.looks) {
          await this.#mustBeThere();
          return this.#lookAt([shard]);
        }
        const standing = standingIn(record, at);
        if (standing.wakeAt <= at) await this.run("look", shard);
        else this.#remember(shard, standing);
      }),
    );
  }

  /** One has no record, as it seems. How many have none is told a moment later: what loses one loses many, one after the other. */
  async #mustBeThere(): Promise<void> {
    await this.#options.clock.sleep(LOOK_MS);
    const gone = await this.gone();
    const { name } = this.#options;
    if (gone === this.count) throw emptied(name);
    if (gone > 0) throw lost(name, `${gone} of its ${this.count} shards are gone`);
  }

  #remember(shard: number, standing: Standing): void {
    this.#lastIds.hear(shard, standing.last);
    const before = this.#standings[shard]!;
    const { dueSince } = standing;
    this.#standings[shard] = {
      ...standing,
      dueSince: Number.isFinite(dueSince) ? Math.min(before.dueSince, dueSince) : dueSince,
    };
    for (const count of ["queued", "leased", "delayed", "hosts"] as const)
      this.#sum[count] += standing[count] - before[count];
  }

  async #call<T>(verb: Verb, shard: number, words: readonly Word[], at: Instant): Promise<T> {
    try {
      return await this.#made<T>(verb, shard, words, at);
    } catch (cause) {
      if (!isGone(cause)) throw cause;
    }
    await this.#mustBeThere();
    return this.#call(verb, shard, words, at);
  }

  #made<T>(verb: Verb, shard: number, words: readonly Word[], at: Instant): Promise<T> {
    const { owner, hostConcurrency, hostShare, keepsCash, filter } = this.#options;
    const number = `${this.#opening}.${++this.#calls}`;
    const chance = keepsCash ? String(Math.floor(Math.random() * 2 ** 31)) : "";
    const rules = [String(hostConcurrency), String(hostShare), filter ?? chance];
    return this.#connection.run(verb, this.#keys[shard]!, (isRepeated) => [
      ...[String(at), owner, number, isRepeated ? "1" : "0", ...rules],
      ...words,
    ]) as Promise<T>;
  }
}

/** When a shard that others look after has work that they have left over: as it was seen, or as it may be seen next. */
function leftOverAt({ readyAt, at, dueSince }: Standing): Instant {
  if (dueSince + LEFT_OVER_MS <= at) return dueSince;
  return Number.isFinite(readyAt) ? Math.max(readyAt + LEFT_OVER_MS, at + FAR_LOOK_MS) : readyAt;
}

/** Lists by key, as they come. */
export class Grouped<K, T> extends Map<K, T[]> {
  add(key: K, ...items: readonly T[]): void {
    const list = this.get(key);
    if (list === undefined) this.set(key, [...items]);
    else list.push(...items);
  }
}
