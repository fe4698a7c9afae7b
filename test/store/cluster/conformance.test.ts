/** The back end in Redis keeps the promises of the port, in a real cluster. */
import { after, before } from "node:test";
import { frontierConformance } from "../../conformance/frontier.ts";
import { type ClusterBench, clusterBench, clusterStore, rare } from "./store.ts";

let cluster: ClusterBench;
before(async () => {
  cluster = await clusterBench();
});
after(() => cluster[Symbol.asyncDispose]());

frontierConformance("cluster", () => clusterStore(() => cluster));
for (const kind of ["bloom", "scalable-bloom"] as const)
  frontierConformance(`cluster, seen: ${kind}`, () => clusterStore(() => cluster, { seen: rare(kind) }), {
    countsLinks: false,
  });
