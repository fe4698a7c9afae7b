/** What a filter has probably cost is counted for the time that it was in use, and for no other. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { losesMore, lossWords, rememberSeen, seenLoss } from "../../../../src/app/inspect/report/seen-loss.ts";
import { expectedLoss, type SeenChoice } from "../../../../src/dedup/seen-kinds.ts";
import type { EndReason } from "../../../../src/model/end.ts";

function crawl() {
  const facts = new Map<string, string>();
  const ends = new Map<EndReason, number>();
  return {
    fact: async (name: string) => facts.get(name) ?? null,
    setFact: async (name: string, value: string) => void facts.set(name, value),
    endCounts: async () => ends,
    pending: async () => ({ queued: 10, leased: 1, delayed: 0, hosts: 1 }),
    /** Besides eleven that wait. */
    fetched: (count: number) => void ends.set("fetched", count).set("scope", 5_000_000),
  };
}

const BLOOM: SeenChoice = { kind: "bloom", capacity: 10_000, error: 0.01 };
const EXACT: SeenChoice = { ...BLOOM, kind: "exact" };

describe("the expected loss", () => {
  it("is none where nothing was said, with exact, and with bloom+exact", async () => {
    const state = crawl();
    state.fetched(1e6);
    assert.deepEqual(await seenLoss(state), { kind: "exact", urls: 1_000_011, expectedLost: 0, by: null });
    for (const kind of ["exact", "bloom+exact"] as const) {
      await rememberSeen(state, { ...BLOOM, kind });
      state.fetched(2e6);
      assert.equal((await seenLoss(state)).expectedLost, 0);
      assert.equal(lossWords(await seenLoss(state)), null);
    }
  });

  it("is that of the URLs that came while a filter was in use, drops not counted", async () => {
    const state = crawl();
    await rememberSeen(state, EXACT);
    state.fetched(4989);
    await rememberSeen(state, BLOOM);
    await rememberSeen(state, BLOOM);
    state.fetched(11_989);
    await rememberSeen(state, EXACT);
    state.fetched(1e6);
    const loss = await seenLoss(state);
    const { kind, by, expectedLost } = loss;
    assert.deepEqual([kind, by, losesMore(loss)], ["exact", "bloom", false]);
    assert.match(lossWords(loss)!, /\(--seen bloom\); none since \(--seen exact\)$/);
    assert.equal(expectedLost, expectedLoss(BLOOM, 5000, 12_000));
    assert.ok(expectedLost > 40 && expectedLost < 70, `${expectedLost}`);
  });

  it("is what the filters of a state say that has several, without what came before them or was moved to them", async () => {
    const state = crawl();
    await rememberSeen(state, BLOOM);
    state.fetched(4989);
    const [before, filters] = [expectedLoss(BLOOM, 11, 5000), { refused: 0 }];
    const cluster = { ...state, refused: async () => filters.refused };
    filters.refused = 70;
    await rememberSeen(cluster, BLOOM, { isMoved: true });
    assert.equal((await seenLoss(cluster)).expectedLost, before, "nothing is lost by being moved");
    filters.refused = 75;
    await rememberSeen(cluster, BLOOM);
    assert.equal((await seenLoss(cluster)).expectedLost, before + 5);
  });

  it("is told in words", () => {
    const loss = { kind: "bloom", urls: 3_400_000, expectedLost: 1234.4, by: "bloom" } as const;
    assert.ok(losesMore(loss));
    assert.equal(lossWords(loss), "about 1,234 of 3,400,000, taken wrongly for seen before (--seen bloom)");
    assert.match(lossWords({ ...loss, expectedLost: 0.01 })!, /^fewer than one URL of /);
  });
});
