import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { csvTexts } from "../../src/export/csv.ts";
import { formatFor, formats } from "../../src/export/formats.ts";
import { pageLine } from "../../src/export/jsonl.ts";
import { dropped, fetched, queued } from "./records.ts";

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "trawl-export-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

describe("an export", () => {
  it("is chosen by the ending of the file's name", () => {
    assert.equal(formatFor("out/Pages.JSONL")?.suffix, ".jsonl");
    assert.equal(formatFor("pages.csv")?.suffix, ".csv");
    assert.equal(formatFor("pages.xyz"), null);
    assert.equal(formatFor("csv"), null);
    for (const { suffix } of formats) assert.equal(formatFor(`x${suffix}`)?.suffix, suffix);
  });

  it("holds the rows in order", async (t) => {
    const dir = await folder(t);
    const records = [fetched(), queued, dropped()];
    await formatFor("x.jsonl")!.write(records, join(dir, "x.jsonl"));
    await formatFor("x.csv")!.write(records, join(dir, "x.csv"));
    assert.equal(await readFile(join(dir, "x.jsonl"), "utf8"), records.map(pageLine).join(""));
    assert.equal(await readFile(join(dir, "x.csv"), "utf8"), [...csvTexts(records)].join(""));
  });

  it("streams: early rows are written before late ones are asked for", async (t) => {
    const dir = await folder(t);
    const path = join(dir, "x.jsonl");
    let writtenByThen = 0;
    function* rows() {
      for (let i = 0; i < 3000; i++) yield fetched(`page ${i}`);
      for (const name of readdirSync(dir)) writtenByThen += statSync(join(dir, name)).size;
    }
    await formatFor(path)!.write(rows(), path);
    assert.ok(writtenByThen > 1_000_000, `${writtenByThen} bytes`);
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    assert.equal(lines.length, 3000);
    assert.equal(JSON.parse(lines[2999]!).title, "page 2999");
  });

  it("leaves the old file, and nothing beside it, when it fails", async (t) => {
    const dir = await folder(t);
    const path = join(dir, "x.csv");
    await writeFile(path, "old");
    function* rows() {
      yield fetched();
      throw new Error("the state is unreadable");
    }
    await assert.rejects(formatFor(path)!.write(rows(), path), /unreadable/);
    assert.equal(await readFile(path, "utf8"), "old");
    assert.deepEqual(await readdir(dir), ["x.csv"]);
  });
});
