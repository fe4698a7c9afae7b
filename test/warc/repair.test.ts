import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ArchiveError } from "../../src/warc/error.ts";
import { readRecordAt } from "../../src/warc/read-at.ts";
import { repairArchive } from "../../src/warc/repair.ts";
import { archiveIn, archiveNames, exchange, folder, note, soundRecords } from "./fixtures.ts";

const NAME = "trawl-20261130120000250-0-00000.warc.gz";
const isDamage = (error: unknown) => error instanceof ArchiveError && error.code === "damaged";

/** A file as a kill leaves it: one committed capture, one that is not, both under `.open`. */
async function killed(dir: string) {
  const archive = await archiveIn(dir);
  const committed = archive.append(exchange({ text: "committed" }), note);
  const [mark] = await archive.sync();
  archive.append(exchange({ text: "lost" }), note);
  const [all] = await archive.sync();
  await archive[Symbol.asyncDispose]();
  await rename(join(dir, NAME), join(dir, `${NAME}.open`));
  return { committed, bytes: mark!.bytes, all: all!.bytes };
}

describe("repairing an archive", () => {
  it("cuts a file back to its committed length, wherever in the tail the kill fell", async (t) => {
    const source = await folder(t);
    const { committed, bytes, all } = await killed(source);
    const dir = join(source, "copy");
    await mkdir(dir);
    const path = join(dir, NAME);
    const expected = (await readFile(join(source, `${NAME}.open`))).subarray(0, bytes);
    for (let size = bytes; size <= all; size++) {
      await rm(path, { force: true });
      await copyFile(join(source, `${NAME}.open`), `${path}.open`);
      await truncate(`${path}.open`, size);
      const repairs = await repairArchive(dir, new Map([[NAME, bytes]]));
      assert.deepEqual(repairs, [{ file: NAME, bytes, cut: size - bytes }]);
      assert.deepEqual(await readFile(path), expected);
    }
    assert.deepEqual(await archiveNames(dir), [NAME]);
    assert.equal((await soundRecords(path)).length, 3);
    assert.equal((await readRecordAt(dir, committed.response)).body.toString(), "committed");
  });

  it("never cuts a file elsewhere that is linked to: it is somebody's, and may grow", async (t) => {
    const source = await folder(t);
    const { committed, bytes } = await killed(source);
    const elsewhere = join(source, `${NAME}.open`);
    const before = await readFile(elsewhere);
    const dir = join(source, "linked");
    await mkdir(dir);
    await symlink(elsewhere, join(dir, NAME));
    assert.deepEqual(await repairArchive(dir, new Map([[NAME, bytes]])), []);
    assert.deepEqual(await readFile(elsewhere), before);
    assert.equal((await readRecordAt(dir, committed.response)).body.toString(), "committed");
  });

  it("removes a file of which nothing was committed", async (t) => {
    const dir = await folder(t);
    const { all } = await killed(dir);
    assert.deepEqual(await repairArchive(dir, new Map()), [{ file: NAME, bytes: 0, cut: all }]);
    assert.deepEqual(await archiveNames(dir), []);
  });

  it("sets a finished file aside that the state does not know: it may be somebody's only copy", async (t) => {
    const dir = await folder(t);
    const { all } = await killed(dir);
    await rename(join(dir, `${NAME}.open`), join(dir, NAME));
    assert.deepEqual(await repairArchive(dir, new Map()), [{ file: NAME, bytes: 0, cut: all }]);
    assert.deepEqual(await archiveNames(dir), [`${NAME}.unknown`]);
    assert.deepEqual(await repairArchive(dir, new Map()), []);
  });

  it("changes nothing that is right, nor what is not an archive file", async (t) => {
    const dir = await folder(t);
    const { all } = await killed(dir);
    await rename(join(dir, `${NAME}.open`), join(dir, NAME));
    await writeFile(join(dir, "notes.txt"), "mine");
    const marks = new Map([
      [NAME, all],
      ["pages.jsonl", 1000],
    ]);
    assert.deepEqual(await repairArchive(dir, marks), []);
    assert.deepEqual(await archiveNames(dir), ["notes.txt", NAME]);
  });

  it("refuses a file that is shorter than what was committed, and cuts no other", async (t) => {
    const dir = await folder(t);
    const { all } = await killed(dir);
    await writeFile(join(dir, "another.warc.gz.open"), "tail");
    const marks = new Map([[NAME, all + 1]]);
    await assert.rejects(repairArchive(dir, marks), isDamage);
    assert.equal((await stat(join(dir, `${NAME}.open`))).size, all);
    assert.equal((await stat(join(dir, "another.warc.gz.open"))).size, 4);
  });

  it("refuses when a committed file is gone", async (t) => {
    const dir = await folder(t);
    await assert.rejects(repairArchive(dir, new Map([[NAME, 10]])), isDamage);
  });

  it("refuses to choose between a finished file and an open one of the same name", async (t) => {
    const dir = await folder(t);
    const { bytes } = await killed(dir);
    await copyFile(join(dir, `${NAME}.open`), join(dir, NAME));
    await assert.rejects(repairArchive(dir, new Map([[NAME, bytes]])), isDamage);
  });

  it("has nothing to do where there is no folder yet", async (t) => {
    assert.deepEqual(await repairArchive(join(await folder(t), "archive"), new Map()), []);
  });
});
