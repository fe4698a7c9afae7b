/** The ways of `--seen`: each may follow another in one directory, what a filter loses is what is expected, and bloom+exact loses nothing. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { expectedLoss, SEEN_KINDS, type SeenChoice, type SeenKind } from "../../../src/dedup/seen-kinds.ts";
import type { NewUrl } from "../../../src/model/link.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { TestClock, url } from "../../conformance/frontier-world.ts";

let dir: string;
let clock: TestClock;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-seen-"));
  clock = new TestClock();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const urls = (from: number, to: number, more: Partial<NewUrl> = {}): NewUrl[] =>
  Array.from({ length: to - from }, (_, i) => url(`h${(from + i) % 9}`, String(from + i), more));
const DROP = { drop: { reason: "depth" } } as const;

/** So often wrong that it shows. */
const poor = (kind: SeenKind): SeenChoice => ({ kind, capacity: 2000, error: 0.05 });
const rare = (kind: SeenKind): SeenChoice => ({ kind, capacity: 1000, error: 1e-12 });
const open = (seen: SeenChoice, every = 1e9) => openEmbedded(dir, { clock, seen, snapshots: { every } });

describe("seen sets of the embedded store", () => {
  for (const kind of ["bloom", "scalable-bloom", "counting-bloom"] as const)
    it(`lose with ${kind} about as many URLs as is expected`, async () => {
      await using backend = open(poor(kind));
      let lost = 0;
      const offered = 6000;
      for (let at = 0; at < offered; at += 200) lost += 200 - (await backend.add(urls(at, at + 200)));
      const expected = expectedLoss(poor(kind), 0, offered - lost);
      assert.ok(lost > 20, `${lost}`);
      assert.ok(Math.abs(lost - expected) < 5 * Math.sqrt(expected), `${lost}, expected ${expected}`);
    });

  it("lose nothing with bloom+exact, however often its filter is wrong", async () => {
    const seen = poor("bloom+exact");
    for (const [from, to] of [
      [0, 3000],
      [3000, 6000],
    ] as const) {
      await using backend = open(seen);
      assert.equal(await backend.add(urls(from, to)), to - from);
      assert.equal(await backend.add(urls(0, to)), 0);
      assert.equal((await backend.find(urls(17, 18)[0]!))?.href, urls(17, 18)[0]!.href);
    }
    assert.equal(expectedLoss(seen, 0, 6000), 0);
  });

  it("may be changed from each kind to each other between two runs", async () => {
    let made = 0;
    for (const first of SEEN_KINDS)
      for (const then of SEEN_KINDS) {
        const from = made;
        made += 30;
        for (const kind of [first, then]) {
          await using backend = open(rare(kind), 10);
          await backend.add([...urls(from, from + 20), ...urls(from + 20, from + 30, DROP)]);
          assert.equal(await backend.add(urls(0, from + 20)), 0, `${first}, ${then}`);
        }
        await using backend = open(rare(then), 10);
        assert.equal(await backend.add(urls(0, made)), 10, `${first}, ${then}`); // the drops come in
        assert.equal(await backend.add(urls(0, made)), 0, `${first}, ${then}`);
        assert.equal((await backend.pending()).queued, made);
      }
  });

  for (const kind of SEEN_KINDS)
    it(`know with ${kind} what a snapshot kept and what came after it`, async () => {
      {
        await using backend = open(rare(kind), 100);
        for (let at = 0; at < 400; at += 20) await backend.add([...urls(at, at + 19), ...urls(at + 19, at + 20, DROP)]);
      }
      await using backend = open(rare(kind), 100);
      assert.equal(await backend.add(urls(0, 400)), 20);
      assert.equal(await backend.add(urls(0, 420)), 20);
      assert.equal((await backend.pending()).queued, 420);
    });

  it("keep on disk with filters the fingerprints of drops alone, and none without", async () => {
    const rows = () => {
      using db = new DatabaseSync(join(dir, "state.db"), { readOnly: true });
      return db.prepare("SELECT count(*) AS n FROM seen").get()!.n;
    };
    for (const [kind, expected] of [
      ["bloom", 5],
      ["bloom+exact", 25],
      ["exact", 0],
      ["scalable-bloom", 5],
    ] as const) {
      {
        await using backend = open(rare(kind));
        await backend.add([...urls(0, 20), ...urls(20, 25, DROP)]);
      }
      assert.equal(rows(), expected, kind);
    }
  });
});
