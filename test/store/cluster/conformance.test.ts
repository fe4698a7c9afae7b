/** The back end in Redis keeps the promises of the port but for cash and for what comes back (8, 9, 10), in a real cluster. */
import { after, before } from "node:test";
import { plainConformance } from "../../conformance/frontier.ts";
import { type RedisCluster, redisCluster } from "../../services/redis-cluster.ts";
import { clusterStore } from "./store.ts";

let cluster: RedisCluster;
before(async () => {
  cluster = await redisCluster();
});
after(() => cluster[Symbol.asyncDispose]());

plainConformance("cluster", () => clusterStore(() => cluster));
