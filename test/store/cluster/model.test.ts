/** Whatever is done to them, in whatever order: the back end in Redis answers as the one in memory. */
import { after, before, it } from "node:test";
import fc from "fast-check";
import { assertAlike, MODEL_OPTIONS } from "../../conformance/frontier-model.ts";
import { allOperations, FullPlayer } from "../../conformance/frontier-returns.ts";
import { type Store, World } from "../../conformance/frontier-world.ts";
import { memoryStore } from "../stores.ts";
import { type ClusterBench, clusterBench, clusterStore } from "./store.ts";

let cluster: ClusterBench;
before(async () => {
  cluster = await clusterBench();
});
after(() => cluster[Symbol.asyncDispose]());

/** Each visit is several ways to the cluster and back. */
const VISITS = 12;
const DRAINED = 30;

for (const [hostConcurrency, hostShare, losesAnswers] of [
  [1, 1, false],
  [4, 2, true],
] as const)
  it(`memory and cluster answer alike, step by step, ${hostConcurrency} at a time, ${hostShare} while others wait${losesAnswers ? ", each call made twice" : ""}`, async () => {
    await fc.assert(
      fc.asyncProperty(allOperations(VISITS), async (ops) => {
        const options = { ...MODEL_OPTIONS, hostConcurrency, hostShare };
        const play = async (store: Store) => new FullPlayer(await World.open(store, options));
        await assertAlike(
          [await play(clusterStore(() => cluster, { losesAnswers })), await play(memoryStore())],
          ops,
          DRAINED,
        );
      }),
      { seed: 7, numRuns: 8, endOnFailure: true },
    );
  });
