import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { giveTurnBack, takeOver } from "../../../src/app/run/take-over.ts";
import { silentLog } from "../../../src/base/log.ts";
import { directoryBlobs } from "../../../src/blobs/directory.ts";
import { tempDir } from "../../e2e/trawl.ts";

const LEFT = "trawl-20261201-dead_0-00000.warc.gz";
const OTHERS = "trawl-20261201-beef_0-00000.warc.gz";

/** Two files in segments, of a crawler that is gone and of one that lives, and what crawlers know of each other. */
async function world() {
  const dir = await tempDir();
  const blobs = directoryBlobs(join(dir.path, "store"));
  for (const file of [LEFT, OTHERS]) {
    await blobs.put(`segments/${file}/0000000000000000`, Buffer.from("abc"));
    await blobs.put(`segments/${file}/0000000000000003`, Buffer.from("def"));
  }
  const marks = new Map([LEFT, OTHERS].map((file) => [file, 5]));
  const told = new Map<string, string>();
  const facts = {
    async settle(name: string, value: string) {
      if (!told.has(name)) told.set(name, value);
      return told.get(name)!;
    },
    async replaceFact(name: string, before: string | null, after: string) {
      if ((told.get(name) ?? null) !== before) return false;
      told.set(name, after);
      return true;
    },
  };
  const living = new Set(["beef", "cafe"]);
  const archiveOf = (id: string) => join(dir.path, id, "archive");
  const crawler = async (id: string) => {
    await mkdir(archiveOf(id), { recursive: true });
    const parts = { ...{ dir: join(dir.path, id), id, facts, blobs }, log: silentLog };
    return { ...parts, state: { marks: async () => marks }, isLiving: (other: string) => living.has(other) };
  };
  return { blobs, living, crawler, archiveOf, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe("archive files that a crawler has left behind", () => {
  it("are put together from their segments, as far as they are committed; those of the living are not", async () => {
    await using at = await world();
    await takeOver(await at.crawler("beef"));
    assert.deepEqual(await readdir(at.archiveOf("beef")), [LEFT]);
    assert.equal(await readFile(join(at.archiveOf("beef"), LEFT), "utf8"), "abcde");
  });

  it("are brought by one of two that come at the same time: the other waits, and finds them in their place", async () => {
    await using at = await world();
    const [one, two] = [await at.crawler("beef"), await at.crawler("cafe")];
    await takeOver(one);
    let isOver = false;
    const second = takeOver(two).then(() => {
      isOver = true;
    });
    await sleep(50);
    assert.ok(!isOver);
    await at.blobs.put(`archive/${LEFT}`, await readFile(join(at.archiveOf("beef"), LEFT)));
    await giveTurnBack(one);
    await second;
    assert.deepEqual(await readdir(at.archiveOf("cafe")), []);
  });

  it("are brought by another when the first has died at it", async () => {
    await using at = await world();
    await takeOver(await at.crawler("beef"));
    at.living.delete("beef");
    await takeOver(await at.crawler("cafe"));
    assert.deepEqual((await readdir(at.archiveOf("cafe"))).sort(), [OTHERS, LEFT].sort());
  });

  it("are not brought when they are whole in the store: what is left of their segments goes", async () => {
    await using at = await world();
    await at.blobs.put(`archive/${LEFT}`, Buffer.from("abcde"));
    await at.blobs.remove([`segments/${LEFT}/0000000000000000`]);
    await takeOver(await at.crawler("beef"));
    assert.deepEqual(await readdir(at.archiveOf("beef")), []);
    const segments = (await Array.fromAsync(at.blobs.list("segments/"))).map(({ key }) => key);
    assert.deepEqual(
      segments,
      [0, 3].map((offset) => `segments/${OTHERS}/${String(offset).padStart(16, "0")}`),
    );
  });

  it("are looked for once more when their segments go while they are read: who had left them has come back, and sent them", async () => {
    await using at = await world();
    const one = await at.crawler("beef");
    const { blobs } = at;
    const get = blobs.get.bind(blobs);
    let reads = 0;
    blobs.get = async function* (key, range) {
      if (++reads === 2) {
        await blobs.put(`archive/${LEFT}`, Buffer.from("abcde"));
        await blobs.remove([key]);
      }
      yield* get(key, range);
    };
    await takeOver(one);
    assert.deepEqual(await readdir(at.archiveOf("beef")), []);
  });
});
