/** A short list holds those of most cash of what was offered to it, and gives the best first. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SHORT_LIST } from "../../../src/model/link.ts";
import { ShortLists } from "../../../src/store/embedded/short-lists.ts";

type Place = { readonly id: number; readonly level: number };

/** The best, in order: most cash first, of equals the one admitted first. */
const best = (places: readonly Place[]): Place[] =>
  places.toSorted((a, b) => b.level - a.level || a.id - b.id).slice(0, SHORT_LIST);

describe("short lists", () => {
  const step = fc.record({
    list: fc.nat(2),
    what: fc.constantFrom("offer", "offer", "raise", "leave", "shift"),
    which: fc.nat(40),
    level: fc.integer({ min: 1, max: 6 }),
  });

  it("hold the best of what was offered and raised, each its own", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const lists = new ShortLists();
        const numbers = [0, 1, 2].map(() => lists.make());
        const models: Place[][] = [[], [], []];
        let newest = 0;
        for (const { list: nth, what, which, level } of steps) {
          const list = numbers[nth]!;
          const model = models[nth]!;
          const there = model[which % Math.max(model.length, 1)];
          if (what === "offer") {
            newest++;
            lists.offer(list, newest, level);
            models[nth] = best([...model, { id: newest, level }]);
          } else if (what === "raise") {
            const one = there ?? { id: ++newest, level: 1 };
            const risen = { id: one.id, level: one.level + level };
            lists.raise(list, risen.id, risen.level);
            models[nth] = best([...model.filter(({ id }) => id !== one.id), risen]);
          } else if (what === "leave") {
            const id = there?.id ?? newest + 1;
            lists.leave(list, id);
            models[nth] = model.filter((place) => place.id !== id);
          } else if (!lists.isEmpty(list)) {
            assert.equal(lists.peek(list), model[0]!.id);
            assert.equal(lists.shift(list), model.shift()!.id);
          }
          assert.equal(lists.isEmpty(list), models[nth]!.length === 0);
        }
        models.forEach((model, nth) => {
          for (const { id } of model) assert.equal(lists.shift(numbers[nth]!), id);
          assert.ok(lists.isEmpty(numbers[nth]!));
        });
      }),
    );
  });

  it("keep what they hold when there have to be more of them, and give numbers again that are free", () => {
    const lists = new ShortLists();
    const numbers = Array.from({ length: 1_000 }, () => lists.make());
    for (const [nth, list] of numbers.entries()) lists.offer(list, nth + 1, (nth % 9) + 1);
    for (const [nth, list] of numbers.entries()) assert.equal(lists.shift(list), nth + 1);
    for (const list of numbers) lists.remove(list);
    const again = numbers.map(() => lists.make());
    assert.deepEqual(new Set(again), new Set(numbers));
    for (const list of again) assert.ok(lists.isEmpty(list));
  });
});
