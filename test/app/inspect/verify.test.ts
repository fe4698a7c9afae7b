import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { main } from "../../../src/app/cli/main.ts";
import { archiveFiles, committedBytes } from "../../../src/app/dir/archive-files.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { type TestShell, testShell } from "../shell.ts";
import { smallCrawl } from "../small-crawl.ts";

const archiveOf = (dir: string): string => join(dir, "archive", readdirSync(join(dir, "archive"))[0]!);
const indexOf = (dir: string): string => join(dir, "indexes/index.cdxj");
const pagesOf = (dir: string): string => join(dir, "pages/pages.jsonl");

async function verifyAfter(damage: (dir: string, shell: TestShell) => unknown): Promise<{ code: number; out: string }> {
  using shell = testShell();
  const dir = await smallCrawl(shell);
  await damage(dir, shell);
  const code = await main(["verify", dir], shell);
  assert.equal(shell.err(), "");
  return { code, out: shell.out() };
}

const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, "latin1")), "latin1");

/** Where the record of the first capture stands whose URL has this in it. */
function placeOf(dir: string, part: string): { offset: number; end: number } {
  const line = readFileSync(indexOf(dir), "utf8")
    .split("\n")
    .find((text) => text.includes(part))!;
  const { offset, length } = JSON.parse(line.slice(line.indexOf("{")));
  return { offset: Number(offset), end: Number(offset) + Number(length) };
}

function flipByteOf(dir: string, part: string): void {
  const { offset, end } = placeOf(dir, part);
  const bytes = readFileSync(archiveOf(dir));
  bytes[Math.floor((offset + end) / 2)]! ^= 0x10;
  writeFileSync(archiveOf(dir), bytes);
}

function rewriteRecordOf(dir: string, part: string, change: (text: string) => string): void {
  const { offset, end } = placeOf(dir, part);
  const bytes = readFileSync(archiveOf(dir));
  const record = gzipSync(change(gunzipSync(bytes.subarray(offset, end)).toString("latin1")));
  writeFileSync(archiveOf(dir), Buffer.concat([bytes.subarray(0, offset), record, bytes.subarray(end)]));
}

describe("trawl verify", () => {
  it("does not take what a crawler of a shared crawl has for the crawl", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    rmSync(join(dir, "state.db"));
    writeFileSync(join(dir, "crawler.json"), "{}");
    assert.equal(await main(["verify", dir], shell), 2);
    assert.match(shell.err(), /belongs to a crawler that shares a crawl with others; name that crawl with --frontier/);
  });
  it("counts what a sound crawl has", async () => {
    const { code, out } = await verifyAfter(() => {});
    assert.equal(code, 0, out);
    assert.match(out, /archive {2}1 file, [\d.]+ kB, 9 records: 1 warcinfo, 4 response, 4 request$/m);
    assert.match(out, /digests {2}9 blocks and 4 payloads recomputed and right$/m);
    assert.match(out, /state {4}4 captures, 0 copies of robots.txt$/m);
    assert.match(out, /pages {4}5 lines$/m);
    assert.match(out, /index {4}4 lines\nSound\.\n$/);
  });
  it("tells it to programs too", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    assert.equal(await main(["verify", dir, "--json"], shell), 0);
    const { sound, archive, state, pages } = JSON.parse(shell.out());
    assert.deepEqual([sound, archive.byType.response, state.captures, pages], [true, 4, 4, 5]);
  });
  it("takes a crawl that runs as of its last commit", async () => {
    const { code, out } = await verifyAfter(async (dir, shell) => {
      const path = archiveOf(dir);
      renameSync(path, `${path}.open`);
      appendFileSync(`${path}.open`, "half a record");
      appendFileSync(pagesOf(dir), '{"id":');
      await using _writer = openEmbedded(dir, { clock: shell.clock });
    });
    assert.equal(code, 0, out);
    assert.match(out, /13 B that no commit speaks of/);
    assert.match(out, /1 file still open: the crawl is running, or was killed/);
  });
  it("reads on in a file that is finished, and so renamed, after its name was read", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const path = archiveOf(dir);
    const whole = readFileSync(path);
    renameSync(path, `${path}.open`);
    const [file] = await archiveFiles(join(dir, "archive"), null, null);
    renameSync(`${path}.open`, path);
    const chunks: Uint8Array[] = [];
    for await (const chunk of committedBytes(file!)) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), whole);
  });
  it("says that an index is behind, which the next run mends, and does not call it damage", async () => {
    const lines = (text: string) => text.split("\n");
    const behind = await verifyAfter((dir) =>
      edit(indexOf(dir), (text) => `${lines(text).filter((line) => line.includes('/"'))[0]}\n`),
    );
    assert.equal(behind.code, 0, behind.out);
    assert.match(behind.out, /the index ends before the last 3 captures/);
    const none = await verifyAfter((dir) => rmSync(indexOf(dir)));
    assert.equal(none.code, 0, none.out);
    assert.match(none.out, /there is no index yet/);
  });
  it("checks records and index where the state is lost", async () => {
    const { code, out } = await verifyAfter((dir) => rmSync(join(dir, "state.db")));
    assert.equal(code, 0, out);
    assert.match(out, /records and index alone were checked/);
  });

  const rows: readonly (readonly [string, (dir: string) => unknown, RegExp])[] = [
    [
      "a byte of a stored body that has changed",
      (dir) => flipByteOf(dir, "style.css"),
      /gz at \d+: .*passed over\)\n.*no record is there; the state says https:\/\/a\.test\/style\.css/,
    ],
    [
      "a record that is whole and not the one that was digested",
      (dir) => rewriteRecordOf(dir, "style.css", (text) => text.replace("teal", "tea1")),
      /its block is not the one that was digested[\s\S]*its payload is not the one that was digested/,
    ],
    ["a file that was cut", (dir) => truncateSync(archiveOf(dir), 3_000), /has 3000 of the \d+ bytes/],
    ["a file that is gone", (dir) => rmSync(archiveOf(dir)), /archive file .* is gone/],
    [
      "an index line that leads nowhere",
      (dir) => edit(indexOf(dir), (text) => text.replace(/"offset":"\d+"/, '"offset":"7"')),
      /at 7: no record is there; the index says https:\/\/a\.test\//,
    ],
    [
      "an index that tells another status than the state",
      (dir) => edit(indexOf(dir), (text) => text.replace('"status":"404"', '"status":"200"')),
      /the index says other than the state/,
    ],
    [
      "a capture that is indexed twice",
      (dir) => edit(indexOf(dir), (text) => text.replace(/^(.*\n)/, "$1$1")),
      /is in the index 2 times/,
    ],
    [
      "an index that is out of order",
      (dir) => edit(indexOf(dir), (text) => `${text.trimEnd().split("\n").reverse().join("\n")}\n`),
      /index line 2 is out of order/,
    ],
    [
      "a gap in the index",
      (dir) => edit(indexOf(dir), (text) => text.replace(/^.*style\.css.*\n/m, "")),
      /1 capture of the state missing in the index/,
    ],
    ["an index that is none", (dir) => edit(indexOf(dir), () => "?\n"), /index line 1 is no entry/],
    [
      "pages.jsonl that tells another end",
      (dir) => edit(pagesOf(dir), (text) => text.replace('"end":"robots"', '"end":"budget"')),
      /pages\.jsonl, line 5: says other than the state of https:\/\/b\.test\/secret/,
    ],
    [
      "pages.jsonl that lacks a line",
      (dir) => edit(pagesOf(dir), (text) => text.replace(/^.*secret.*\n/m, "")),
      /has \d+ of the \d+ bytes[\s\S]*1 URL that ended missing in pages\.jsonl/,
    ],
    [
      "pages.jsonl with a row that is none",
      (dir) => edit(pagesOf(dir), (text) => text.replace('{"id":5', '["id",5')),
      /line 5: is no row/,
    ],
  ];
  for (const [what, damage, says] of rows)
    it(`finds ${what}`, async () => {
      const { code, out } = await verifyAfter(damage);
      assert.equal(code, 3, out);
      assert.match(out, says);
      assert.match(out, /Damaged: \d+ faults?\.\n$/);
    });
  it("finds that state.db is damaged, and checks the archive all the same", async () => {
    const { code, out } = await verifyAfter((dir) => {
      const bytes = readFileSync(join(dir, "state.db"));
      bytes.fill(0xff, bytes.length - 8_192 * 3, bytes.length - 8_192);
      writeFileSync(join(dir, "state.db"), bytes);
    });
    assert.equal(code, 3, out);
    assert.match(out, /FAULT {4}state\.db: /);
    assert.match(out, /4 response/);
  });
  it("refuses an archive with a file twice in it", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    writeFileSync(`${archiveOf(dir)}.open`, "");
    assert.equal(await main(["verify", dir], shell), 3);
    assert.match(shell.err(), /both .* one of them is a copy, move it away/);
  });
  it("tells the first faults in words and counts the others", async () => {
    const { out } = await verifyAfter((dir) => edit(indexOf(dir), () => "?\n".repeat(50)));
    assert.match(out, /and 30 more\nDamaged: 50 faults\.\n$/);
  });
});
