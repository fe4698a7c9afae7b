import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { directoryBlobs } from "../../src/blobs/directory.ts";
import type { Patience } from "../../src/blobs/patience.ts";
import { bytesOf, removeSegments, segmentedArchive, segmentedFiles, segmentsOf } from "../../src/blobs/segments.ts";
import type { ArchiveMark } from "../../src/model/capture.ts";
import type { Archive } from "../../src/ports/archive.ts";
import { BlobError, type Blobs, type Range } from "../../src/ports/blobs.ts";

let root: string;
let n = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "segments-"));
});
after(() => rm(root, { recursive: true }));

const FILE = "trawl-1-0-00000.warc.gz";
const soon: Patience = (work) => work();

/** An archive that says what the test says; its file holds `text`. */
async function world(patience: Patience = soon) {
  const dir = join(root, `archive-${n++}`);
  const blobs = directoryBlobs(join(root, `store-${n}`));
  let next: ArchiveMark[] = [];
  const local = { sync: async () => next, async [Symbol.asyncDispose]() {} } as unknown as Archive;
  const archive = segmentedArchive({ archive: local, blobs, dir, patience });
  const write = async (text: string, isOpen = true) => {
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir);
    await writeFile(join(dir, isOpen ? `${FILE}.open` : FILE), text);
  };
  const sync = (marks: readonly ArchiveMark[]) => {
    next = [...marks];
    return archive.sync();
  };
  return { dir, blobs, write, sync };
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const got: Uint8Array[] = [];
  for await (const piece of pieces) got.push(piece);
  return Buffer.concat(got).toString();
}

async function* segmentBytes(blobs: Blobs, range: Range = { offset: 0, length: 1_000 }): AsyncGenerator<Uint8Array> {
  yield* bytesOf(blobs, await Array.fromAsync(segmentsOf(blobs, FILE)), range);
}

async function keys(blobs: Blobs): Promise<string[]> {
  const found: string[] = [];
  for await (const { key, bytes } of blobs.list("")) found.push(`${key.replace(FILE, "FILE")} ${bytes}`);
  return found;
}

describe("the segments of an archive", () => {
  it("are what each sync made durable, one behind the other", async () => {
    const { blobs, write, sync } = await world();
    await write("0123456789");
    assert.deepEqual(await sync([{ file: FILE, bytes: 4 }]), [{ file: FILE, bytes: 4 }]);
    assert.equal(await all(segmentBytes(blobs)), "0123");
    await sync([]);
    await sync([{ file: FILE, bytes: 9 }]);
    assert.deepEqual(await keys(blobs), ["segments/FILE/0000000000000000 4", "segments/FILE/0000000000000004 5"]);
    assert.equal(await all(segmentBytes(blobs)), "012345678");
  });

  it("are read by ranges, also over their borders", async () => {
    const { blobs, write, sync } = await world();
    await write("0123456789");
    for (const bytes of [3, 4, 10]) await sync([{ file: FILE, bytes }]);
    for (let offset = 0; offset <= 10; offset++)
      for (let length = 0; length <= 11 - offset; length++)
        assert.equal(await all(segmentBytes(blobs, { offset, length })), "0123456789".slice(offset, offset + length));
  });

  it("end before a gap", async () => {
    const { blobs, write, sync } = await world();
    await write("0123456789");
    for (const bytes of [3, 6, 10]) await sync([{ file: FILE, bytes }]);
    await blobs.remove([`segments/${FILE}/0000000000000003`]);
    assert.equal(await all(segmentBytes(blobs)), "012");
    assert.equal(await all(segmentBytes(blobs, { offset: 4, length: 4 })), "");
  });

  it("are taken from a file that was finished and renamed meanwhile", async () => {
    const { dir, blobs, write, sync } = await world();
    await write("0123456789");
    await sync([{ file: FILE, bytes: 5 }]);
    await rename(join(dir, `${FILE}.open`), join(dir, FILE));
    await sync([{ file: FILE, bytes: 10 }]);
    assert.equal(await all(segmentBytes(blobs)), "0123456789");
  });

  it("are small enough to be sent again: a long sync makes several", async () => {
    const { blobs, write, sync } = await world();
    await write("x".repeat(20 << 20));
    await sync([{ file: FILE, bytes: 20 << 20 }]);
    assert.equal((await keys(blobs)).length, 3);
  });

  it("keep a sync from coming back while the store does not take them", async () => {
    const { blobs, write, sync } = await world(async () => {
      throw new BlobError("away", "not there");
    });
    await write("0123456789");
    await assert.rejects(sync([{ file: FILE, bytes: 4 }]), { code: "store-away" });
    assert.deepEqual(await keys(blobs), []);
  });

  it("are listed by file, and removed with it", async () => {
    const { blobs, write, sync } = await world();
    await write("0123456789");
    await sync([{ file: FILE, bytes: 4 }]);
    await sync([{ file: FILE, bytes: 10 }]);
    await blobs.put("segments/other.warc.gz/0000000000000000", Buffer.from("x"));
    assert.deepEqual(await segmentedFiles(blobs), ["other.warc.gz", FILE]);
    await removeSegments(blobs, FILE);
    assert.deepEqual(await segmentedFiles(blobs), ["other.warc.gz"]);
  });
});
