import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parquetReadObjects } from "hyparquet";
import yauzl from "yauzl";
import { main } from "../../../src/app/cli/main.ts";
import { openCrawl } from "../../../src/app/dir/crawl-state.ts";
import { writeSitemap } from "../../../src/app/export/exports.ts";
import type { ExportJob } from "../../../src/app/export/job.ts";
import { replaceFile } from "../../../src/base/replace-file.ts";
import { parseLine } from "../../../src/warc/cdxj-lookup.ts";
import { type TestShell, testShell } from "../shell.ts";
import { PAGES, type SmallPage, smallCrawl } from "../small-crawl.ts";

async function exported(shell: TestShell, dir: string, ...argv: string[]): Promise<Buffer> {
  const before = shell.bytes().length;
  assert.equal(await main(["export", dir, ...argv], shell), 0, shell.err());
  return shell.bytes().subarray(before);
}

interface Entry {
  readonly name: string;
  readonly stored: boolean;
  readonly bytes: Buffer;
}

/** By a reader that is not the writer's own. */
async function unzip(bytes: Buffer): Promise<Entry[]> {
  const zip = await yauzl.fromBufferPromise(bytes, { validateEntrySizes: true });
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    entries.push({ name: entry.fileName, stored: entry.compressionMethod === 0, bytes: Buffer.concat(chunks) });
  }
  return entries;
}

describe("trawl export", () => {
  it("writes each format to a file and to standard output alike", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    mkdirSync(join(shell.cwd, "out"));
    for (const format of ["jsonl", "csv", "parquet", "sitemap", "cdxj", "wacz"]) {
      const path = join(shell.cwd, "out", format);
      await exported(shell, dir, "--to", path, "--format", format);
      assert.deepEqual(readFileSync(path), await exported(shell, dir, "--to", "-", "--format", format), format);
    }
    assert.equal(readdirSync(join(shell.cwd, "out")).length, 6);
  });
  it("chooses in every table", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const only = ["--where", "status=4xx", "--where", "host=b.test"];
    const [line] = (await exported(shell, dir, "--to", "-", ...only)).toString().trimEnd().split("\n");
    assert.equal(JSON.parse(line!).url, "https://b.test/gone");
    const index = (await exported(shell, dir, "--to", "-", "--format", "cdxj", ...only)).toString();
    assert.equal(parseLine(index)?.url, "https://b.test/gone");
    const parquet = await exported(shell, dir, "--to", "-", "--format", "parquet", ...only);
    const rows = await parquetReadObjects({ file: new Uint8Array(parquet).buffer });
    assert.deepEqual(
      rows.map(({ url }) => url),
      ["https://b.test/gone"],
    );
  });
  it("removes what an export that was killed left beside its file, and nothing else", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const out = join(shell.cwd, "out");
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    mkdirSync(join(out, `x.csv.${gone}.tmp`), { recursive: true });
    const others = [`x.csv.${process.ppid}.tmp`, `y.csv.${gone}.tmp`, "x.csv.0.tmp", "x.csv.tmp"];
    for (const name of others) writeFileSync(join(out, name), "");
    await exported(shell, dir, "--to", join(out, "x.csv"));
    assert.deepEqual(readdirSync(out).sort(), ["x.csv", ...others].sort());
  });
  it("leaves an older file alone when it cannot be made", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const path = join(shell.cwd, "x.wacz");
    writeFileSync(path, "old");
    const archive = join(dir, "archive");
    truncateSync(join(archive, readdirSync(archive)[0]!), 3_000);
    assert.equal(await main(["export", dir, "--to", path], shell), 3);
    assert.match(shell.err(), /is gone or cut; put back a copy/);
    assert.equal(readFileSync(path, "utf8"), "old");
    assert.deepEqual(readdirSync(shell.cwd).sort(), ["crawls", "x.wacz"]);
  });
});

describe("a WACZ export", () => {
  it("has the archive as it is, stored, with index, pages, and the digests of all", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const entries = await unzip(await exported(shell, dir, "--to", "-", "--format", "wacz"));
    const [name] = readdirSync(join(dir, "archive"));
    assert.deepEqual(
      entries.map((entry) => entry.name),
      [`archive/${name}`, "indexes/index.cdxj", "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json"],
    );
    const text = (path: string): string => entries.find((entry) => entry.name === path)!.bytes.toString();
    assert.ok(entries[0]!.stored && entries[1]!.stored);
    assert.deepEqual(entries[0]!.bytes, readFileSync(join(dir, "archive", name!)));
    assert.equal(text("indexes/index.cdxj"), readFileSync(join(dir, "indexes/index.cdxj"), "utf8"));

    const about = JSON.parse(text("datapackage.json"));
    assert.equal(about.wacz_version, "1.1.1");
    assert.equal(about.profile, "data-package");
    assert.equal(about.mainPageUrl, "https://a.test/");
    const sha256 = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    for (const { path, hash, bytes } of about.resources) {
      const entry = entries.find((one) => one.name === path)!;
      assert.deepEqual([hash, bytes], [sha256(entry.bytes), entry.bytes.length], path);
    }
    assert.equal(about.resources.length, 3);
    const digest = JSON.parse(text("datapackage-digest.json"));
    assert.deepEqual(digest, { path: "datapackage.json", hash: sha256(Buffer.from(text("datapackage.json"))) });

    const [head, ...pages] = text("pages/pages.jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(head.format, "json-pages-1.0");
    assert.deepEqual(
      pages.map(({ url, title }) => [url, title]),
      [
        ["https://a.test/", "Home"],
        ["https://a.test/two?b=1&a=2", "Two"],
      ],
    );
  });
});

describe("a sitemap export", () => {
  const many: readonly SmallPage[] = Array.from({ length: 5 }, (_, i) => ({
    url: `https://a.test/${i}`,
    page: { title: `${i}` },
  }));

  async function job(shell: TestShell, path: string | null, use: (job: ExportJob) => Promise<void>): Promise<string> {
    const dir = await smallCrawl(shell, many);
    using state = await openCrawl(dir);
    let printed = "";
    await use({
      dir,
      state,
      seeds: [],
      where: null,
      path,
      async emit(chunks) {
        if (path !== null) return replaceFile(path, chunks);
        for await (const chunk of chunks) printed += chunk;
      },
      onProgress() {},
      warn() {},
      now: shell.time,
    });
    return printed;
  }

  it("is in parts with an index in its place when one file cannot hold it", async () => {
    using shell = testShell();
    const path = join(shell.cwd, "site map.xml");
    await job(shell, path, (one) => writeSitemap(one, { urls: 2, bytes: 1e6 }));
    assert.deepEqual(
      readdirSync(shell.cwd).filter((name) => name.endsWith(".xml")),
      ["site map-1.xml", "site map-2.xml", "site map-3.xml", "site map.xml"],
    );
    assert.match(readFileSync(path, "utf8"), /<sitemapindex .*\n<sitemap><loc>https:\/\/a\.test\/site%20map-1\.xml</);
    assert.match(readFileSync(join(shell.cwd, "site map-3.xml"), "utf8"), /<loc>https:\/\/a\.test\/4</);
  });
  it("is one file when it can be", async () => {
    using shell = testShell();
    await job(shell, join(shell.cwd, "s.xml"), writeSitemap);
    assert.deepEqual(readdirSync(shell.cwd).sort(), ["crawls", "s.xml"]);
  });
  it("does not touch a file named as its first part would be, when it is one file", async () => {
    using shell = testShell();
    writeFileSync(join(shell.cwd, "s-1.xml"), "somebody's");
    await job(shell, join(shell.cwd, "s.xml"), writeSitemap);
    assert.equal(readFileSync(join(shell.cwd, "s-1.xml"), "utf8"), "somebody's");
  });
  it("is not printed by halves", async () => {
    using shell = testShell();
    await assert.rejects(
      job(shell, null, (one) => writeSitemap(one, { urls: 2, bytes: 1e6 })),
      /cannot hold more than 2 pages; name a file with --to/,
    );
    using other = testShell();
    assert.match(await job(other, null, writeSitemap), /<loc>https:\/\/a\.test\/4</);
  });
  it("lists the pages alone", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell, PAGES);
    const text = (await exported(shell, dir, "--to", "-", "--format", "sitemap")).toString();
    assert.deepEqual(text.match(/<loc>.*?<\/loc>/g), [
      "<loc>https://a.test/</loc>",
      "<loc>https://a.test/two?b=1&amp;a=2</loc>",
    ]);
  });
});
