/** The back end in Redis keeps the promises of the port but for cash and for what comes back (8, 9, 10), in a real cluster. */
import { after, before } from "node:test";
import { plainConformance } from "../../conformance/frontier.ts";
import { type ClusterBench, clusterBench, clusterStore } from "./store.ts";

let cluster: ClusterBench;
before(async () => {
  cluster = await clusterBench();
});
after(() => cluster[Symbol.asyncDispose]());

plainConformance("cluster", () => clusterStore(() => cluster));
