/** Shards over members: even, the same for all who ask, and what one member changes moves no other's. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Member } from "../../src/model/member.ts";
import { ownersOf } from "../../src/policy/rendezvous.ts";

const SHARDS = 1_024;

const plain = (ids: readonly string[]): Member[] => ids.map((id) => ({ id, pinned: [] }));
const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 12 });

/** Five standard deviations to each side of what a binomial distribution gives: one draw in a million is outside. */
function assertNear(count: number, draws: number, chance: number): void {
  const mean = draws * chance;
  const far = 5 * Math.sqrt(mean * (1 - chance));
  assert.ok(Math.abs(count - mean) <= far, `${count}, and not ${mean.toFixed(0)} give or take ${far.toFixed(0)}`);
}

describe("rendezvous hashing", () => {
  it("moves about 1/8 of the shards when 1 of 8 members leaves or is exchanged, and none besides its own", (test) => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 9, maxLength: 9 }), ([leaving, joining, ...rest]) => {
        const before = ownersOf(SHARDS, plain([leaving!, ...rest]));
        const without = ownersOf(SHARDS, plain(rest));
        const moved = before.filter((owner, shard) => owner !== without[shard]).length;
        assert.equal(moved, before.filter((owner) => owner === leaving).length);
        assertNear(moved, SHARDS, 1 / 8);
        const exchanged = ownersOf(SHARDS, plain([joining!, ...rest]));
        for (const [shard, owner] of exchanged.entries())
          assert.ok(owner === joining || owner === without[shard], "it takes, and moves nothing else");
        assertNear(exchanged.filter((owner) => owner === joining).length, SHARDS, 1 / 8);
      }),
      { seed: 1, numRuns: 200 },
    );
    const eight = Array.from({ length: 8 }, (_, nth) => `crawler-${nth}`);
    const [before, after] = [ownersOf(SHARDS, plain(eight)), ownersOf(SHARDS, plain(eight.slice(1)))];
    const moved = before.filter((owner, shard) => owner !== after[shard]).length;
    test.diagnostic(`1 of 8 members leaves: ${moved} of ${SHARDS} shards move, the ideal is ${SHARDS / 8}`);
  });

  it("gives each member about as much as any other", () => {
    fc.assert(
      fc.property(ids, (some) => {
        const owners = ownersOf(SHARDS, plain(some));
        for (const id of some) assertNear(owners.filter((owner) => owner === id).length, SHARDS, 1 / some.length);
      }),
      { seed: 2, numRuns: 200 },
    );
  });

  it("says the same in whatever order members are named", () => {
    fc.assert(
      fc.property(ids, fc.array(fc.nat(63), { maxLength: 3 }), (some, pinned) => {
        const members = some.map((id, nth) => ({ id, pinned: nth < 2 ? pinned : [] }));
        assert.deepEqual(ownersOf(64, members.toReversed()), ownersOf(64, members));
      }),
      { seed: 3 },
    );
  });

  it("gives a pinned shard to who is there for it as long as he lives, and to him few others", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 8, maxLength: 8 }), fc.nat(SHARDS - 1), (some, huge) => {
        const [dedicated, ...rest] = some as [string, ...string[]];
        const owners = ownersOf(SHARDS, [{ id: dedicated, pinned: [huge] }, ...plain(rest)]);
        assert.equal(owners[huge], dedicated);
        const [weight, all] = [1 / 8, 7 + 1 / 8];
        assertNear(owners.filter((owner) => owner === dedicated).length, SHARDS, weight / all);
        const after = ownersOf(SHARDS, plain(rest));
        for (const [shard, owner] of owners.entries()) assert.ok(owner === dedicated || owner === after[shard]);
      }),
      { seed: 4, numRuns: 100 },
    );
  });

  it("leaves all to who is alone, whatever he is there for", () => {
    assert.deepEqual(new Set(ownersOf(SHARDS, [{ id: "a", pinned: [3] }])), new Set(["a"]));
  });
});
