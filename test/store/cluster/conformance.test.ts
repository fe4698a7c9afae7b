/** The back end in Redis keeps the promises of the port, in a real cluster. */
import { after, before } from "node:test";
import { frontierConformance } from "../../conformance/frontier.ts";
import { type ClusterBench, clusterBench, clusterStore } from "./store.ts";

let cluster: ClusterBench;
before(async () => {
  cluster = await clusterBench();
});
after(() => cluster[Symbol.asyncDispose]());

frontierConformance("cluster", () => clusterStore(() => cluster));
