/** The cluster's back end as the conformance suite wants it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryBlobs } from "../../../src/blobs/directory.ts";
import { type ClusterOptions, openCluster } from "../../../src/store/cluster/backend.ts";
import { Connection, type ConnectionOptions } from "../../../src/store/cluster/connection.ts";
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

/** A crawl of its own in a cluster that others use too. A crash is that its crawler says no more. */
export function clusterStore(bench: () => ClusterBench, shards = 1): Store {
  const name = `crawl-${++crawls}`;
  return {
    open: (options) => openCluster(bench().connection, { ...options, blobs: bench().blobs(name), name, shards }),
    crash() {},
    close() {},
  };
}
