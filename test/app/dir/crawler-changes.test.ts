/** The changes that a crawler of a shared crawl tells: each stands once in its file, whatever was not taken, and whenever it is killed. */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openCrawlerChanges } from "../../../src/app/dir/crawler-changes.ts";
import type { ChangeEvent } from "../../../src/model/event.ts";
import type { Lease } from "../../../src/model/lease.ts";
import type { Href } from "../../../src/model/url.ts";
import { memoryBackend } from "../../../src/store/memory/backend.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";

let dir: string;
let path: string;
let clock: TestClock;
let state: ReturnType<typeof memoryBackend>;
let living: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-crawler-changes-"));
  path = join(dir, "deeper/changes.jsonl");
  clock = new TestClock();
  state = memoryBackend({ clock });
  living = ["me"];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (id = "me") => openCrawlerChanges(path, { id, state, isLiving: (one) => living.includes(one) });

const event = (urlId: number, at: number): ChangeEvent => ({
  ...{ kind: "changed", urlId, href: `http://a.test/${urlId}` as Href, at, seenAt: 1, status: 200 },
  ...{ distance: 12, digest: "sha1:B", digestBefore: "sha1:A", to: null },
});

/** A page of a host of its own, at a time of its own. */
async function leased(): Promise<Lease> {
  clock.time += 1_000;
  await state.add([url(`h${clock.time}.test`, "")]);
  const [lease] = await state.lease(1);
  return lease!;
}

const settle = (lease: Lease) =>
  state.commit({ settled: [settled(lease, ended("fetched"), clock.time)], hosts: [], robots: [], marks: [] });

const told = (): number[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : (JSON.parse(line) as { id: number }).id));

describe("the changes that a crawler tells", () => {
  it("are those of pages that were taken: what was refused goes out of the file again", async () => {
    await using file = await open();
    await file.write([event(1, 10), event(2, 20), event(3, 30)]);
    assert.deepEqual(told(), [1, 2, 3], "before the commit");
    await file.settled!([true, false, true]);
    assert.deepEqual(told(), [1, 3]);
    await file.write([event(4, 40)]);
    await file.settled!([false]);
    assert.deepEqual(told(), [1, 3]);
  });

  it("count after a kill as far as their visits are recorded, and no further", async () => {
    const file = await open();
    const first = await leased();
    await settle(first);
    const mark = await file.write([event(first.url.id, clock.time)]);
    await file.settled!([true]);
    assert.equal(mark.bytes, 0, "nothing was settled when it was written");
    const second = await leased();
    const secondAt = clock.time;
    const third = await leased();
    const marked = await file.write([event(second.url.id, secondAt), event(third.url.id, clock.time)]);
    await state.commit({ settled: [], hosts: [], robots: [], marks: [marked] });
    // One of the two shards has settled when it is killed, and half a line is there of the next.
    await state.commit({ settled: [settled(second, ended("fetched"), secondAt)], hosts: [], robots: [], marks: [] });
    appendFileSync(path, '{"event":"chan');
    await file[Symbol.asyncDispose]();

    await using again = await open();
    assert.deepEqual(told(), [first.url.id, second.url.id]);
    await again.write([event(9, 90)]);
    assert.deepEqual(told(), [first.url.id, second.url.id, 9]);
  });

  it("leave what was in the file before, and go on in one that was taken away", async () => {
    await (await open())[Symbol.asyncDispose]();
    rmSync(path);
    writeFileSync(path, '{"id":100}\n');
    living = ["other"];
    const other = await open("other");
    await other.write([event(1, 10)]);
    await other.settled!([true]);
    await other[Symbol.asyncDispose]();
    assert.deepEqual(told(), [100, 1]);
  });

  it("are in a file of its own on its machine", async () => {
    living = ["me", "other"];
    await using _ = await open();
    await assert.rejects(
      open("other"),
      /--events: \S+ is written by another crawler of this crawl; name a file of this/,
    );
    living = ["other"];
    await (await open("other"))[Symbol.asyncDispose]();
  });
});
