/** What counts of what was written: nothing that was not settled, whoever died when. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { directoryBlobs } from "../../../../src/blobs/directory.ts";
import { Connection } from "../../../../src/store/cluster/redis/connection.ts";
import { type Entry, type Pointer, pointerText } from "../../../../src/store/cluster/segments/entry.ts";
import { Manifest } from "../../../../src/store/cluster/segments/manifest.ts";
import { recorded } from "../../../../src/store/cluster/segments/recorded.ts";
import { Segments, segmentKey } from "../../../../src/store/cluster/segments/segments.ts";
import { type RedisCluster, redisCluster } from "../../../services/redis-cluster.ts";
import { requestEntry, visitEntry } from "./entries.ts";

let cluster: RedisCluster;
let connection: Connection;
let root: string;
let crawls = 0;
before(async () => {
  cluster = await redisCluster();
  connection = await Connection.open({ nodes: cluster.nodes });
  root = await mkdtemp(join(tmpdir(), "recorded-"));
});
after(async () => {
  await connection?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

/** A crawl, with what rows know of its URLs: where the newest record of each stands. */
async function crawl() {
  const name = `recorded-${++crawls}`;
  const blobs = directoryBlobs(join(root, name));
  const segments = new Segments(blobs);
  const manifest = new Manifest(connection, name);
  await manifest.create();
  const rows = new Map<number, Pointer>();
  const newest = async (urlIds: readonly number[]) => urlIds.map((id) => rows.get(id) ?? null);
  const told = async () =>
    (await Array.fromAsync(recorded({ segments, manifest, newest }))).map(({ at, entry }) => nameOf(at, entry));
  return { name, blobs, segments, manifest, rows, told };
}

const nameOf = (at: Pointer, { kind, value }: Entry) => `${pointerText(at)} ${kind === "visit" ? value.urlId : kind}`;

/** How far a crawler comes with a commit. */
const STEPS = ["takes an ordinal", "writes", "settles", "confirms"] as const;

describe("what is recorded", () => {
  it("is what was settled, in order, wherever crawlers have died", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            step: fc.constantFrom(...STEPS),
            urls: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
            late: fc.integer({ min: 0, max: 5 }),
          }),
          { maxLength: 8 },
        ),
        async (commits) => {
          const { segments, manifest, rows, told } = await crawl();
          const expected: string[] = [];
          for (const { step, urls, late } of commits) {
            const reached = STEPS.indexOf(step);
            const ordinal = await manifest.take();
            const entries = [...urls.map((id) => visitEntry(id, rows.get(id) ?? null)), requestEntry(9)];
            if (reached >= 1) await segments.write(ordinal, entries);
            const refused: number[] = [];
            for (const [index, id] of urls.entries()) {
              const at = { ordinal, index };
              if (reached < 2) continue;
              if (id === late)
                refused.push(index); // another has this URL by now
              else {
                rows.set(id, at);
                expected.push(nameOf(at, entries[index]!));
              }
            }
            const request = { ordinal, index: urls.length };
            if (reached >= 1) expected.push(nameOf(request, requestEntry(9)));
            if (reached >= 3) await manifest.confirm(ordinal, refused);
          }
          assert.deepEqual(await told(), expected);
        },
      ),
      { numRuns: 40, seed: 3 },
    ));

  it("is said of nothing but segments under way, and of what was refused", async () => {
    const { manifest } = await crawl();
    assert.deepEqual(await manifest.state(), { last: 0, open: new Set(), refused: new Map() });
    for (const ordinal of [1, 2, 3]) assert.equal(await manifest.take(), ordinal);
    await manifest.confirm(3, []);
    await manifest.confirm(1, [0, 7]);
    await manifest.confirm(1, [0, 7]);
    assert.deepEqual(await manifest.state(), {
      last: 3,
      open: new Set([2]),
      refused: new Map([[1, new Set([0, 7])]]),
    });
  });

  it("is written under no ordinal that a master could take with it when it dies, to be given again", async () => {
    await using impatient = await Connection.open({ nodes: cluster.nodes, patienceMs: 300 });
    const manifest = new Manifest(impatient, (await crawl()).name);
    const replicas = cluster.nodes.slice(3);
    for (const replica of replicas) cluster.pause(replica);
    try {
      await assert.rejects(manifest.take(), { code: "frontier-away" });
    } finally {
      for (const replica of replicas) cluster.resume(replica);
    }
    assert.equal(await manifest.take(), 2, "the first is passed over");
  });

  it("is not told when a part of it is missing: which, and where", async () => {
    const { blobs, segments, manifest, told } = await crawl();
    for (const id of [1, 2, 3]) {
      const ordinal = await manifest.take();
      await segments.write(ordinal, [visitEntry(id)]);
      await manifest.confirm(ordinal, []);
    }
    assert.deepEqual(await told(), ["1.0 1", "2.0 2", "3.0 3"]);
    for (const ordinal of [3, 2]) {
      await blobs.remove([segmentKey(ordinal)]);
      await assert.rejects(told(), {
        code: "store-missing",
        message: new RegExp(`^the records \\S+${segmentKey(ordinal)} are not there; put the object back`),
      });
    }
  });
});
