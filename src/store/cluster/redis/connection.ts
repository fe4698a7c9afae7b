/** The way to a Redis Cluster: commands and scripts by key, patience while masters are away, and proof that replicas follow. */
import { type Clock, systemClock } from "../../../base/clock.ts";
import { type Log, silentLog } from "../../../base/log.ts";
import { Calls } from "./calls.ts";
import { type MasterStanding, masterIn, mustBeFit, replicasIn, UNMADE } from "./checks.ts";
import { type Client, type ClusterAccess, connect } from "./client.ts";
import { TimeDifference } from "./clocks.ts";
import { ClusterError } from "./errors.ts";
import { Patience, Unanswered } from "./patience.ts";
import { loadLibrary, type Verb } from "./scripts.ts";
import { UnconfirmedCalls } from "./unconfirmed.ts";

export interface ConnectionOptions extends ClusterAccess {
  /**
   * So many replicas have what was acknowledged, or as many as follow the master if these are fewer: one that has none left
   * goes on alone, with its log. 1 unless told. 0: a master that dies takes the last moments along.
   */
  readonly replicas?: number;
  /** How long a call waits for a master that is away, in ms, before it fails: Infinity for as long as it takes. */
  readonly patienceMs?: number;
  readonly log?: Pick<Log, "warn">;
  readonly clock?: Clock;
}

/** Of a command: text, or bytes. */
export type Word = string | Buffer;
type Words = readonly Word[];

const PATIENCE_MS = 60_000;
/** How long it takes at most until all masters have been spoken to, in ms: more than a replica takes to become one. */
const OPEN_MS = 20_000;
/** Of the strings in an answer: RESP calls them by this letter. */
const AS_BYTES = { typeMapping: { ["$".charCodeAt(0)]: Buffer } };
const WAIT_MS = 1_000;
/** How long it is believed that as many replicas follow a master as did, in ms. */
const FOLLOWED_MS = 1_000;

/** What was acknowledged of these is there after a fail-over; the others are made good by what time brings. */
const LASTING: ReadonlySet<string> = new Set([
  ...(["create", "admit", "settle", "revisit", "schedule", "post", "swap", "count", "recall"] satisfies Verb[]),
  ...["HSET", "HSETNX", "HDEL"],
]);

export class Connection implements AsyncDisposable {
  readonly calls = new Calls();
  readonly #client: Client;
  readonly #library = loadLibrary();
  #loading: Promise<void> | null = null;
  readonly #replicas: number;
  readonly #clock: Clock;
  readonly #log: Pick<Log, "warn">;
  readonly #patience: Patience;
  readonly #unconfirmed = new UnconfirmedCalls();
  readonly #difference: TimeDifference;
  /** By the address of a master: how many replicas followed it, and when. */
  readonly #following = new Map<string, { readonly count: number; readonly at: number }>();
  /** The round of WAIT that has not begun, and the one that goes on. */
  #nextRound: Promise<void> | null = null;
  #round: Promise<void> = Promise.resolve();

  private constructor(client: Client, options: ConnectionOptions) {
    const { replicas = 1, patienceMs = PATIENCE_MS, log = silentLog, clock = systemClock } = options;
    this.#client = client;
    this.#replicas = replicas;
    this.#clock = clock;
    this.#log = log;
    this.#patience = new Patience({ clock, log, ms: patienceMs });
    const wait = (work: () => Promise<void>) => this.#patience.wait(work);
    this.#difference = new TimeDifference({ clock, log, wait, ask: () => this.#time() });
    for (const event of ["node-connect", "node-reconnecting", "node-disconnect"])
      client.on(event, () => this.#unconfirmed.broken());
  }

  /** @throws ClusterError when nobody is there, or when the cluster could lose or throw away what it was given. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { patienceMs = PATIENCE_MS } = options;
    const connection = new Connection(await connect(options, Math.min(patienceMs, OPEN_MS)), options);
    try {
      await connection.#patience.wait(() => connection.#check());
    } catch (cause) {
      await connection[Symbol.asyncDispose]();
      throw cause;
    }
    return connection;
  }

  /** By how much the cluster's time is ahead of this machine's, in ms; 0 when that is less than can be measured. */
  get aheadMs(): number {
    return this.#difference.aheadMs;
  }

  /** What time it is by the cluster, whatever this machine says. */
  get time(): Clock {
    return { now: () => this.#clock.now() + this.aheadMs, sleep: (ms, signal) => this.#clock.sleep(ms, signal) };
  }

  /** Grows when a connection breaks: what was answered before may have gone with a master, and been made again. */
  get epoch(): number {
    return this.#unconfirmed.epoch;
  }

  /** From now on no call waits for longer than so many ms for a master that is away. */
  limitPatience(ms: number): void {
    this.#patience.limit(ms);
  }

  /** How the masters stand, in order of their addresses. */
  masters(): Promise<readonly MasterStanding[]> {
    return this.#patience.wait(async () => {
      const found: MasterStanding[] = [];
      await this.#onMasters(async (address, ask) => {
        found.push(masterIn(address, String(await ask(["INFO"])), String(await ask(["CLUSTER", "NODES"]))));
      });
      return found.sort((a, b) => (a.address < b.address ? -1 : 1));
    });
  }

  /** A command by its first key. */
  command(key: string, words: readonly string[]): Promise<unknown> {
    return this.#make(words[0]!, key, () => this.#client.sendCommand(key, false, [...words]));
  }

  /** A command by its first key, whose answer has bytes in the place of texts. */
  bytes(key: string, words: readonly string[]): Promise<unknown> {
    return this.#make(words[0]!, key, () => this.#client.sendCommand(key, false, [...words], AS_BYTES));
  }

  /** Runs a verb on a key. `words` may depend on whether the answer to the same call may have been lost before. */
  run(verb: Verb, key: string, words: Words | ((isRepeated: boolean) => Words)): Promise<unknown> {
    const name = this.#library.functionOf(verb);
    let isRepeated = false;
    return this.#make(verb, key, async () => {
      const said = typeof words === "function" ? words(isRepeated) : words;
      isRepeated = true;
      const call = () => this.#client.sendCommand(key, false, ["FCALL", name, "1", key, ...said]);
      try {
        return await call();
      } catch (cause) {
        if (!isUnknown(cause)) throw cause;
        await this.#load();
      }
      try {
        return await call();
      } catch (cause) {
        throw isUnknown(cause) ? new Unanswered("a master does not have the functions of this Trawl yet") : cause;
      }
    });
  }

  /** Gives all masters the library; a slot may be on its way to one that is not among them yet. */
  #load(): Promise<void> {
    this.#loading ??= this.#onMasters(async (_, ask) => {
      await ask(["FUNCTION", "LOAD", "REPLACE", this.#library.text]);
    }).finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** Takes away all keys that a pattern of Redis fits. What is written meanwhile may be left. */
  async remove(pattern: string): Promise<void> {
    await this.#patience.wait(() =>
      this.#onMasters(async (_, ask) => {
        let cursor = "0";
        do {
          const [next, keys] = (await ask(["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"])) as [string, string[]];
          await Promise.all(keys.map((key) => ask(["UNLINK", key])));
          cursor = next;
        } while (cursor !== "0");
      }),
    );
  }

  /**
   * What this connection has written is with replicas, too: also what a master took along that died before they had it, if
   * it was to last. @throws ClusterError when that takes longer than patience does.
   */
  async replicated(): Promise<void> {
    if (this.#replicas === 0) return;
    // Calls are many, and one round speaks for all that was answered before it begins.
    this.#nextRound ??= this.#round.then(() => {
      this.#nextRound = null;
      const round = this.calls.count("WAIT", () => this.#unconfirmed.confirm(() => this.#waitForReplicas()));
      this.#round = round.catch(() => {});
      return round;
    });
    await this.#nextRound;
  }

  /** An answer that stands: no master that has died since took along what it was about. The work may be done again. */
  async lasting<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      const { epoch } = this.#unconfirmed;
      const answer = await work();
      await this.replicated();
      if (this.#unconfirmed.epoch === epoch) return answer;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#patience.close();
    await this.#difference[Symbol.asyncDispose]();
    this.#client.destroy();
    // Where it was looking round it goes on with that, and makes connections anew, which would keep the process for ever.
    for (const event of ["node-connect", "node-reconnecting"]) this.#client.on(event, () => this.#client.destroy());
  }

  #make<T>(name: string, key: string, work: () => Promise<T>): Promise<T> {
    const counted = (tries: () => Promise<T>) => this.calls.count(name, () => this.#patience.wait(tries));
    if (!LASTING.has(name) || this.#replicas === 0) return counted(work);
    return this.#unconfirmed.make(
      key,
      (begun) =>
        counted(() => {
          begun();
          return work();
        }),
      () => this.#patience.wait(work),
    );
  }

  #waitForReplicas(): Promise<void> {
    return this.#patience.wait(() =>
      this.#onMasters(async (address, ask) => {
        const wanted = Math.min(this.#replicas, await this.#followingOf(address, ask));
        if (wanted === 0) return;
        const reached = Number(await ask(["WAIT", String(wanted), String(WAIT_MS)]).catch(noLonger(address)));
        if (reached < wanted) throw new Unanswered(`the replicas of ${address} do not keep up`);
      }).catch(async (cause) => {
        this.#following.clear();
        if (cause instanceof Demoted) {
          // It may have given up what it had not sent on; and of who is master now only a call about a key of his would tell.
          this.#unconfirmed.broken();
          await this.#client._slots.rediscover();
        }
        throw cause;
      }),
    );
  }

  async #followingOf(address: string, ask: Ask): Promise<number> {
    const now = this.#clock.now();
    const known = this.#following.get(address);
    if (known !== undefined && now - known.at < FOLLOWED_MS) return known.count;
    const [role, , following] = (await ask(["ROLE"])) as [string, unknown, unknown];
    if (role !== "master") throw new Demoted(address);
    const count = (following as readonly unknown[]).length;
    this.#following.set(address, { count, at: now });
    return count;
  }

  async #check(): Promise<void> {
    if (this.#client.masters.length === 0) throw new ClusterError("away", UNMADE);
    await this.#onMasters(async (address, ask) => {
      const info = String(await ask(["INFO"]));
      mustBeFit(address, info);
      const replicas = replicasIn(info);
      if (replicas < this.#replicas) this.#log.warn({ master: address, replicas }, "frontier-unreplicated");
    });
    await this.#difference.measure();
    this.#difference.watch();
  }

  /** That of the master of the first slot: one clock for all crawlers. */
  async #time(): Promise<readonly [seconds: string, microseconds: string]> {
    const shard = this.#client.slots[0];
    if (shard === undefined) throw new Unanswered("no master has the first slot");
    const client = await this.#client.nodeClient(shard.master);
    return (await client.sendCommand(["TIME"])) as [string, string];
  }

  async #onMasters(work: (address: string, ask: Ask) => Promise<void>): Promise<void> {
    if (this.#client.masters.length === 0) throw new Unanswered("no master is known");
    await Promise.all(
      this.#client.masters.map(async (master) => {
        const client = await this.#client.nodeClient(master);
        await work(master.address, (words) => client.sendCommand(words));
      }),
    );
  }
}

type Ask = (words: string[]) => Promise<unknown>;

const isUnknown = (cause: unknown): boolean => (cause as Error).message.startsWith("ERR Function not found");

/** Of a node that another has taken the place of. */
class Demoted extends Unanswered {
  constructor(address: string) {
    super(`${address} is no master any longer`);
  }
}

/** For what only a master does. */
const noLonger = (address: string) => (cause: Error) => {
  throw /^ERR WAIT cannot be used with replica/.test(cause.message) ? new Demoted(address) : cause;
};
