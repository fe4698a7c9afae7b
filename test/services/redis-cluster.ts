/** A private Redis Cluster on loopback: unless told otherwise three masters with a replica each, that fail over in about a second. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findCommand, need } from "./command.ts";

const run = promisify(execFile);

/** Those that users are given. */
const SETTINGS = join(import.meta.dirname, "../../deploy/redis.conf");
/** The most that one cluster has. */
const NODES = 6;
const SLOTS = 16_384;
/** A master that does not answer for so long has failed, in ms. */
const NODE_TIMEOUT_MS = 1_000;
const PATIENCE_MS = 60_000;
/** Of the first node; Redis itself speaks 10,000 above. Neither is a port that the system gives to connections. */
const FIRST_PORT = 7_001;

/** An address of this process alone, so that no port there is anyone else's: there are 2^24 on loopback. */
const ADDRESS = `127.${1 + ((process.pid >> 16) & 127)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;
let clusters = 0;

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface RedisCluster extends AsyncDisposable {
  /** The masters as the cluster began, then a replica of each. */
  readonly nodes: readonly RedisNode[];
  /** What redis-cli answers. */
  ask(node: RedisNode, ...words: readonly string[]): Promise<string>;
  /** Ends a node with SIGKILL; resolves when all slots are served again, by its replica if it was a master. */
  kill(node: RedisNode): Promise<void>;
  /** Stops a node (SIGSTOP), and lets it go on: until then its connections stand, and nothing comes of them. */
  pause(node: RedisNode): void;
  resume(node: RedisNode): void;
  /** Starts a node that was killed, with what it had on its disk. */
  start(node: RedisNode): Promise<void>;
}

export interface RedisClusterOptions {
  /** More words of the configuration, for all nodes. */
  readonly settings?: readonly string[];
  /** 3 unless told. */
  readonly masters?: number;
  /** Of each master: 1 unless told, or 0. */
  readonly replicas?: 0 | 1;
  /** A program that runs the server, and its words: a debugger. */
  readonly under?: readonly string[];
}

/** Throws `MissingService` when Redis cannot be installed. */
export async function redisCluster({
  settings = [],
  masters: count = 3,
  replicas = 1,
  under = [],
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const server = await need("Redis", ["redis-server"], () => findCommand("redis-server"));
  const client = await need("redis-cli", ["redis-tools"], () => findCommand("redis-cli"));
  const dir = await mkdtemp(join(tmpdir(), "redis-cluster-"));
  const running = new Map<number, ChildProcess>();
  const nodes: RedisNode[] = [];

  const ask = async ({ host, port }: RedisNode, ...words: readonly string[]): Promise<string> =>
    (await run(client, ["-h", host, "-p", String(port), ...words], { timeout: PATIENCE_MS })).stdout.trim();

  async function start(node: RedisNode): Promise<void> {
    const home = join(dir, String(node.port));
    await mkdir(home, { recursive: true });
    const words = [
      ...[SETTINGS, "--port", String(node.port), "--bind", node.host, "--cluster-announce-ip", node.host],
      ...["--dir", home, "--logfile", join(home, "log"), "--cluster-node-timeout", String(NODE_TIMEOUT_MS)],
      ...["--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0", ...settings],
    ];
    const [program, ...before] = [...under, server];
    const child = spawn(program!, [...before, ...words], { stdio: "ignore" });
    running.set(node.port, child);
    await until(`Redis at port ${node.port}`, async () => {
      if (child.exitCode !== null) {
        const said = await readFile(join(home, "log"), "utf8").catch(() => "");
        throw new Error(`Redis did not start: ${said.trim().slice(-500) || "no word of it"}`);
      }
      return (await ask(node, "PING").catch(() => "")) === "PONG";
    });
  }

  /** All slots served, and every master with a replica that follows, as each of the living sees it. */
  async function whole(withReplicas: boolean): Promise<void> {
    const living = nodes.filter(({ port }) => running.has(port));
    for (const node of living)
      await until(`the cluster as ${node.port} sees it`, async () => {
        const info = await ask(node, "CLUSTER", "INFO").catch(() => "");
        return info.includes("cluster_state:ok") && info.includes(`cluster_slots_ok:${SLOTS}`);
      });
    if (!withReplicas) return;
    for (const node of living)
      await until(`a replica of ${node.port}`, async () => {
        const info = await ask(node, "INFO", "replication").catch(() => "");
        return info.includes("role:slave")
          ? info.includes("master_link_status:up")
          : /slave0:.*state=online/.test(info);
      });
  }

  async function end(port: number, signal: NodeJS.Signals): Promise<void> {
    const child = running.get(port);
    running.delete(port);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  const self: RedisCluster = {
    nodes,
    ask,
    async kill(node) {
      await end(node.port, "SIGKILL");
      await sleep(NODE_TIMEOUT_MS); // until then all others believe that it lives
      await whole(false);
    },
    pause: ({ port }) => void running.get(port)?.kill("SIGSTOP"),
    resume: ({ port }) => void running.get(port)?.kill("SIGCONT"),
    async start(node) {
      await start(node);
      await whole(true);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running.keys()].map((port) => end(port, "SIGKILL")));
      await rm(dir, { recursive: true, force: true });
    },
  };
  try {
    const first = FIRST_PORT + NODES * clusters++;
    for (let nth = 0; nth < count * (1 + replicas); nth++) nodes.push({ host: ADDRESS, port: first + nth });
    await Promise.all(nodes.map(start));
    const masters = nodes.slice(0, count);
    for (const [nth, node] of masters.entries()) {
      const [from, to] = [nth, nth + 1].map((one) => Math.floor((one * SLOTS) / count)) as [number, number];
      await ask(node, "CLUSTER", "ADDSLOTSRANGE", String(from), String(to - 1));
      await ask(node, "CLUSTER", "SET-CONFIG-EPOCH", String(nth + 1));
    }
    for (const node of nodes.slice(1)) await ask(nodes[0]!, "CLUSTER", "MEET", node.host, String(node.port));
    await whole(false);
    for (const [nth, replica] of nodes.slice(count).entries()) {
      const id = await ask(masters[nth]!, "CLUSTER", "MYID");
      await until("a replica", async () => (await ask(replica, "CLUSTER", "REPLICATE", id)) === "OK");
    }
    await whole(replicas > 0);
    return self;
  } catch (cause) {
    await self[Symbol.asyncDispose]();
    throw cause;
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} is not there after ${PATIENCE_MS} ms`);
    await sleep(30);
  }
}
