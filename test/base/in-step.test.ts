import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ahead, inStep } from "../../src/base/in-step.ts";

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when it is told to, in any order. */
function bench() {
  const ends = new Map<number, () => void>();
  const begun: number[] = [];
  const work = (n: number): Promise<string> => {
    begun.push(n);
    return new Promise((resolve) => ends.set(n, () => resolve(`made of ${n}`)));
  };
  return { begun, work, end: (n: number) => ends.get(n)!() };
}

describe("work ahead", () => {
  it("is given in order, whatever ends first, with no more under way than is said", async () => {
    const { begun, work, end } = bench();
    const results = ahead([1, 2, 3, 4], 2, work);
    const first = results.next();
    await soon();
    assert.deepEqual(begun, [1, 2]);
    end(2);
    await soon();
    assert.deepEqual(begun, [1, 2]);
    end(1);
    assert.equal((await first).value, "made of 1");
    assert.equal((await Promise.all([results.next(), soon()]))[0].value, "made of 2");
    assert.deepEqual(begun, [1, 2, 3]);
    const third = results.next();
    await soon();
    for (const n of [3, 4]) end(n);
    assert.equal((await third).value, "made of 3");
    assert.equal((await results.next()).value, "made of 4");
    assert.equal((await results.next()).done, true);
  });

  it("throws what went wrong when its turn comes, and begins nothing more", async () => {
    const begun: number[] = [];
    const got: number[] = [];
    const all = ahead([1, 2, 3, 4, 5, 6], 3, async (n) => {
      begun.push(n);
      if (n >= 2) throw new Error(`no ${n}`);
      return n;
    });
    await assert.rejects(async () => {
      for await (const n of all) got.push(n);
    }, /no 2/);
    assert.deepEqual([got, begun], [[1], [1, 2, 3, 4]]);
  });
});

describe("work in step", () => {
  it("is done for each, so many at a time", async () => {
    let [now, most, done] = [0, 0, 0];
    await inStep([1, 2, 3, 4, 5], 2, async () => {
      most = Math.max(most, ++now);
      await soon();
      now--;
      done++;
    });
    assert.deepEqual([most, done], [2, 5]);
  });
});
