/** The way to a Redis Cluster: commands and scripts by key, patience while a master fails over, and proof that replicas follow. */
import { setTimeout as sleep } from "node:timers/promises";
import { ClusterError } from "./errors.ts";
import { loadScripts, type Verb } from "./scripts.ts";

export interface ClusterAddress {
  readonly host: string;
  readonly port: number;
}

export interface ConnectionOptions {
  /** Some nodes of the cluster; the others are found by them. */
  readonly nodes: readonly ClusterAddress[];
  /** Null, or left out: nobody is asked who he is. An empty user is Redis' own. */
  readonly credentials?: { readonly user: string; readonly password: string } | null;
  readonly tls?: boolean;
  /**
   * So many replicas have what was acknowledged, or as many as follow the master if these are fewer: one that has none left
   * goes on alone, with its log. 1 unless told. 0: a master that dies takes the last moments along.
   */
  readonly replicas?: number;
  /** How long a call waits for a master that is away, in ms, before it fails. */
  readonly patienceMs?: number;
}

/** Of a command: text, or bytes. */
export type Word = string | Buffer;
type Words = readonly Word[];

type Client = Awaited<ReturnType<typeof connect>>;

const PATIENCE_MS = 60_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
/** Once a master does not answer, it is asked so soon who has taken its place, in ms. */
const LOOK_ROUND_MS = 200;
/** Of the strings in an answer: RESP calls them by this letter. */
const AS_BYTES = { typeMapping: { ["$".charCodeAt(0)]: Buffer } };
const CONNECT_MS = 5_000;
const WAIT_MS = 1_000;

/** What says that the answer may be another in a moment: a fail-over, a restart, a connection that broke. */
const PASSES = /^(CLUSTERDOWN|TRYAGAIN|LOADING|MASTERDOWN|MOVED|ASK|READONLY|UNBLOCKED)\b/;
const BROKEN = /socket|connection|timeout|closed|ECONN|EPIPE|redirection|reconnect|disconnect/i;

async function connect({ nodes, credentials = null, tls = false }: ConnectionOptions) {
  const { createCluster } = await import("@redis/client").catch((cause) => {
    const words = "a frontier in Redis needs its client: install it with npm install @redis/client";
    throw new ClusterError("missing", words, cause);
  });
  const secured = tls ? ({ tls } as const) : {};
  const client = createCluster({
    rootNodes: nodes.map(({ host, port }) => ({ socket: { host, port, connectTimeout: CONNECT_MS, ...secured } })),
    defaults: {
      socket: { connectTimeout: CONNECT_MS, reconnectStrategy: () => LOOK_ROUND_MS, ...secured },
      ...(credentials !== null && {
        password: credentials.password,
        ...(credentials.user !== "" && { username: credentials.user }),
      }),
    },
    topologyRefreshOnReconnectionAttemptStrategy: LOOK_ROUND_MS,
  });
  client.on("error", () => {}); // each call says for itself what it met
  await client.connect();
  return client;
}

export class Connection implements AsyncDisposable {
  readonly #client: Client;
  readonly #scripts = loadScripts();
  readonly #replicas: number;
  readonly #patienceMs: number;

  private constructor(client: Client, { replicas = 1, patienceMs = PATIENCE_MS }: ConnectionOptions) {
    this.#client = client;
    this.#replicas = replicas;
    this.#patienceMs = patienceMs;
  }

  /** @throws ClusterError when nobody is there, or when the cluster could lose or throw away what it was given. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const names = options.nodes.map(({ host, port }) => `${host}:${port}`).join(", ");
    const client = await connect(options).catch((cause) => {
      if (cause instanceof ClusterError) throw cause;
      const words = `no Redis Cluster answers at ${names} (${cause.message}); check that it runs with cluster-enabled yes`;
      throw new ClusterError("away", words, cause);
    });
    const connection = new Connection(client, options);
    try {
      await connection.#check();
    } catch (cause) {
      await connection[Symbol.asyncDispose]();
      throw cause;
    }
    return connection;
  }

  /** A command by its first key. */
  command(key: string, words: readonly string[]): Promise<unknown> {
    return this.#patiently(() => this.#client.sendCommand(key, false, [...words]));
  }

  /** What a key holds that is no text. */
  bytes(key: string): Promise<Buffer | null> {
    return this.#patiently(() => this.#client.sendCommand<Buffer | null>(key, false, ["GET", key], AS_BYTES));
  }

  /** Runs a verb on a key. `words` may depend on whether the answer to the same call may have been lost before. */
  run(verb: Verb, key: string, words: Words | ((isRepeated: boolean) => Words)): Promise<unknown> {
    const { text, sha1 } = this.#scripts[verb];
    let isRepeated = false;
    return this.#patiently(async () => {
      const said = typeof words === "function" ? words(isRepeated) : words;
      isRepeated = true;
      const call = (how: string, what: string) => this.#client.sendCommand(key, false, [how, what, "1", key, ...said]);
      try {
        return await call("EVALSHA", sha1);
      } catch (cause) {
        if (!(cause as Error).message.startsWith("NOSCRIPT")) throw cause;
        return call("EVAL", text);
      }
    });
  }

  /** What this connection has written is with replicas, too. @throws ClusterError when that takes too long. */
  async replicated(): Promise<void> {
    if (this.#replicas === 0) return;
    await this.#patiently(() =>
      this.#onMasters(async (address, ask) => {
        const [, , following] = (await ask(["ROLE"])) as [string, unknown, readonly unknown[]];
        const wanted = Math.min(this.#replicas, following.length);
        if (wanted === 0) return;
        const reached = Number(await ask(["WAIT", String(wanted), String(WAIT_MS)]));
        if (reached < wanted) throw new Lagging(`the replicas of ${address} do not keep up`);
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy();
  }

  async #check(): Promise<void> {
    await this.#onMasters(async (address, ask) => {
      const [, policy] = pairOf(await ask(["CONFIG", "GET", "maxmemory-policy"]));
      if (policy !== "noeviction")
        throw new ClusterError(
          "refused",
          `Redis at ${address} throws keys away when its memory is full (maxmemory-policy ${policy}); set maxmemory-policy noeviction`,
        );
      const [, appends] = pairOf(await ask(["CONFIG", "GET", "appendonly"]));
      if (appends !== "yes")
        throw new ClusterError(
          "refused",
          `Redis at ${address} keeps no log of what it was given (appendonly ${appends}); set appendonly yes`,
        );
    });
  }

  async #onMasters(
    work: (address: string, ask: (words: string[]) => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      this.#client.masters.map(async (master) => {
        const client = await this.#client.nodeClient(master);
        await work(master.address, (words) => client.sendCommand(words));
      }),
    );
  }

  /** Again and again while a master is away. What is run must come to the same when it is run twice. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#patienceMs;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        return await work();
      } catch (cause) {
        const { message } = cause as Error;
        if (!passes(cause as Error)) throw cause;
        if (performance.now() > deadline)
          throw new ClusterError(
            "away",
            `the Redis Cluster does not answer (${message}); the same call may go well later`,
            cause,
          );
        await sleep(wait);
      }
    }
  }
}

/** A replica is connected, and yet has not what its master has. */
class Lagging extends Error {}

const passes = (cause: Error): boolean =>
  cause instanceof Lagging ||
  (!(cause instanceof ClusterError) && (PASSES.test(cause.message) || BROKEN.test(cause.message)));

/** The answer to CONFIG GET: a pair in RESP2, a map in RESP3. */
function pairOf(answer: unknown): [string, string] {
  if (Array.isArray(answer)) return [String(answer[0]), String(answer[1])];
  const [pair] = answer instanceof Map ? [...answer] : Object.entries(answer as object);
  return [String(pair?.[0]), String(pair?.[1])];
}
