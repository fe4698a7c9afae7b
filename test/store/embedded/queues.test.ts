/** A queue of ids is a FIFO, wherever its ids are: in memory or in chunks on disk. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { BLOCK, IdBlocks, NO_BLOCK } from "../../../src/store/embedded/id-blocks.ts";
import { type ChunkStore, NO_QUEUE, type Places, Queues } from "../../../src/store/embedded/queues.ts";
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
        const queues = new Queues();
        const numbers = [1, 2, 3].map((host) => queues.make(host, 0, NO_QUEUE));
        const models: number[][] = [[], [], []];
        const isLong = [false, false, false];
        let id = 1;
        for (const one of steps) {
          const queue = numbers[one.queue]!;
          const model = models[one.queue]!;
          if ("push" in one) {
            for (let i = 0; i < one.push; i++, id++) {
              isLong[one.queue] = queues.push(queue, id);
              model.push(id);
            }
          } else if ("shift" in one) {
            for (let i = 0; i < one.shift; i++) assert.equal(queues.shift(queue, chunks, ALL), model.shift() ?? 0);
          } else {
            const held = queues.blocks;
            queues.spill(queue, chunks);
            if (isLong[one.queue] === false) assert.equal(queues.blocks, held, "a short tail is left in memory");
            isLong[one.queue] = false;
          }
          assert.equal(queues.isEmpty(queue), model.length === 0);
        }
        numbers.forEach((queue, i) => {
          for (const expected of models[i]!) assert.equal(queues.shift(queue, chunks, ALL), expected);
          assert.equal(queues.shift(queue, chunks, ALL), 0);
        });
        assert.equal(chunks.kept.size, 0);
        assert.equal(queues.blocks, 0, "an empty queue holds no block");
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
    const queues = new Queues();
    const queue = queues.make(7, 1, NO_QUEUE);
    queues.restore(queue, 4, 5);
    queues.countInChunks(queue, 64);
    for (let id = 1; id <= 40; id++) queues.restoreHead(queue, id);
    queues.push(queue, 200);
    const got: number[] = [];
    for (let id = queues.shift(queue, chunks, ALL); id !== 0; id = queues.shift(queue, chunks, ALL)) got.push(id);
    assert.deepEqual(got, [
      ...Array.from({ length: 40 }, (_, i) => i + 1),
      ...Array.from({ length: 64 }, (_, i) => 100 + i),
      200,
    ]);
  });
});

describe("the queues of all hosts", () => {
  it("keep what each holds when there have to be more of them, and give numbers again that are free", () => {
    const chunks = new Chunks();
    const queues = new Queues();
    const numbers = Array.from({ length: 1_000 }, (_, host) => queues.make(host, host % 8, NO_QUEUE));
    for (const [host, queue] of numbers.entries()) queues.push(queue, host + 1);
    numbers.forEach((queue, host) => {
      assert.equal(queues.priorityOf(queue), host % 8);
      assert.equal(queues.turnOf(queue), 2 ** (host % 8));
      if (host % 2 === 0) assert.equal(queues.shift(queue, chunks, ALL), host + 1);
    });
    const free = numbers.filter((_, host) => host % 2 === 0);
    for (const queue of free) queues.remove(queue, chunks);
    const again = free.map(() => queues.make(7, 3, NO_QUEUE));
    assert.deepEqual(new Set(again), new Set(free));
    for (const queue of again) assert.ok(queues.isEmpty(queue));
    numbers.forEach((queue, host) => {
      if (host % 2 === 1) assert.equal(queues.shift(queue, chunks, ALL), host + 1);
    });
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
