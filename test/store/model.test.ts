/** Whatever is done to them, in whatever order, restarts included: the two back ends answer alike. */
import { it } from "node:test";
import fc from "fast-check";
import type { SeenKind } from "../../src/dedup/seen-kinds.ts";
import type { FirstCash } from "../../src/model/link.ts";
import { assertAlike, MODEL_OPTIONS } from "../conformance/frontier-model.ts";
import { allOperations, FullPlayer } from "../conformance/frontier-returns.ts";
import { type Store, World } from "../conformance/frontier-world.ts";
import { embeddedStore, memoryStore } from "./stores.ts";

const firstCash: FirstCash = ({ source }) => (source === "listed" ? 1 : 0);

const seen = fc.constantFrom<SeenKind>("exact", "exact", "bloom", "bloom+exact");

for (const [hostConcurrency, hostShare] of [
  [1, 1],
  [3, 3],
  [4, 2],
] as const)
  it(`memory and embedded answer alike, step by step, ${hostConcurrency} at a time, ${hostShare} while others wait`, async () => {
    await fc.assert(
      fc.asyncProperty(allOperations(80), seen, async (ops, kind) => {
        const cash = kind === "bloom" ? {} : { firstCash }; // which knows no ids, so that links cannot give any
        const options = { ...MODEL_OPTIONS, hostConcurrency, hostShare, ...cash };
        const play = async (store: Store) => new FullPlayer(await World.open(store, options));
        await assertAlike([await play(embeddedStore(kind)), await play(memoryStore())], ops);
      }),
      { seed: 7, numRuns: 60 },
    );
  });
