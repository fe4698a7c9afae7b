import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Waits } from "../../../src/app/metrics/waits.ts";

/** The waits that a log tells of, on a clock that the test moves. */
function heard() {
  const clock = { time: 0, now: () => clock.time };
  const waits = new Waits(clock);
  const at = (time: number, event: string, facts: object = {}) => {
    clock.time = time;
    waits.heard(facts, event);
  };
  return { waits, at, clock };
}

describe("what a crawl waits for", () => {
  it("is nothing, until its log says that something is away", () => {
    const { waits, at } = heard();
    at(5_000, "members");
    assert.deepEqual([waits.says, waits.ms("frontier"), waits.ms("store")], [null, 0, 0]);
  });

  it("is a store until each thread that found it away has found it back", () => {
    const { waits, at, clock } = heard();
    at(1_000, "store-away", { store: "s3://b", error: "s3://b answers 503" });
    at(2_000, "store-away", { store: "s3://b", error: "s3://b answers 503" });
    at(4_000, "store-back", { ms: 3_000 });
    assert.equal(waits.says, "waits for the store: s3://b answers 503");
    assert.equal(waits.ms("store"), 3_000);
    at(6_000, "store-back", { ms: 4_000 });
    clock.time = 9_000;
    assert.deepEqual([waits.says, waits.ms("store")], [null, 5_000]);
  });

  it("is a frontier until its log says once that it is back, and how long it was", () => {
    const { waits, at, clock } = heard();
    at(3_000, "frontier-away", { error: "CLUSTERDOWN" });
    at(4_000, "frontier-full", { error: "OOM" });
    assert.match(waits.says!, /^waits for the frontier: OOM$/);
    at(10_000, "frontier-back", { ms: 10_000 });
    clock.time = 20_000;
    assert.deepEqual([waits.says, waits.ms("frontier")], [null, 10_000]);
    at(21_000, "frontier-back", { ms: 5 });
    assert.equal(waits.ms("frontier"), 10_000);
  });

  it("may be both", () => {
    const { waits, at } = heard();
    at(0, "frontier-away", { error: "x" });
    at(0, "store-away", { error: "y" });
    assert.equal(waits.says, "waits for the frontier: x; waits for the store: y");
  });
});
