/** A slot on its way from one master of a cluster to another, as `redis-cli --cluster rebalance` moves it: key by key. */
import { createClient } from "@redis/client";
import type { RedisCluster, RedisNode } from "./redis-cluster.ts";

const AS_BYTES = { typeMapping: { ["$".charCodeAt(0)]: Buffer } };
const MOST_KEYS = "10000";

export interface MovingSlot {
  /** Keys that are still with the master that had all, in the order of their bytes: what names a shard is before all else of it. */
  left(): Promise<readonly Buffer[]>;
  move(keys: readonly Buffer[]): Promise<void>;
  /** Moves what is left, and tells all masters who has the slot now. */
  finish(): Promise<void>;
}

/** Begins to move the slot of a key; nothing has been moved when it resolves. */
export async function movingSlot({ nodes, ask }: RedisCluster, key: string): Promise<MovingSlot> {
  const slot = await ask(nodes[0]!, "CLUSTER", "KEYSLOT", key);
  const masters: RedisNode[] = [];
  for (const node of nodes) if ((await ask(node, "ROLE")).startsWith("master")) masters.push(node);
  let from: RedisNode | undefined;
  for (const node of masters) if ((await ask(node, "CLUSTER", "COUNTKEYSINSLOT", slot)) !== "0") from = node;
  if (from === undefined) throw new Error(`no master has anything of ${key}`);
  const source = from;
  const to = masters.find((node) => node !== source)!;
  const [fromId, toId] = [await ask(source, "CLUSTER", "MYID"), await ask(to, "CLUSTER", "MYID")];
  await ask(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", fromId);
  await ask(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", toId);

  // Keys are bytes, which a command line cannot carry.
  async function say(words: readonly (string | Buffer)[]): Promise<unknown> {
    const client = createClient({ socket: source });
    await client.connect();
    try {
      return await client.sendCommand(words, AS_BYTES);
    } finally {
      client.destroy();
    }
  }
  const self: MovingSlot = {
    async left() {
      return ((await say(["CLUSTER", "GETKEYSINSLOT", slot, MOST_KEYS])) as Buffer[]).sort(Buffer.compare);
    },
    async move(keys) {
      for (const one of keys) await say(["MIGRATE", to.host, String(to.port), one, "0", "5000"]);
    },
    async finish() {
      for (let keys = await self.left(); keys.length > 0; keys = await self.left()) await self.move(keys);
      for (const node of [to, ...masters.filter((one) => one !== to)])
        await ask(node, "CLUSTER", "SETSLOT", slot, "NODE", toId);
    },
  };
  return self;
}
