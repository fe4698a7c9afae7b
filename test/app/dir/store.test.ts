import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  claimStore,
  clearStore,
  marksHere,
  mustBeSameStore,
  ownerOf,
  sweepSegments,
} from "../../../src/app/dir/store.ts";
import { directoryBlobs } from "../../../src/blobs/directory.ts";
import type { Blobs } from "../../../src/ports/blobs.ts";

let root: string;
let n = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
after(() => rm(root, { recursive: true }));

const fresh = (): Blobs => directoryBlobs(join(root, `store-${n++}`));
const text = (words: string) => Buffer.from(words);

function stateOf(marks: Readonly<Record<string, number>> = {}) {
  const facts = new Map<string, string>();
  return {
    facts,
    marks: async () => new Map(Object.entries(marks)),
    fact: async (name: string) => facts.get(name) ?? null,
    setFact: async (name: string, value: string) => void facts.set(name, value),
  };
}

async function keys(blobs: Blobs): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of blobs.list("")) found.push(key);
  return found;
}

describe("a place in a store", () => {
  it("belongs to the crawl that took it, while it has an archive there", async () => {
    const blobs = fresh();
    const [first, second] = [stateOf(), stateOf()];
    assert.equal(await ownerOf(blobs), null);
    await claimStore(first, blobs, null, "one");
    assert.equal(await ownerOf(blobs), "one");
    await claimStore(first, blobs, "one", "other");
    await claimStore(second, blobs, "one", "two"); // there was no archive
    assert.equal(await ownerOf(blobs), "two");
    await blobs.put("segments/a.warc.gz/0000000000000000", text("x"));
    await assert.rejects(claimStore(first, blobs, "two", "one"), /holds the archive of another crawl/);
    await claimStore(second, blobs, "two", "more");
  });

  it("is the one that the crawl began with", async () => {
    const state = stateOf();
    await mustBeSameStore(state, null);
    await state.setFact("store", "s3://b/one");
    await assert.rejects(mustBeSameStore(state, null), /is in s3:\/\/b\/one; give --store s3:\/\/b\/one$/);
    await assert.rejects(mustBeSameStore(state, fresh()), /is in s3:\/\/b\/one, not .*; give --store s3:\/\/b\/one$/);
  });

  it("is cleared of what the crawl has there, and of nothing else", async () => {
    const blobs = fresh();
    const state = stateOf({ "a.warc.gz": 1, "pages/pages.jsonl": 7 });
    await claimStore(state, blobs, null, "one");
    for (const key of ["archive/a.warc.gz", "segments/a.warc.gz/0000000000000000", "archive/b.warc.gz", "mine.txt"])
      await blobs.put(key, text("x"));
    await clearStore(state, blobs);
    assert.deepEqual(await keys(blobs), ["archive/b.warc.gz", "mine.txt", "owner.json"]);
  });

  it("loses segments of its files of which nothing was committed, and none of what is another's", async () => {
    const blobs = fresh();
    for (const file of ["a", "b", "others"]) await blobs.put(`segments/${file}.warc.gz/0000000000000000`, text("x"));
    await sweepSegments(new Map([["a.warc.gz", 1]]), blobs, (file) => file !== "others.warc.gz");
    const left = ["segments/a.warc.gz/0000000000000000", "segments/others.warc.gz/0000000000000000"];
    assert.deepEqual(await keys(blobs), left);
  });
});

describe("files that must be on the disk when a crawl starts", () => {
  const ARCHIVE = "a.warc.gz";
  async function world(bytes: number) {
    const dir = join(root, `archive-${n++}`);
    await mkdir(dir);
    const blobs = fresh();
    return { dir, blobs, here: () => marksHere(dir, new Map([[ARCHIVE, bytes]]), blobs) };
  }
  const there = async (dir: string) =>
    (await readdir(dir)).length === 0 ? null : readFile(join(dir, ARCHIVE), "utf8");

  it("are not those that are whole in the store", async () => {
    const { dir, blobs, here } = await world(5);
    await blobs.put(`archive/${ARCHIVE}`, text("hello"));
    assert.deepEqual([...(await here()).keys()], []);
    assert.equal(await there(dir), null);
  });

  it("are those that are here, whatever is in the store", async () => {
    const { dir, blobs, here } = await world(5);
    await writeFile(join(dir, ARCHIVE), "local");
    await blobs.put(`archive/${ARCHIVE}`, text("hello"));
    assert.deepEqual([...(await here()).keys()], [ARCHIVE]);
    assert.equal(await there(dir), "local");
  });

  it("come back from their segments, as far as they are committed", async () => {
    const { dir, blobs, here } = await world(5);
    await blobs.put(`segments/${ARCHIVE}/0000000000000000`, text("hel"));
    await blobs.put(`segments/${ARCHIVE}/0000000000000003`, text("lo and more"));
    assert.deepEqual([...(await here()).keys()], [ARCHIVE]);
    assert.equal(await there(dir), "hello");
  });

  it("come back from the whole, when the state knows less of it", async () => {
    const { dir, blobs, here } = await world(5);
    await blobs.put(`archive/${ARCHIVE}`, text("hello and more"));
    assert.deepEqual([...(await here()).keys()], [ARCHIVE]);
    assert.equal(await there(dir), "hello");
  });

  it("are missed, and nothing is made up, when bytes of them are nowhere", async () => {
    const { dir, blobs, here } = await world(5);
    await blobs.put(`segments/${ARCHIVE}/0000000000000000`, text("hel"));
    assert.deepEqual([...(await here()).keys()], [ARCHIVE]);
    assert.equal(await there(dir), null);
  });
});
