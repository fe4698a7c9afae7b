/** A queue of ids is a FIFO, wherever its ids are: in memory or in chunks on disk. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { BLOCK, IdBlocks, NO_BLOCK } from "../../../src/store/embedded/id-blocks.ts";
import { ChunkedQueue, type ChunkStore, type Places } from "../../../src/store/embedded/queue.ts";
import type { Return } from "../../../src/store/embedded/returns.ts";

class Chunks implements ChunkStore {
  readonly kept = new Map<string, Uint32Array>();

  take(...key: [number, number, number]): Uint32Array {
    const ids = this.kept.get(key.join())!;
    this.kept.delete(key.join());
    return ids;
  }

  write(hostId: number, priority: number, seq: number, ids: Uint32Array): void {
    this.kept.set([hostId, priority, seq].join(), ids.slice());
  }

  returnsAfter(): readonly Return[] {
    return [];
  }
}

/** Nothing was raised to another class. */
const ALL: Places = { waits: () => true, leave: () => true };

describe("a queue of ids", () => {
  const step = fc.oneof(
    fc.record({ queue: fc.nat(2), push: fc.integer({ min: 1, max: 150 }) }),
    fc.record({ queue: fc.nat(2), shift: fc.integer({ min: 1, max: 150 }) }),
    fc.record({ queue: fc.nat(2), spill: fc.constant(true) }),
  );

  it("gives ids in the order in which it got them, beside others in the same blocks", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const chunks = new Chunks();
        const blocks = new IdBlocks();
        const queues = [1, 2, 3].map((host) => new ChunkedQueue(blocks, host, 0));
        const models: number[][] = [[], [], []];
        let id = 1;
        for (const one of steps) {
          const queue = queues[one.queue]!;
          const model = models[one.queue]!;
          if ("push" in one) {
            for (let i = 0; i < one.push; i++, id++) {
              queue.push(id);
              model.push(id);
            }
          } else if ("shift" in one) {
            for (let i = 0; i < one.shift; i++) assert.equal(queue.shift(chunks, ALL), model.shift() ?? 0);
          } else {
            if (queue.isLong) queue.spill(chunks);
            assert.equal(queue.isLong, false);
          }
          assert.equal(queue.isEmpty, model.length === 0);
        }
        queues.forEach((queue, i) => {
          for (const expected of models[i]!) assert.equal(queue.shift(chunks, ALL), expected);
          assert.equal(queue.shift(chunks, ALL), 0);
        });
        assert.equal(chunks.kept.size, 0);
        assert.equal(blocks.inUse, 0, "an empty queue holds no block");
      }),
    );
  });

  it("goes on where it was: what stood before the chunks, the chunks, what came after", () => {
    const chunks = new Chunks();
    chunks.write(
      7,
      1,
      4,
      Uint32Array.from({ length: 64 }, (_, i) => 100 + i),
    );
    const queue = new ChunkedQueue(new IdBlocks(), 7, 1);
    queue.restore(4, 5);
    queue.countInChunks(64);
    for (let id = 1; id <= 40; id++) queue.restoreHead(id);
    queue.push(200);
    const got: number[] = [];
    for (let id = queue.shift(chunks, ALL); id !== 0; id = queue.shift(chunks, ALL)) got.push(id);
    assert.deepEqual(got, [
      ...Array.from({ length: 40 }, (_, i) => i + 1),
      ...Array.from({ length: 64 }, (_, i) => 100 + i),
      200,
    ]);
  });
});

describe("blocks", () => {
  it("keep their ids and links when there have to be more of them", () => {
    const blocks = new IdBlocks();
    const taken: number[] = [];
    for (let i = 0; i < 3_000; i++) {
      const block = blocks.take();
      if (i > 0) blocks.link(taken[i - 1]!, block);
      blocks.ids[block * BLOCK] = i;
      taken.push(block);
    }
    assert.equal(new Set(taken).size, 3_000);
    let block = taken[0]!;
    for (let i = 0; i < 3_000; i++) {
      assert.equal(blocks.ids[block * BLOCK], i);
      block = blocks.drop(block);
    }
    assert.equal(block, NO_BLOCK);
    assert.ok(taken.includes(blocks.take()), "what was dropped is taken again");
  });
});
