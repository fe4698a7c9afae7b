import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { type Patience, patience } from "../../src/blobs/patience.ts";
import { BlobError, type BlobErrorCode } from "../../src/ports/blobs.ts";

/** Sleeping takes no time, and is written down. */
function world(): { patient: Patience; slept: number[]; said: string[]; stop: AbortController } {
  const slept: number[] = [];
  const said: string[] = [];
  const stop = new AbortController();
  let now = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms;
      slept.push(ms);
    },
  };
  const warn = (facts: object, event: string) => said.push(`${event} ${(facts as { ms?: number }).ms ?? ""}`.trim());
  return { patient: patience({ clock, log: { warn }, store: "s3://b", random: () => 1 }), slept, said, stop };
}

const failing = (times: number, code: BlobErrorCode) => async () => {
  if (times-- > 0) throw new BlobError(code, "no");
  return "there";
};

describe("patience with a store", () => {
  it("tries until it goes well, with pauses that grow to a quarter of a minute", async () => {
    const { patient, slept, said } = world();
    assert.equal(await patient(failing(9, "away")), "there");
    assert.deepEqual(slept, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    assert.deepEqual(said, ["store-away", "store-back 60750"]);
  });

  it("says nothing when all goes well", async () => {
    const { patient, slept, said } = world();
    assert.equal(await patient(async () => 7), 7);
    assert.deepEqual([slept, said], [[], []]);
  });

  it("does not wait for what is no matter of time", async () => {
    const { patient, slept } = world();
    for (const code of ["refused", "full", "missing"] as const)
      await assert.rejects(patient(failing(1, code)), { code: `store-${code}` });
    await assert.rejects(
      patient(async () => {
        throw new TypeError("a bug");
      }),
      TypeError,
    );
    assert.deepEqual(slept, []);
  });

  it("sends again what arrived spoilt, but not for ever", async () => {
    const { patient, said } = world();
    assert.equal(await patient(failing(5, "corrupt")), "there");
    await assert.rejects(patient(failing(6, "corrupt")), { code: "store-corrupt" });
    assert.deepEqual(said, []);
  });

  it("tries once more and no longer when it is to stop", async () => {
    const { patient, stop } = world();
    stop.abort();
    assert.equal(await patient(async () => 7, stop.signal), 7);
    await assert.rejects(patient(failing(1, "away"), stop.signal), { code: "store-away" });
  });
});
