/** The cluster's back end as the conformance suite wants it. */
import type { FrontierState } from "../../../src/ports/frontier.ts";
import { openCluster } from "../../../src/store/cluster/backend.ts";
import type { Store } from "../../conformance/frontier-world.ts";
import type { RedisCluster } from "../../services/redis-cluster.ts";

let crawls = 0;

/** A crawl of its own in a cluster that others use too. A crash is that its crawler says no more. */
export function clusterStore(cluster: () => RedisCluster): Store<FrontierState> {
  const name = `crawl-${++crawls}`;
  return {
    open: (options) => openCluster({ ...options, nodes: cluster().nodes, name, shards: 4, buckets: 4 }),
    crash() {},
    close() {},
  };
}
