import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { replaceFile } from "../../src/base/replace-file.ts";
import { csvTexts } from "../../src/export/csv.ts";
import { rowFormats } from "../../src/export/formats.ts";
import { pageLine } from "../../src/export/jsonl.ts";
import type { HostNames } from "../../src/export/parquet.ts";
import type { UrlRecord } from "../../src/model/record.ts";
import { dropped, fetched, queued } from "./records.ts";

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "trawl-export-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const names: HostNames = { surt: (href) => href, registryDomain: (name) => name, privateDomain: (name) => name };

const write = (format: string, records: Iterable<UrlRecord>, path: string): Promise<void> =>
  replaceFile(path, rowFormats.find(({ name }) => name === format)!.chunks(records, names));

describe("an export", () => {
  it("holds the rows in order", async (t) => {
    const dir = await folder(t);
    const records = [fetched(), queued, dropped()];
    await write("jsonl", records, join(dir, "x.jsonl"));
    await write("csv", records, join(dir, "x.csv"));
    assert.equal(await readFile(join(dir, "x.jsonl"), "utf8"), records.map(pageLine).join(""));
    assert.equal(await readFile(join(dir, "x.csv"), "utf8"), (await Array.fromAsync(csvTexts(records))).join(""));
  });

  for (const [format, rows] of [
    ["jsonl", 2_000],
    ["csv", 2_000],
    ["parquet", 33_000],
  ] as const)
    it(`streams: early rows of ${format} are written before late ones are asked for`, async (t) => {
      const dir = await folder(t);
      let writtenByThen = 0;
      function* many() {
        for (let i = 0; i < rows; i++) yield fetched(`page ${i}`);
        for (const name of readdirSync(dir)) writtenByThen += statSync(join(dir, name)).size;
      }
      await write(format, many(), join(dir, `x.${format}`));
      assert.ok(writtenByThen > 100_000, `${writtenByThen} bytes`);
    });

  it("leaves the old file, and nothing beside it, when it fails", async (t) => {
    for (const { name } of rowFormats) {
      const dir = await folder(t);
      const path = join(dir, `x.${name}`);
      await writeFile(path, "old");
      function* rows() {
        yield fetched();
        throw new Error("the state is unreadable");
      }
      await assert.rejects(write(name, rows(), path), /unreadable/);
      assert.equal(await readFile(path, "utf8"), "old");
      assert.deepEqual(await readdir(dir), [`x.${name}`]);
    }
  });
});
