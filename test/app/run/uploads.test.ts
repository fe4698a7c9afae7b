import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { storedArchive } from "../../../src/app/run/stored-archive.ts";
import { Uploads } from "../../../src/app/run/uploads.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { directoryBlobs } from "../../../src/blobs/directory.ts";
import type { Archive } from "../../../src/ports/archive.ts";
import { BlobError, type Blobs } from "../../../src/ports/blobs.ts";

let root: string;
let n = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "uploads-"));
});
after(() => rm(root, { recursive: true }));

const clock: Clock = { now: () => 0, sleep: async () => {} };
const never = new AbortController().signal;

/** Files of an archive, and what the state says is committed of them. */
async function world(
  files: Readonly<Record<string, number>>,
  marks: Readonly<Record<string, number>>,
  keepLocal = false,
) {
  const dir = join(root, `archive-${n++}`);
  await mkdir(dir);
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(dir, name), "x".repeat(bytes));
  const blobs = directoryBlobs(join(root, `store-${n}`));
  const facts = new Map<string, string>();
  const points: string[] = [];
  const uploads = (store: Blobs = blobs) =>
    new Uploads({
      ...{ dir, blobs: store, keepLocal, clock, log: silentLog },
      state: {
        marks: async () => new Map(Object.entries(marks)),
        fact: async (name) => facts.get(name) ?? null,
        setFact: async (name, value) => void facts.set(name, value),
        sync: async () => void points.push("state"),
      },
      patience: (work) => work(),
      fault: (point) => void points.push(point),
      failed: (cause) => assert.fail(String(cause)),
    });
  return { dir, blobs, uploads, points, here: async () => (await readdir(dir)).sort() };
}

async function keys(blobs: Blobs): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of blobs.list("")) found.push(key);
  return found;
}

describe("uploads of archive files", () => {
  it("take finished files that are committed to their last byte, and no others", async () => {
    const files = { "a.warc.gz": 10, "b.warc.gz": 10, "c.warc.gz.open": 10, "d.warc.gz": 10, "notes.txt": 5 };
    const { blobs, uploads, here } = await world(files, { "a.warc.gz": 10, "b.warc.gz": 8, "c.warc.gz": 10 });
    await using one = uploads();
    assert.deepEqual(await one.waiting(), { files: 1, bytes: 10 });
    await one.drain(never);
    assert.deepEqual(await keys(blobs), ["archive/a.warc.gz"]);
    assert.deepEqual(await here(), ["b.warc.gz", "c.warc.gz.open", "d.warc.gz", "notes.txt"]);
    assert.deepEqual(await one.waiting(), { files: 0, bytes: 0 });
  });

  it("take the segments of a file away when it is there, and then the copy on the disk", async () => {
    const { blobs, uploads, points } = await world({ "a.warc.gz": 10 }, { "a.warc.gz": 10 });
    await blobs.put("segments/a.warc.gz/0000000000000000", Buffer.from("x"));
    await using one = uploads();
    await one.drain(never);
    assert.deepEqual(points, ["state", "part", "uploaded", "segments gone", "local gone"]);
    assert.deepEqual(await keys(blobs), ["archive/a.warc.gz"]);
  });

  it("leave the copy when it is to stay, and send it once, also in the next run", async () => {
    const { uploads, points, here } = await world({ "a.warc.gz": 10 }, { "a.warc.gz": 10 }, true);
    for (let run = 0; run < 2; run++) {
      await using one = uploads();
      await one.drain(never);
    }
    assert.equal(points.filter((point) => point === "uploaded").length, 1);
    assert.deepEqual(await here(), ["a.warc.gz"]);
  });

  it("remove nothing when the store does not take it", async () => {
    const { blobs, uploads, here } = await world({ "a.warc.gz": 10 }, { "a.warc.gz": 10 });
    const refusing = Object.create(blobs) as Blobs;
    refusing.putFile = async () => {
      throw new BlobError("refused", "no");
    };
    await using one = uploads(refusing);
    await assert.rejects(one.drain(never), { code: "store-refused" });
    assert.deepEqual(await here(), ["a.warc.gz"]);
  });
});

describe("the archive of a crawl that has a store", () => {
  const synced = (): Archive =>
    ({ sync: async () => [{ file: "a.warc.gz", bytes: 1 }], async [Symbol.asyncDispose]() {} }) as unknown as Archive;

  it("comes back from no sync while too much waits for the store, and says so once", async () => {
    const waitingMib = new Int32Array(new SharedArrayBuffer(4));
    const said: string[] = [];
    let looks = 0;
    const patient: Clock = {
      now: () => 0,
      async sleep() {
        if (++looks === 5) Atomics.store(waitingMib, 0, 3);
      },
    };
    const archive = storedArchive(synced(), {
      ...{ blobs: directoryBlobs(root), dir: root, segments: false, waitingMib, spoolBytes: 3 << 20, clock: patient },
      log: { warn: (_facts, event) => said.push(event) },
    });
    await archive.sync();
    assert.deepEqual([looks, said], [0, []]);
    Atomics.store(waitingMib, 0, 4);
    await archive.sync();
    assert.deepEqual([looks, said], [5, ["spool-full"]]);
    Atomics.store(waitingMib, 0, 4);
    await archive.sync(AbortSignal.abort());
    assert.equal(looks, 5);
  });
});
