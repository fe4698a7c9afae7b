import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { pageRank, RANK_RULES } from "../../src/export/page-rank.ts";

/** Links of pages 1..size, handed out in pieces of `piece` pairs. */
const stream = (pairs: readonly (readonly [number, number])[], piece = 3) =>
  async function* () {
    for (let at = 0; at < pairs.length; at += piece) yield Uint32Array.from(pairs.slice(at, at + piece).flat());
  };

const upTo = (last: number) => ({ last, count: last, has: () => true });

const near = (found: number, wanted: number, within = 1e-4) =>
  assert.ok(Math.abs(found - wanted) < within, `${found}, not ${wanted}`);

describe("the ranks of pages", () => {
  it("are those of the textbook: four pages, one without links out", async () => {
    // The example of Wikipedia's "PageRank" with B, C, D linking to A, and nothing else: A gets what they all give.
    const { rank, inLinks, outLinks } = await pageRank(
      upTo(4),
      stream([
        [2, 1],
        [3, 1],
        [4, 1],
      ]),
    );
    const leaf = rank[2]!;
    near(rank[1]!, leaf + 0.85 * 3 * leaf);
    near(rank[1]! + 3 * leaf, 1);
    assert.deepEqual([...inLinks], [0, 3, 0, 0, 0]);
    assert.deepEqual([...outLinks], [0, 0, 1, 1, 1]);
  });

  it("are the same whatever numbers the pages have: one that is no page's has no rank", async () => {
    const pairs = [
      [1, 2],
      [1, 3],
      [3, 1],
    ] as const;
    const { rank } = await pageRank(upTo(3), stream(pairs));
    const apart = { last: 9, count: 3, has: (id: number) => id % 3 === 0 };
    const spread = await pageRank(apart, stream(pairs.map(([from, to]) => [from * 3, to * 3])));
    assert.deepEqual([...spread.rank], [0, 0, 0, rank[1], 0, 0, rank[2], 0, 0, rank[3]]);
  });

  it("are equal on a ring", async () => {
    const { rank } = await pageRank(
      upTo(5),
      stream([
        [1, 2],
        [2, 3],
        [3, 4],
        [4, 5],
        [5, 1],
      ]),
    );
    for (let id = 1; id <= 5; id++) near(rank[id]!, 0.2);
  });

  it("add up to one, and are the fixed point of their own definition", async () => {
    const size = 12;
    const id = fc.integer({ min: 1, max: size });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.tuple(id, id), { maxLength: 60, selector: String }), async (pairs) => {
        const { rank, outLinks } = await pageRank(upTo(size), stream(pairs), { ...RANK_RULES, tolerance: 1e-10 });
        let sum = 0;
        let dangling = 0;
        for (let at = 1; at <= size; at++) {
          sum += rank[at]!;
          if (outLinks[at] === 0) dangling += rank[at]!;
        }
        near(sum, 1, 1e-9);
        for (let to = 1; to <= size; to++) {
          let given = dangling / size;
          for (const [from, target] of pairs) if (target === to) given += rank[from]! / outLinks[from]!;
          near(rank[to]!, 0.15 / size + 0.85 * given, 1e-8);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("stop after the rounds they are given", async () => {
    const seen: number[] = [];
    const pairs = stream([
      [1, 2],
      [2, 1],
      [1, 3],
    ]);
    const { rounds } = await pageRank(upTo(3), pairs, { ...RANK_RULES, maxRounds: 2 }, (round) => seen.push(round));
    assert.equal(rounds, 2);
    assert.deepEqual(seen, [1, 2]);
  });
});
