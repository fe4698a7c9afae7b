/** Segments of records: what was written is read again, in order, sparingly; what is not as it was is named. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { directoryBlobs } from "../../../../src/blobs/directory.ts";
import type { HostKey } from "../../../../src/model/host.ts";
import { BlobError, type Blobs } from "../../../../src/ports/blobs.ts";
import { type Entry, type Pointer, pointerOf, pointerText } from "../../../../src/store/cluster/segments/entry.ts";
import { Segments, segmentKey } from "../../../../src/store/cluster/segments/segments.ts";
import { requestEntry, visitEntry } from "./entries.ts";

let root: string;
let stores = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "records-"));
});
after(() => rm(root, { recursive: true }));

/** A store of its own, and which keys were asked for. */
function store() {
  const dir = join(root, String(++stores));
  const asked: string[] = [];
  let open = 0;
  let most = 0;
  const blobs = directoryBlobs(dir);
  const watched: Blobs = {
    name: blobs.name,
    put: (key, bytes) => blobs.put(key, bytes),
    putFile: (key, path) => blobs.putFile(key, path),
    async *get(key) {
      asked.push(key);
      most = Math.max(most, ++open);
      try {
        yield* blobs.get(key);
      } finally {
        open--;
      }
    },
    head: (key) => blobs.head(key),
    list: (prefix) => blobs.list(prefix),
    remove: (keys) => blobs.remove(keys),
    [Symbol.asyncDispose]: () => blobs[Symbol.asyncDispose](),
  };
  const pathOf = (ordinal: number) => join(dir, segmentKey(ordinal));
  return { blobs: watched, asked, pathOf, most: () => most };
}

const text = fc.string({ unit: "binary", maxLength: 40 });
const pointer = fc.record(
  { ordinal: fc.integer({ min: 1, max: 2 ** 50 }), index: fc.nat(1_000) },
  { noNullPrototype: true },
);
/** Values are kept whatever is in them. */
const entry = fc
  .record({
    kind: fc.constantFrom("visit", "robots", "request"),
    host: text,
    previous: fc.option(pointer),
    value: fc.record({ id: fc.integer(), at: fc.double({ noNaN: true, noDefaultInfinity: true }), body: text }),
  })
  .map((one) => one as unknown as Entry);

describe("segments of records", () => {
  it("give back what was written: one entry, many, and all", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 6 }),
        fc.array(entry, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 4_000 }),
        fc.integer({ min: 0, max: 4_000 }),
        async (ordinals, entries, from, more) => {
          const { blobs } = store();
          const segments = new Segments(blobs);
          const of = (ordinal: number) => [...entries, requestEntry(ordinal)];
          for (const ordinal of ordinals) await segments.write(ordinal, of(ordinal));
          const expected = entries.map((one) => JSON.parse(JSON.stringify(one)) as Entry); // -0 is 0 there
          const pointers = ordinals.flatMap((ordinal) => of(ordinal).map((_, index) => ({ ordinal, index }))).reverse();
          const read = await new Segments(blobs).readMany(pointers);
          for (const [nth, { ordinal, index }] of pointers.entries())
            assert.deepEqual(read[nth], [...expected, requestEntry(ordinal)][index]);
          assert.deepEqual(await segments.read(pointers[0]!), requestEntry(pointers[0]!.ordinal));
          assert.deepEqual(
            await Array.fromAsync(segments.all(from, from + more)),
            ordinals
              .filter((ordinal) => ordinal >= from && ordinal <= from + more)
              .sort((a, b) => a - b)
              .map((ordinal) => ({ ordinal, entries: [...expected, requestEntry(ordinal)] })),
          );
        },
      ),
      { numRuns: 25, seed: 8 },
    ));

  it("are named by pointers that are short texts", () => {
    fc.assert(fc.property(pointer, (one) => assert.deepEqual(pointerOf(pointerText(one)), one)));
    assert.equal(pointerText({ ordinal: 5_000_000, index: 199 }), "2z60w.5j");
  });

  it("can be read by anybody", async () => {
    const { blobs, pathOf } = store();
    await new Segments(blobs).write(1_234_567, [visitEntry(1), requestEntry(2)]);
    const path = pathOf(1_234_567);
    assert.match(path, /\/records\/0000000001234\/0000000001234567\.jsonl\.zst$/);
    const lines = zstdDecompressSync(await readFile(path))
      .toString()
      .split("\n");
    assert.equal(lines[0], '{"trawl":"records","version":1,"ordinal":1234567,"entries":2}');
    assert.deepEqual(
      lines.slice(1).map((line) => JSON.parse(line)),
      [visitEntry(1), requestEntry(2)],
    );
  });

  it("are asked for once for all their entries, and not again while they are remembered", async () => {
    const { blobs, asked } = store();
    const segments = new Segments(blobs);
    for (const ordinal of [1, 2, 3]) await segments.write(ordinal, [visitEntry(1), visitEntry(2)]);
    const all = [3, 1, 3, 2, 1].map((ordinal, nth): Pointer => ({ ordinal, index: nth % 2 }));
    await segments.readMany(all);
    assert.deepEqual([...asked].sort(), [1, 2, 3].map(segmentKey));
    await segments.readMany(all);
    await segments.read(all[0]!);
    assert.equal(asked.length, 3);
  });

  it("are forgotten, the one used least lately first, when what is remembered is large", async () => {
    const { blobs, asked } = store();
    const segments = new Segments(blobs);
    const large = { ...requestEntry(1), host: "x".repeat(6 << 20) as HostKey };
    for (const ordinal of [1, 2, 3]) await segments.write(ordinal, [large]);
    for (const ordinal of [1, 2, 1, 3, 1, 2]) await segments.read({ ordinal, index: 0 });
    assert.deepEqual(asked, [1, 2, 3, 2].map(segmentKey));
  });

  it("are read ahead by a few, however many there are and however slow the reader is", async () => {
    const { blobs, asked, most } = store();
    const segments = new Segments(blobs);
    for (let ordinal = 1; ordinal <= 60; ordinal++) await segments.write(ordinal, [visitEntry(ordinal)]);
    let told = 0;
    for await (const { ordinal } of segments.all(1, 60)) {
      assert.equal(ordinal, ++told);
      assert.ok(asked.length <= told + 15, `${asked.length} are asked for when ${told} are told`);
      await new Promise(setImmediate);
    }
    assert.equal(told, 60);
    assert.ok(most() > 1, "some at the same time");
  });
});

describe("records that are not as they were written", () => {
  const damage = async (wrong: (bytes: Buffer) => Uint8Array | Promise<Uint8Array>) => {
    const { blobs, pathOf } = store();
    const segments = new Segments(blobs);
    await segments.write(12, [visitEntry(1), visitEntry(2)]);
    await writeFile(pathOf(12), await wrong(await readFile(pathOf(12))));
    return segments;
  };
  const rejected = async (segments: Segments, code: string, message: RegExp) => {
    await assert.rejects(segments.read({ ordinal: 12, index: 0 }), { code, message });
    await assert.rejects(segments.readMany([{ ordinal: 12, index: 0 }]), { code, message });
    await assert.rejects(Array.fromAsync(segments.all(1, 99)), { code, message });
  };
  const DAMAGED =
    /^the records \S+\/records\/0000000000000\/0000000000000012\.jsonl\.zst are damaged \(.+\); put the object back from a copy or an earlier version of the store$/;

  it("are named when a bit has fallen over, where it matters, or when the end is missing", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(7), fc.boolean(), async (at, bit, isCut) => {
        const segments = await damage((bytes) => {
          if (isCut) return bytes.subarray(0, at % bytes.length);
          bytes[at % bytes.length]! ^= 1 << bit;
          return bytes;
        });
        const read = await segments.read({ ordinal: 12, index: 0 }).catch(() => null);
        if (read === null || isCut) await rejected(segments, "store-corrupt", DAMAGED);
        else assert.deepEqual(read, visitEntry(1));
      }),
      { numRuns: 60, seed: 9 },
    ));

  it("are named when something stands behind them", async () => {
    await rejected(await damage((bytes) => Buffer.concat([bytes, bytes])), "store-corrupt", DAMAGED);
    await rejected(await damage((bytes) => Buffer.concat([bytes, Buffer.from("more")])), "store-corrupt", DAMAGED);
  });

  it("are named when they are another segment's, or nothing of ours", async () => {
    const { blobs, pathOf } = store();
    const segments = new Segments(blobs);
    await segments.write(13, [visitEntry(1)]);
    await segments.write(12, [visitEntry(1)]);
    await rename(pathOf(13), pathOf(12));
    await rejected(segments, "store-corrupt", DAMAGED);
    for (const foreign of ["{}", "null", "<html>", ""])
      await rejected(await damage(() => zstdCompressSync(foreign)), "store-corrupt", DAMAGED);
  });

  it("are refused in words when they are of a newer version", async () => {
    const newer = '{"trawl":"records","version":2,"ordinal":12,"entries":0}';
    await rejected(
      await damage(() => zstdCompressSync(newer)),
      "store-refused",
      /0012\.jsonl\.zst is of version 2 of records, and this Trawl reads version 1; read it with one that is as new$/,
    );
  });

  it("are named when they are not there", async () => {
    const { blobs } = store();
    const segments = new Segments(blobs);
    const missing = {
      code: "store-missing",
      message: /^the records \S+0012\.jsonl\.zst are not there; put the object back from a copy/,
    };
    await assert.rejects(segments.read({ ordinal: 12, index: 0 }), missing);
    await segments.write(12, [visitEntry(1)]);
    await assert.rejects(segments.read({ ordinal: 12, index: 1 }), {
      code: "store-corrupt",
      message: /\(entry 1 is asked for, and it has 1\)/,
    });
  });
});

describe("a store that is away", () => {
  it("is waited for with the patience that was handed in", async () => {
    const { blobs } = store();
    const tries: string[] = [];
    let fails = 2;
    const failing = (what: string) => {
      tries.push(what);
      if (fails-- > 0) throw new BlobError("away", "it is away");
    };
    const segments = new Segments(
      {
        ...blobs,
        async put(key, bytes) {
          failing("put");
          await blobs.put(key, bytes);
        },
        async *get(key) {
          failing("get");
          yield* blobs.get(key);
        },
        async *list(prefix) {
          failing("list");
          yield* blobs.list(prefix);
        },
      },
      {
        patience: async (work) => {
          for (;;)
            try {
              return await work();
            } catch (cause) {
              if (!(cause instanceof BlobError) || fails < 0) throw cause;
            }
        },
      },
    );
    await segments.write(1, [visitEntry(1)]);
    assert.deepEqual(tries.splice(0), ["put", "put", "put"]);
    fails = 1;
    assert.deepEqual(await segments.read({ ordinal: 1, index: 0 }), visitEntry(1));
    assert.deepEqual(tries.splice(0), ["get", "get"]);
    fails = 1;
    assert.equal((await Array.fromAsync(segments.all(1, 1))).length, 1);
    assert.deepEqual(tries.splice(0), ["list", "list", "get"]);
  });

  it("is asked again when what it gives has been spoilt on its way", async () => {
    const { blobs, pathOf } = store();
    await new Segments(blobs).write(1, [visitEntry(1)]);
    const whole = await readFile(pathOf(1));
    await writeFile(pathOf(1), "spoilt");
    const mended = async () => writeFile(pathOf(1), whole);
    const patience = <T>(work: () => Promise<T>) => work().catch(() => mended().then(work));
    assert.deepEqual(await new Segments(blobs, { patience }).read({ ordinal: 1, index: 0 }), visitEntry(1));
  });
});
