/** One ticking clock for many deadlines, on a clock that the test owns. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { Deadlines } from "../../src/net/deadlines.ts";

/** Sleepers wake when the test lets time pass; `sleepers` counts those asleep. */
class OwnClock implements Clock {
  time = 0;
  #wake: (() => void)[] = [];
  now = () => this.time;
  sleep = (_ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      signal?.addEventListener("abort", () => resolve());
      this.#wake.push(resolve);
    });
  get sleepers(): number {
    return this.#wake.length;
  }
  async pass(ms: number): Promise<void> {
    this.time += ms;
    for (const wake of this.#wake.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function watched(deadlines: Deadlines, dueAt: number) {
  const one = {
    dueAt,
    seen: "",
    expire() {
      one.seen = "expired";
      deadlines.delete(one);
    },
    stop() {
      one.seen = "stopped";
      deadlines.delete(one);
    },
  };
  deadlines.add(one);
  return one;
}

describe("deadlines", () => {
  it("expire when the clock has passed them, not before, wherever they have moved to", async () => {
    const clock = new OwnClock();
    const deadlines = new Deadlines(clock, 10);
    const [early, late, moved] = [watched(deadlines, 20), watched(deadlines, 40), watched(deadlines, 20)];
    await clock.pass(19);
    assert.deepEqual([early.seen, late.seen, moved.seen], ["", "", ""]);
    moved.dueAt = 40;
    await clock.pass(1);
    assert.deepEqual([early.seen, late.seen, moved.seen], ["expired", "", ""]);
    await clock.pass(30);
    assert.deepEqual([late.seen, moved.seen], ["expired", "expired"]);
  });

  it("share one timer, and need none when there is nothing to watch", async () => {
    const clock = new OwnClock();
    const deadlines = new Deadlines(clock, 10);
    for (let i = 0; i < 5; i++) watched(deadlines, 10);
    assert.equal(clock.sleepers, 1);
    await clock.pass(10);
    assert.equal(clock.sleepers, 0);
    watched(deadlines, 30);
    assert.equal(clock.sleepers, 1);
  });

  it("stop what is there and what comes after, once they are disposed of", async () => {
    const clock = new OwnClock();
    const deadlines = new Deadlines(clock, 10);
    const before = watched(deadlines, 1_000);
    deadlines[Symbol.dispose]();
    assert.equal(before.seen, "stopped");
    assert.equal(watched(deadlines, 1_000).seen, "stopped");
  });
});
