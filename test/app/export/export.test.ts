import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import yauzl from "yauzl";
import { main } from "../../../src/app/cli/main.ts";
import type { ExportJob } from "../../../src/app/export/job.ts";
import { writeSitemap } from "../../../src/app/export/sitemap-files.ts";
import { Tally } from "../../../src/app/export/tally.ts";
import { openDirectory } from "../../../src/app/place/directory.ts";
import { size } from "../../../src/app/wording.ts";
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
  it("says at its end what it wrote, how much and where to, unless it shall be quiet", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const said = async (...argv: string[]) => {
      const before = shell.err().length;
      await exported(shell, dir, ...argv);
      return shell.err().slice(before);
    };
    const bytes = (name: string) => size(statSync(join(shell.cwd, name)).size);
    for (const [name, what] of [
      ["all.csv", "6 rows"],
      ["all.parquet", "6 rows"],
      ["all.wet.gz", "3 records"],
      ["all.cdxj", "4 captures"],
      ["all.wacz", "4 captures"],
      ["all.xml", "2 pages"],
    ] as const)
      assert.equal(await said("--to", join(shell.cwd, name)), `Exported ${what}, ${bytes(name)} to ${name}\n`);
    assert.match(await said("--to", "-"), /^Exported 6 rows, \d\.\d kB\n$/);
    assert.match(await said("--to", "-", "--where", "status=500"), /^Exported nothing, 0 B\n$/);
    assert.equal(await said("--to", join(shell.cwd, "all.csv"), "--quiet"), "");
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
    const facts = gunzipSync(await exported(shell, dir, "--to", "-", "--format", "wat", ...only)).toString("latin1");
    assert.deepEqual(facts.match(/^WARC-Target-URI: .*$/gm), ["WARC-Target-URI: https://b.test/gone"]);
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
  async function job(
    shell: TestShell,
    path: string | null,
    use: (job: ExportJob) => Promise<void>,
    length = 5,
  ): Promise<string> {
    const many: readonly SmallPage[] = Array.from({ length }, (_, i) => ({
      url: `https://a.test/${i}`,
      page: { title: `${i}` },
    }));
    rmSync(join(shell.cwd, "crawls"), { recursive: true, force: true });
    const dir = await smallCrawl(shell, many);
    await using crawl = await openDirectory(dir);
    let printed = "";
    await use({
      ...crawl,
      where: null,
      path,
      tally: new Tally(),
      async emit(chunks, place = path ?? undefined) {
        if (place !== undefined) return replaceFile(place, chunks);
        for await (const chunk of chunks) printed += chunk;
      },
      onProgress() {},
      warn() {},
      now: shell.time,
    });
    return printed;
  }

  const inParts = (one: ExportJob) => writeSitemap(one, { urls: 2, bytes: 1e6 });
  const filesIn = (shell: TestShell) => readdirSync(shell.cwd).filter((name) => name !== "crawls");
  /** The texts of the parts that the index at `path` names, in order. */
  function partsOf(path: string): string[] {
    const hrefs = [...readFileSync(path, "utf8").matchAll(/<sitemap><loc>(.*?)<\/loc>/g)].map(([, href]) => href!);
    return hrefs.map((href) =>
      readFileSync(join(dirname(path), decodeURIComponent(new URL(href).pathname.slice(1))), "utf8"),
    );
  }

  it("is in parts with an index in its place when one file cannot hold it", async () => {
    using shell = testShell();
    const path = join(shell.cwd, "site map.xml");
    await job(shell, path, inParts);
    const parts = partsOf(path);
    assert.deepEqual(
      parts.map((text) => text.match(/<loc>.*?<\/loc>/g)?.length),
      [2, 2, 1],
    );
    assert.match(parts[2]!, /<loc>https:\/\/a\.test\/4</);
    assert.match(readFileSync(path, "utf8"), /<sitemapindex .*\n<sitemap><loc>https:\/\/a\.test\/site%20map-1-/);
    assert.equal(filesIn(shell).length, 4);
  });
  it("stands as it was, part by part, until another is whole; then the old parts go", async () => {
    using shell = testShell();
    const path = join(shell.cwd, "s.xml");
    await job(shell, path, inParts);
    const [names, parts] = [filesIn(shell), partsOf(path)];
    const failing = job(
      shell,
      path,
      async (one) => {
        const urls = async function* () {
          for await (const record of one.state.urls()) {
            if (record.href.endsWith("/9")) throw new Error("the state cannot be read");
            yield record;
          }
        };
        await inParts({ ...one, state: { ...one.state, urls } as unknown as ExportJob["state"] });
      },
      10,
    );
    await assert.rejects(failing, /cannot be read/);
    assert.deepEqual([filesIn(shell), partsOf(path)], [names, parts]);
    await job(shell, path, inParts, 3);
    assert.equal(partsOf(path).length, 2);
    assert.equal(filesIn(shell).length, 3);
    await job(shell, path, writeSitemap, 3);
    assert.deepEqual(filesIn(shell), ["s.xml"]);
  });
  it("touches no file of somebody's, whatever its name", async () => {
    using shell = testShell();
    const others = ["s-1.xml", "s-1-0123456789abcdef.xml", "s-2.xml", "s-x.xml"];
    for (const name of others) writeFileSync(join(shell.cwd, name), "somebody's");
    await job(shell, join(shell.cwd, "s.xml"), inParts);
    await job(shell, join(shell.cwd, "s.xml"), writeSitemap);
    for (const name of others) assert.equal(readFileSync(join(shell.cwd, name), "utf8"), "somebody's");
    assert.deepEqual(filesIn(shell), [...others, "s.xml"].sort());
  });
  it("is one file when it can be", async () => {
    using shell = testShell();
    await job(shell, join(shell.cwd, "s.xml"), writeSitemap);
    assert.deepEqual(readdirSync(shell.cwd).sort(), ["crawls", "s.xml"]);
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
