/** Random operations on back ends where URLs come back (ports/revisits), beside those of every frontier. */
import fc from "fast-check";
import type { Backend } from "../../src/ports/frontier.ts";
import { type Operation, operations, Player, played } from "./frontier-model.ts";

export type ComingBack =
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
/** `visits`: so many are leased and ended in a row, at most. */
export const allOperations = (visits: number): fc.Arbitrary<(Operation | ComingBack)[]> =>
  played<Operation | ComingBack>([
    ...operations(fc.oneof(fc.constant(null), fc.nat(50)), visits),
    { weight: 4, arbitrary: fc.record({ do: fc.constant("revisit"), urls: returns }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("schedule"), urls: schedules }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("due"), until: fc.nat(50), max: fc.nat(9) }) },
  ]);

/** Of back ends where URLs come back. */
export class FullPlayer extends Player<Backend> {
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
