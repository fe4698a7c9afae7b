/** The promises of `ports/blobs`, proved on every kind of store. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Blob, BlobError, type Blobs, type Range } from "../../src/ports/blobs.ts";

/** `open`: a store of its own for each test, empty. */
export function blobsConformance(name: string, open: () => Promise<Blobs>): void {
  describe(`blobs: ${name}`, () => {
    let dir: string;
    before(async () => {
      dir = await mkdtemp(join(tmpdir(), "blobs-"));
    });
    after(() => rm(dir, { recursive: true }));
    const file = async (bytes: Uint8Array): Promise<string> => {
      const path = join(dir, randomBytes(6).toString("hex"));
      await writeFile(path, bytes);
      return path;
    };

    it("gives back what was put, whole and by ranges", async () => {
      await using blobs = await open();
      await blobs.put("archive/a.warc.gz", Buffer.from("0123456789"));
      assert.equal(await textOf(blobs, "archive/a.warc.gz"), "0123456789");
      assert.equal(await textOf(blobs, "archive/a.warc.gz", { offset: 2, length: 3 }), "234");
      assert.equal(await textOf(blobs, "archive/a.warc.gz", { offset: 8, length: 9 }), "89");
      assert.equal(await textOf(blobs, "archive/a.warc.gz", { offset: 4, length: 0 }), "");
      assert.equal(await textOf(blobs, "archive/a.warc.gz", { offset: 10, length: 5 }), "");
      assert.deepEqual(await blobs.head("archive/a.warc.gz"), { key: "archive/a.warc.gz", bytes: 10 });
    });

    it("puts the new in the place of the old", async () => {
      await using blobs = await open();
      await blobs.put("crawl.json", Buffer.from("the first, which is longer"));
      await blobs.put("crawl.json", Buffer.from("second"));
      assert.equal(await textOf(blobs, "crawl.json"), "second");
      await blobs.putFile("crawl.json", await file(Buffer.from("third")));
      assert.equal(await textOf(blobs, "crawl.json"), "third");
    });

    it("keeps what is empty", async () => {
      await using blobs = await open();
      await blobs.put("none", new Uint8Array());
      await blobs.putFile("none-of-a-file", await file(new Uint8Array()));
      assert.equal(await textOf(blobs, "none"), "");
      assert.deepEqual(
        (await all(blobs, "")).map(({ bytes }) => bytes),
        [0, 0],
      );
    });

    it("keeps a file of several parts as it is, and tells of each", async () => {
      await using blobs = await open();
      const bytes = randomBytes(11 << 20);
      const told: string[] = [];
      await blobs.putFile("archive/big.warc.gz", await file(bytes), { onPart: (n, of) => told.push(`${n}/${of}`) });
      assert.equal(told.at(-1), `${told.length}/${told.length}`);
      const pieces: Uint8Array[] = [];
      for await (const piece of blobs.get("archive/big.warc.gz")) pieces.push(piece);
      assert.ok(Buffer.concat(pieces).equals(bytes));
      const over = (8 << 20) - 7;
      const range = { offset: over, length: 20 };
      const got: Uint8Array[] = [];
      for await (const piece of blobs.get("archive/big.warc.gz", range)) got.push(piece);
      assert.ok(Buffer.concat(got).equals(bytes.subarray(over, over + 20)));
    });

    it("lists by prefix, in order of key, and nothing else", async () => {
      await using blobs = await open();
      for (const key of ["b/2", "b/10", "a/x", "b/1/deep", "bc", "b-1"]) await blobs.put(key, Buffer.from(key));
      assert.deepEqual(await all(blobs, "b/"), [
        { key: "b/1/deep", bytes: 8 },
        { key: "b/10", bytes: 4 },
        { key: "b/2", bytes: 3 },
      ]);
      assert.deepEqual(
        (await all(blobs, "b")).map(({ key }) => key),
        ["b-1", "b/1/deep", "b/10", "b/2", "bc"],
      );
      assert.equal((await all(blobs, "")).length, 6);
      assert.deepEqual(await Array.fromAsync(blobs.list("b/", "b/10")), [{ key: "b/2", bytes: 3 }]);
      assert.deepEqual(await Array.fromAsync(blobs.list("b/", "b/2")), []);
      assert.deepEqual(await all(blobs, "c/"), []);
    });

    it("removes what is there, and does not mind what is not", async () => {
      await using blobs = await open();
      await blobs.put("a/1", Buffer.from("one"));
      await blobs.put("a/2", Buffer.from("two"));
      await blobs.remove(["a/1", "a/none"]);
      assert.deepEqual(
        (await all(blobs, "")).map(({ key }) => key),
        ["a/2"],
      );
      assert.equal(await blobs.head("a/1"), null);
      await blobs.remove([]);
    });

    it("says that a key is missing", async () => {
      await using blobs = await open();
      assert.equal(await blobs.head("a/none"), null);
      await assert.rejects(textOf(blobs, "a/none"), missing);
      await assert.rejects(textOf(blobs, "a/none", { offset: 1, length: 2 }), missing);
    });

    it("shows nothing of a file that was broken off, and takes it at the next call", async () => {
      await using blobs = await open();
      const path = await file(randomBytes(11 << 20));
      const stop = new AbortController();
      stop.abort();
      await assert.rejects(blobs.putFile("archive/cut.warc.gz", path, { signal: stop.signal }));
      assert.equal(await blobs.head("archive/cut.warc.gz"), null);
      assert.deepEqual(await all(blobs, ""), []);
      await blobs.putFile("archive/cut.warc.gz", path);
      assert.equal((await blobs.head("archive/cut.warc.gz"))?.bytes, 11 << 20);
      assert.deepEqual((await all(blobs, "")).length, 1);
    });

    it("takes no name that could be a path to elsewhere", async () => {
      await using blobs = await open();
      for (const key of ["", "/a", "a/", "../a", "a/../b", "a//b", ".", "a b", "a\\b", "é"])
        await assert.rejects(blobs.put(key, Buffer.from("x")), /is no name of a blob/, key);
    });
  });
}

const missing = (error: unknown): boolean => error instanceof BlobError && error.code === "store-missing";

async function textOf(blobs: Blobs, key: string, range?: Range): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blobs.get(key, range)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function all(blobs: Blobs, prefix: string): Promise<Blob[]> {
  const found: Blob[] = [];
  for await (const one of blobs.list(prefix)) found.push(one);
  return found;
}
