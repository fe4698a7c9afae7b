/** Whatever is done to them, in whatever order, restarts included: the two back ends answer alike. */
import { it } from "node:test";
import fc from "fast-check";
import type { SeenKind } from "../../src/dedup/seen-kinds.ts";
import type { FirstCash } from "../../src/model/link.ts";
import type { Backend } from "../../src/ports/frontier.ts";
import {
  assertAlike,
  MODEL_OPTIONS,
  type Operation,
  operations,
  Player,
  played,
} from "../conformance/frontier-model.ts";
import { type Store, World } from "../conformance/frontier-world.ts";
import { embeddedStore, memoryStore } from "./stores.ts";

const firstCash: FirstCash = ({ source }) => (source === "listed" ? 1 : 0);

type ComingBack =
  | { readonly do: "revisit"; readonly urls: readonly { readonly id: number; readonly priority: number }[] }
  | { readonly do: "schedule"; readonly urls: readonly { readonly id: number; readonly dueAt: number | null }[] }
  | { readonly do: "due"; readonly until: number; readonly max: number };

/** The first ids are those that are most likely to have ended. */
const id = fc.oneof(fc.nat(12), fc.nat(150));
const one = fc.record({ id, priority: fc.constantFrom(0, 0, 1, 4) });
const returns = fc.oneof(
  fc.array(one, { maxLength: 9 }),
  // All that have ended, so that there are more than are held in memory.
  fc.nat(1).map((priority) => Array.from({ length: 400 }, (_, i) => ({ id: i + 1, priority }))),
);
const schedules = fc.array(fc.record({ id, dueAt: fc.oneof(fc.constant(null), fc.nat(50)) }), { maxLength: 9 });
const all = played<Operation | ComingBack>([
  ...operations(fc.oneof(fc.constant(null), fc.nat(50)), 80),
  { weight: 4, arbitrary: fc.record({ do: fc.constant("revisit"), urls: returns }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("schedule"), urls: schedules }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("due"), until: fc.nat(50), max: fc.nat(9) }) },
]);

/** Of back ends where URLs come back. */
class FullPlayer extends Player<Backend> {
  override play(op: Operation | ComingBack): Promise<unknown> {
    const { backend } = this.world;
    switch (op.do) {
      case "revisit":
        return backend.revisit(op.urls);
      case "schedule":
        return backend.schedule(op.urls);
      case "due":
        return backend.due(op.until, op.max);
      default:
        return super.play(op);
    }
  }

  override async view(): Promise<object> {
    return { ...(await super.view()), nextDueAt: await this.world.backend.nextDueAt() };
  }
}

const seen = fc.constantFrom<SeenKind>("exact", "exact", "bloom", "bloom+exact");

for (const [hostConcurrency, hostShare] of [
  [1, 1],
  [3, 3],
  [4, 2],
] as const)
  it(`memory and embedded answer alike, step by step, ${hostConcurrency} at a time, ${hostShare} while others wait`, async () => {
    await fc.assert(
      fc.asyncProperty(all, seen, async (ops, kind) => {
        const cash = kind === "bloom" ? {} : { firstCash }; // which knows no ids, so that links cannot give any
        const options = { ...MODEL_OPTIONS, hostConcurrency, hostShare, ...cash };
        const play = async (store: Store) => new FullPlayer(await World.open(store, options));
        await assertAlike([await play(embeddedStore(kind)), await play(memoryStore())], ops);
      }),
      { seed: 7, numRuns: 60 },
    );
  });
