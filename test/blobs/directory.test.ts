import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { directoryBlobs } from "../../src/blobs/directory.ts";
import { BlobError, type Blobs } from "../../src/ports/blobs.ts";
import { blobsConformance } from "../conformance/blobs.ts";

async function fresh(): Promise<Blobs> {
  const dir = await mkdtemp(join(tmpdir(), "directory-"));
  const blobs = directoryBlobs(join(dir, "store"));
  return Object.assign(blobs, { [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) });
}

blobsConformance("a directory", fresh);

describe("blobs in a directory", () => {
  it("leaves nothing beside a file that was put, nor beside one that could not be read", async () => {
    await using blobs = await fresh();
    await blobs.put("a/b", Buffer.from("x"));
    await assert.rejects(blobs.putFile("a/c", join(blobs.name, "not-there")), /ENOENT/);
    assert.deepEqual(await readdir(join(blobs.name, ".trawl-incoming")), []);
    assert.deepEqual(await readdir(join(blobs.name, "a")), ["b"]);
  });

  it("takes the same key from two writers at the same time", async () => {
    await using blobs = await fresh();
    const writers = ["a", "b"].map((writer) => directoryBlobs(blobs.name, writer));
    const bytes = Buffer.alloc(3 << 20, "x");
    for (let round = 0; round < 5; round++) await Promise.all(writers.map((blobs) => blobs.put("one", bytes)));
    const pieces: Uint8Array[] = [];
    for await (const piece of blobs.get("one")) pieces.push(piece);
    assert.ok(Buffer.concat(pieces).equals(bytes));
  });

  it("says in words that it may not write", async () => {
    await using blobs = await fresh();
    await blobs.put("a/b", Buffer.from("x"));
    await writeFile(join(blobs.name, "plain"), "");
    await assert.rejects(blobs.put("plain/c", Buffer.from("x")), (error) => error instanceof BlobError);
    await chmod(blobs.name, 0o700);
  });
});
