/** This machine's clock held against that of the cluster, as both run. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { mustAgree, TimeDifference } from "../../../../src/store/cluster/redis/clocks.ts";
import { HandClock } from "../hand-clock.ts";

/** A cluster whose clock is `ahead`, and so far away that a question takes `there` and its answer `back`, in ms. */
function world(there = 0, back = 0) {
  const clock = new HandClock();
  const said: string[] = [];
  const cluster = { ahead: 0 };
  const difference = new TimeDifference({
    clock,
    log: { warn: (facts, event) => void said.push(`${event} ${JSON.stringify(facts)}`) },
    wait: (work) => work(),
    async ask() {
      clock.time += there;
      const at = clock.time + cluster.ahead;
      clock.time += back;
      return [String(Math.floor(at / 1_000)), String((at % 1_000) * 1_000)];
    },
  });
  return { clock, said, cluster, difference };
}

describe("the difference of two clocks", () => {
  it("is nothing where there is none, however long the way, and right to half of it else", async () => {
    const ms = fc.nat(500);
    await fc.assert(
      fc.asyncProperty(ms, ms, fc.integer({ min: -60_000, max: 60_000 }), async (there, back, ahead) => {
        const { cluster, difference } = world(there, back);
        await difference.measure();
        assert.equal(difference.aheadMs, 0);
        cluster.ahead = ahead;
        await difference.measure();
        assert.ok(Math.abs(difference.aheadMs - ahead) <= (there + back) / 2 + 2);
      }),
      { seed: 6 },
    );
  });

  it("is refused when it is more than two seconds", async () => {
    const { cluster, difference } = world();
    cluster.ahead = 75_000;
    await difference.measure();
    assert.throws(() => mustAgree(difference), {
      code: "frontier-refused",
      message: "the clock of this machine is 75.0 s behind that of Redis; set both by a time server (NTP)",
    });
    cluster.ahead = -2_001;
    await difference.measure();
    assert.throws(() => mustAgree(difference), { message: /is 2\.0 s ahead of that of Redis/ });
    cluster.ahead = 2_000;
    await difference.measure();
    mustAgree(difference);
  });

  it("is said once when the clocks drift apart, and again when they do so anew", async () => {
    const { clock, said, cluster, difference } = world();
    difference.watch();
    const after = async (ahead: number) => {
      cluster.ahead = ahead;
      await clock.until(1);
      clock.pass(60_000);
      await clock.until(1);
      return said.splice(0).join();
    };
    assert.equal(await after(900), "");
    assert.equal(await after(1_500), 'clocks-apart {"aheadMs":1500}');
    assert.equal(await after(1_600), "");
    assert.equal(await after(0), "");
    assert.equal(await after(-1_500), 'clocks-apart {"aheadMs":-1500}');
    await difference[Symbol.asyncDispose]();
  });
});
