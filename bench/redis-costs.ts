/** What Redis says of itself: its CPU time, what it was asked to do, which verbs that was, and what its keys take. */
import type { Connection } from "../src/store/cluster/redis/connection.ts";
import { loadLibrary } from "../src/store/cluster/redis/scripts.ts";
import type { RedisCluster, RedisNode } from "../test/services/redis-cluster.ts";

export interface RedisCost {
  /** Of the thread that runs commands. */
  readonly cpuUs: number;
  /** By name; those that scripts call, too. */
  readonly calls: ReadonlyMap<string, { readonly calls: number; readonly us: number }>;
}

export async function costOf(cluster: RedisCluster, node: RedisNode): Promise<RedisCost> {
  const cpu = await info(cluster, node, "cpu");
  const calls = new Map<string, { calls: number; us: number }>();
  for (const [name, text] of await info(cluster, node, "commandstats")) {
    const [, count, us] = /calls=(\d+),usec=(\d+)/.exec(text)!;
    calls.set(name.slice("cmdstat_".length), { calls: Number(count), us: Number(us) });
  }
  const seconds = Number(cpu.get("used_cpu_user_main_thread")) + Number(cpu.get("used_cpu_sys_main_thread"));
  return { cpuUs: seconds * 1e6, calls };
}

/** In bytes. */
export async function memoryOf(cluster: RedisCluster, node: RedisNode): Promise<number> {
  return Number((await info(cluster, node, "memory")).get("used_memory"));
}

async function info(cluster: RedisCluster, node: RedisNode, section: string): Promise<Map<string, string>> {
  const lines = (await cluster.ask(node, "INFO", section)).split("\r\n");
  return new Map(lines.filter((line) => line.includes(":")).map((line) => line.split(/:(.*)/s, 2) as [string, string]));
}

/** Bytes of all keys of a cluster that has one master, by kind: the key without the crawl, and without numbers. */
export async function bytesByKind(
  connection: Connection,
  crawl: string,
): Promise<Map<string, { keys: number; bytes: number }>> {
  const kinds = new Map<string, { keys: number; bytes: number }>();
  let cursor = "0";
  do {
    const words = ["SCAN", cursor, "MATCH", `trawl:{${crawl}[:}]*`, "COUNT", "1000"];
    const [next, keys] = (await connection.command(crawl, words)) as [string, string[]];
    cursor = String(next);
    const sizes = await Promise.all(
      keys.map((key) => connection.command(key, ["MEMORY", "USAGE", key, "SAMPLES", "0"]) as Promise<number>),
    );
    for (const [nth, key] of keys.entries()) {
      const kind = key.slice(key.indexOf("}") + 1).replace(/\d.*$/s, "*");
      const sum = kinds.get(kind) ?? { keys: 0, bytes: 0 };
      kinds.set(kind, { keys: sum.keys + 1, bytes: sum.bytes + sizes[nth]! });
    }
  } while (cursor !== "0");
  return kinds;
}

const PREFIX = loadLibrary().functionOf("admit").slice(0, -"admit".length);
/** Shorter than any script: what scripts call is mostly not logged, which would cost more than it. */
const LOGGED_US = 8;
/** Of the log, at each look. */
const LOOKED_AT = 4_000;

/** Times the verbs of a cluster that has one master, by a sample of its log of slow commands, while `work` is done. */
export async function timedByVerb(
  connection: Connection,
  work: () => Promise<unknown>,
): Promise<Map<string, { calls: number; us: number }>> {
  const ask = (...words: string[]) => connection.command("any", words);
  const verbs = new Map<string, { calls: number; us: number }>();
  await ask("CONFIG", "SET", "slowlog-max-len", String(LOOKED_AT));
  await ask("CONFIG", "SET", "slowlog-log-slower-than", String(LOGGED_US));
  await ask("SLOWLOG", "RESET");
  let last = -1;
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const entries = (await ask("SLOWLOG", "GET", String(LOOKED_AT))) as [number, number, number, string[]][];
    for (const [id, , us, [, name]] of entries) {
      if (id <= last) continue;
      if (name?.startsWith(PREFIX) !== true) continue;
      const verb = name.slice(PREFIX.length);
      const sum = verbs.get(verb) ?? { calls: 0, us: 0 };
      verbs.set(verb, { calls: sum.calls + 1, us: sum.us + us });
    }
    last = entries[0]?.[0] ?? last;
  }
  await working;
  await ask("CONFIG", "SET", "slowlog-log-slower-than", "-1");
  return verbs;
}
