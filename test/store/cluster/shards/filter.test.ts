/** Filters of seen URLs in the shards: they lose what is expected and no more, keep drops apart, and the rest of the crawl sees no difference. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type { NewUrl } from "../../../../src/model/link.ts";
import { type ClusterOptions, openCluster } from "../../../../src/store/cluster/backend.ts";
import { SeenFilter } from "../../../../src/store/cluster/shards/seen-filter.ts";
import { shardOf } from "../../../../src/store/cluster/shards/shard-of.ts";
import { assertAlike, MODEL_OPTIONS } from "../../../conformance/frontier-model.ts";
import { allOperations, FullPlayer } from "../../../conformance/frontier-returns.ts";
import { ended, type Store, settled, TestClock, url, World } from "../../../conformance/frontier-world.ts";
import { memoryStore } from "../../stores.ts";
import { type ClusterBench, clusterBench, clusterStore, rare } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

let crawls = 0;
const newCrawl = (): string => `filter-${++crawls}`;
const KINDS = ["bloom", "scalable-bloom"] as const;
const DROP = { drop: { reason: "depth" } } as const;

const urls = (from: number, to: number, more: Partial<NewUrl> = {}): NewUrl[] =>
  Array.from({ length: to - from }, (_, i) => url(`h${(from + i) % 9}`, String(from + i), more));

function open(name: string, more: Partial<ClusterOptions> = {}) {
  return openCluster(bench.connection, { clock: new TestClock(), name, blobs: bench.blobs(name), shards: 4, ...more });
}

/** So often wrong that it shows. */
const poor = (kind: (typeof KINDS)[number]) => ({ kind, capacity: 8_000, error: 0.05 }) as const;

describe("filters of seen URLs", () => {
  for (const kind of KINDS)
    it(`lose with ${kind} about as many URLs as is expected, grown or not, however hosts are divided`, async () => {
      await using backend = await open(newCrawl(), { seen: poor(kind) });
      const offered = 18_000;
      let lost = 0;
      for (let at = 0; at < offered; at += 500) lost += 500 - (await backend.add(urls(at, at + 500)));
      const expected = await backend.refused!();
      assert.ok(lost > 100, `${lost}`);
      assert.ok(Math.abs(lost - expected) < 5 * Math.sqrt(expected), `${lost}, expected ${expected}`);
      assert.ok(lost < offered * 0.1, "twice the rate is the bound, though some shards have many times their part");
    });

  it("lose fewer than was promised of a crawl that is as large as was said", () => {
    for (const error of [0.01, 1e-4, 1e-6]) {
      const filter = new SeenFilter({ kind: "bloom", capacity: 1_000_000, error }, 64);
      const lost = 64 * filter.refused(1_000_000 / 64);
      assert.ok(lost > 0 && lost < 1_000_000 * error, `${lost} at ${error}`);
    }
  });

  it("never take what was seen for new", async () => {
    await using backend = await open(newCrawl(), { seen: poor("scalable-bloom") });
    for (let at = 0; at < 6_000; at += 500) await backend.add(urls(at, at + 500));
    await using other = await open(`filter-${crawls}`, { seen: poor("scalable-bloom"), joins: true });
    for (let at = 0; at < 6_000; at += 500) assert.equal(await other.add(urls(at, at + 500)), 0);
  });

  it("keep drops apart, so that they come in when they are wanted, once", async () => {
    const clock = new TestClock();
    await using backend = await open(newCrawl(), { seen: rare("bloom"), clock });
    assert.equal(await backend.add([...urls(0, 100), ...urls(100, 300, DROP)]), 100);
    assert.equal(await backend.add(urls(0, 200, DROP)), 0);
    assert.equal((await backend.endCounts()).get("depth"), 200);
    assert.equal(await backend.add(urls(0, 250)), 150);
    assert.equal(await backend.add(urls(0, 250)), 0);
    assert.equal((await backend.endCounts()).get("depth"), 50);
    const leases = await backend.lease(9);
    const verdict = { ...ended("trap"), dropped: true } as const;
    const parts = leases.map((lease) => settled(lease, verdict, clock.time));
    await backend.commit({ settled: parts, hosts: [], robots: [], marks: [] });
    assert.equal(await backend.add(urls(0, 250)), leases.length, "dropped after they were admitted");
    assert.equal((await backend.pending()).queued, 250);
  });

  it("find URLs all the same, wherever their rows are", async () => {
    await using backend = await open(newCrawl(), { seen: rare("scalable-bloom"), rowsInRedis: 512 });
    const all = urls(0, 2_000);
    for (let at = 0; at < all.length; at += 500) {
      const some = all.slice(at, at + 500);
      await backend.add(some);
      const ids = await backend.idsOf([...some, ...urls(5_000, 5_010)]);
      assert.equal(new Set(ids.slice(0, 500)).size, 500);
      assert.deepEqual(ids.slice(500), Array(10).fill(null));
    }
    await backend.add(urls(2_000, 2_001, DROP));
    for (const one of [all[3]!, all[1_999]!, urls(2_000, 2_001)[0]!]) {
      const record = await backend.find(one);
      assert.equal(record?.href, one.href);
      assert.deepEqual(await backend.idsOf([one]), [record.id]);
    }
    assert.equal(await backend.find({ fpHi: 1, fpLo: 1 }), null);
    await backend.add(urls(2_000, 2_001));
    const [back] = urls(2_000, 2_001);
    assert.equal((await backend.find(back!))?.state, "queued", "what was a drop goes by its new id");
  });

  it("take all of a crawl that is moved to them, and lose later what they lose", async () => {
    const name = newCrawl();
    {
      await using backend = await open(name, { seen: poor("bloom"), isMove: true });
      for (let at = 0; at < 9_000; at += 500)
        assert.equal(await backend.add([...urls(at, at + 499), ...urls(at + 499, at + 500, DROP)]), 499);
    }
    await using backend = await open(name, { seen: poor("bloom") });
    for (let at = 0; at < 9_000; at += 500) assert.equal(await backend.add(urls(at, at + 499)), 0);
    assert.equal(await backend.add(urls(499, 500)), 1);
    const expected = await backend.refused!();
    let lost = 0;
    for (let at = 9_000; at < 15_000; at += 500) lost += 500 - (await backend.add(urls(at, at + 500)));
    const more = (await backend.refused!()) - expected;
    assert.ok(Math.abs(lost - more) < 5 * Math.sqrt(more), `${lost}, expected ${more}`);
  });

  it("are strings of 64 KB at most, in the memory that these take", async () => {
    const name = newCrawl();
    const shard = shardOf(url("h0", "").host, 4);
    await using backend = await open(name, { seen: { kind: "bloom", capacity: 800_000, error: 1e-4 } });
    await backend.add(Array.from({ length: 400 }, (_, n) => url("h0", String(n))));
    const key = `trawl:{${name}:${shard}}`;
    const sizes: number[] = [];
    for (let part = 0; ; part++) {
      const one = `${key}:filter:0:${part}`;
      const ask = async (...words: string[]) => Number(await bench.connection.command(key, words));
      const bytes = await ask("STRLEN", one);
      if (bytes === 0) break;
      sizes.push(bytes);
      const used = await ask("MEMORY", "USAGE", one);
      assert.ok(used < bytes * 1.03 + 1_000, `${used} for ${bytes}`);
    }
    assert.deepEqual(sizes.slice(0, -1), Array(sizes.length - 1).fill(65_472));
    const all = sizes.reduce((sum, one) => sum + one, 0);
    assert.ok(all > 200_000 * 2.4 && all < 200_000 * 3, `${all}`);
  });

  it("are chosen when the crawl is created, and no others are taken later", async () => {
    const name = newCrawl();
    await (await open(name, { seen: poor("bloom") }))[Symbol.asyncDispose]();
    for (const seen of [undefined, rare("bloom"), poor("scalable-bloom")])
      await assert.rejects(open(name, seen === undefined ? {} : { seen }), {
        code: "frontier-foreign",
        message: /was created with seen bloom for 8000 URLs at 0.05, not /,
      });
  });

  for (const [kind, more] of [
    ["bloom", { losesAnswers: true }],
    ["scalable-bloom", { rowsInRedis: 64 }],
  ] as const)
    it(`make no difference to what is answered: ${kind}, ${"losesAnswers" in more ? "each call made twice" : "rows spilled all the time"}`, async () => {
      await fc.assert(
        fc.asyncProperty(allOperations(12), async (ops) => {
          const play = async (store: Store) => new FullPlayer(await World.open(store, MODEL_OPTIONS));
          const filtered = clusterStore(() => bench, { seen: rare(kind), ...more });
          await assertAlike([await play(filtered), await play(memoryStore())], ops, 30);
        }),
        { seed: 5, numRuns: 6, endOnFailure: true },
      );
    });
});
