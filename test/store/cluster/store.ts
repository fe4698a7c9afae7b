/** The cluster's back end as the conformance suite wants it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryBlobs } from "../../../src/blobs/directory.ts";
import { type ClusterOptions, openCluster } from "../../../src/store/cluster/backend.ts";
import { Connection, type ConnectionOptions } from "../../../src/store/cluster/redis/connection.ts";
import type { FilterChoice } from "../../../src/store/cluster/shards/seen-filter.ts";
import type { Store } from "../../conformance/frontier-world.ts";
import { type RedisCluster, redisCluster } from "../../services/redis-cluster.ts";

/** What the tests of one file share: a Redis Cluster, a connection to it, and a folder for blobs. */
export interface ClusterBench extends AsyncDisposable {
  readonly redis: RedisCluster;
  readonly connection: Connection;
  /** Of a crawl. */
  blobs(name: string): ClusterOptions["blobs"];
}

export async function clusterBench(options: Omit<ConnectionOptions, "nodes"> = {}): Promise<ClusterBench> {
  await using parts = new AsyncDisposableStack();
  const redis = parts.use(await redisCluster());
  const connection = parts.use(await Connection.open({ nodes: redis.nodes, ...options }));
  const dir = await mkdtemp(join(tmpdir(), "cluster-blobs-"));
  parts.defer(() => rm(dir, { recursive: true, force: true }));
  const all = parts.move();
  return {
    redis,
    connection,
    blobs: (name) => directoryBlobs(join(dir, name)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

let crawls = 0;

interface StoreOptions extends Pick<ClusterOptions, "shards" | "rowsInRedis" | "seen"> {
  readonly losesAnswers?: boolean;
}

/** So rarely wrong that it never is in a test. */
export const rare = (kind: FilterChoice["kind"]): FilterChoice => ({ kind, capacity: 1_000, error: 1e-12 });

/**
 * A crawl of its own in a cluster that others use too. A crash is that its crawler says no more. `losesAnswers`: the first
 * answer to each call of a verb never comes, and the call is made again.
 */
export function clusterStore(
  bench: () => ClusterBench,
  { shards = 1, losesAnswers = false, ...more }: StoreOptions = {},
): Store {
  const name = `crawl-${++crawls}`;
  const connection = () => (losesAnswers ? forgetful(bench().connection) : bench().connection);
  return {
    open: (options) => openCluster(connection(), { ...options, blobs: bench().blobs(name), name, shards, ...more }),
    crash() {},
    close() {},
  };
}

export function forgetful(connection: Connection): Connection {
  const run: Connection["run"] = async (verb, key, words) => {
    const of = (isRepeated: boolean) => (typeof words === "function" ? words(isRepeated) : words);
    await connection.run(verb, key, () => of(false));
    return connection.run(verb, key, () => of(true));
  };
  return new Proxy(connection, {
    get(target, name) {
      if (name === "run") return run;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
