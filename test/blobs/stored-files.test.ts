import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { directoryBlobs } from "../../src/blobs/directory.ts";
import { archiveKey, removeSegments } from "../../src/blobs/segments.ts";
import { StoredFiles } from "../../src/blobs/stored-files.ts";
import type { Blobs } from "../../src/ports/blobs.ts";

let root: string;
let n = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "stored-"));
});
after(() => rm(root, { recursive: true }));

const FILE = "trawl-1-0-00000.warc.gz";
const TEXT = "0123456789";

/** A store, and what was asked of it. */
function world() {
  const blobs = directoryBlobs(join(root, `store-${n++}`));
  const asked: string[] = [];
  const watched: Blobs = Object.assign(Object.create(blobs) as Blobs, {
    get(key: string, range: { offset: number; length: number }) {
      asked.push(`get ${key.split("/")[0]}`);
      return blobs.get(key, range);
    },
    list(prefix: string, after?: string) {
      asked.push(after === undefined ? "list" : `list after ${Number(after.split("/").at(-1))}`);
      return blobs.list(prefix, after);
    },
    put: blobs.put.bind(blobs),
  });
  const add = (text: string, offset: number, file = FILE) =>
    blobs.put(`segments/${file}/${String(offset).padStart(16, "0")}`, Buffer.from(text));
  return { blobs, watched, asked, add, forget: () => asked.splice(0) };
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(pieces)).toString();
}

/** Segments of these lengths, one behind the other. */
async function inSegments(of: ReturnType<typeof world>, ...lengths: number[]): Promise<void> {
  let at = 0;
  for (const length of lengths) {
    await of.add(TEXT.slice(at, at + length), at);
    at += length;
  }
}

describe("files of an archive in a store", () => {
  it("are listed once, however many pieces of them are read", async () => {
    const store = world();
    await inSegments(store, 3, 3, 4);
    const files = new StoredFiles(store.watched);
    for (let offset = 0; offset < 10; offset++)
      assert.equal(await all(files.bytes(FILE, { offset, length: 1 })), TEXT[offset]);
    const counts = Map.groupBy(store.asked, (what) => what);
    assert.deepEqual(
      Array.from(counts, ([what, times]) => [what, times.length]),
      [
        ["get archive", 1],
        ["list", 1],
        ["get segments", 10],
      ],
    );
  });

  it("are asked for what has come since when a piece is behind what is known", async () => {
    const store = world();
    await inSegments(store, 3, 3);
    const files = new StoredFiles(store.watched);
    assert.equal(await files.lengthInSegments(FILE), 6);
    await store.add("6789", 6);
    store.forget();
    assert.equal(await all(files.bytes(FILE, { offset: 5, length: 5 })), "56789");
    assert.deepEqual(store.asked, ["get segments", "list after 0", "get segments"]);
    store.forget();
    assert.equal(await all(files.bytes(FILE, { offset: 7, length: 2 })), "78");
    assert.deepEqual(store.asked, ["get segments"]);
  });

  it("may have a last segment that was sent again, and longer", async () => {
    const store = world();
    await inSegments(store, 3, 3);
    const files = new StoredFiles(store.watched);
    await files.lengthInSegments(FILE);
    await store.add("34567", 3);
    await store.add("89", 8);
    assert.equal(await all(files.bytes(FILE, { offset: 4, length: 5 })), "45678");
  });

  it("are read whole when they have gone up whole, also while they are read", async () => {
    for (const isKnown of [true, false])
      for (const read of [0, 1, 2, 3]) {
        const store = world();
        await inSegments(store, 3, 3, 4);
        const files = new StoredFiles(store.watched);
        if (isKnown) await files.lengthInSegments(FILE);
        const pieces = files.bytes(FILE, { offset: 1, length: 8 });
        const before: Uint8Array[] = [];
        for (let nth = 0; nth < read; nth++) before.push((await pieces.next()).value!);
        await store.blobs.put(archiveKey(FILE), Buffer.from(TEXT));
        await removeSegments(store.blobs, FILE);
        assert.equal(Buffer.concat(before).toString() + (await all(pieces)), "12345678", `${isKnown}, ${read} read`);
        store.forget();
        assert.equal(await all(files.bytes(FILE, { offset: 1, length: 2 })), "12");
      }
  });

  it("are no reason to fail where they end before, or nothing is there", async () => {
    const store = world();
    const files = new StoredFiles(store.watched);
    assert.equal(await all(files.bytes(FILE, { offset: 0, length: 9 })), "");
    assert.equal(await files.lengthInSegments(FILE), 0);
    await inSegments(store, 3, 3);
    assert.equal(await all(files.bytes(FILE, { offset: 2, length: 20 })), "2345");
    assert.equal(await all(files.bytes(FILE, { offset: 7, length: 2 })), "");
    await store.add("9", 9);
    assert.equal(await all(files.bytes(FILE, { offset: 5, length: 5 })), "5", "there is a gap");
  });

  it("that were read longest ago are forgotten when there are too many segments", async () => {
    const store = world();
    for (const file of ["a", "b", "c"]) for (const offset of [0, 1]) await store.add("x", offset, file);
    const files = new StoredFiles(store.watched, 4);
    for (const file of ["a", "b", "a", "c"]) await all(files.bytes(file, { offset: 0, length: 1 }));
    store.forget();
    for (const file of ["a", "c"]) await all(files.bytes(file, { offset: 0, length: 1 }));
    assert.deepEqual(store.asked, ["get segments", "get segments"]);
    store.forget();
    await all(files.bytes("b", { offset: 0, length: 1 }));
    assert.deepEqual(store.asked, ["get archive", "list", "get segments"]);
  });
});
