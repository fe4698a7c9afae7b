/** Archives as zstd frames: written, read, damaged and repaired as those of gzip members are. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { gzipSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { readRecordAt } from "../../src/warc/read-at.ts";
import { readRecords } from "../../src/warc/reader.ts";
import { repairArchive } from "../../src/warc/repair.ts";
import { ZSTD } from "../../src/warc/zstd.ts";
import { findCommand, need } from "../services/command.ts";
import { archiveIn, archiveNames, exchange, folder, note, soundRecords } from "./fixtures.ts";

const MOST = 2 ** 28;

const noise = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let i = 0, x = 1; i < length; i++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
};

async function written(t: TestContext) {
  const dir = await folder(t);
  const archive = await archiveIn(dir, { packing: "zstd" });
  const gzipped = gzipSync(noise(300_000));
  const captures = [
    archive.append(exchange({ text: "word ".repeat(10_000) }), note),
    archive.append(exchange({ body: gzipped, rawHeaders: ["Content-Encoding", "gzip"] }), note),
    archive.append(exchange({ text: "the last" }), note),
  ];
  await archive.sync();
  await archive[Symbol.asyncDispose]();
  const [name] = await archiveNames(dir);
  return { dir, name: name!, path: join(dir, name!), captures, gzipped };
}

describe("a zstd frame", () => {
  it("gives back what was stored or packed, and ends where the next begins", () => {
    const sizes = fc.oneof(fc.nat(2_000), fc.constantFrom(131_071, 131_072, 131_073, 262_144, 400_000));
    fc.assert(
      fc.property(sizes, fc.boolean(), (size, isStored) => {
        const record = noise(size);
        const frame = isStored ? ZSTD.store(record) : ZSTD.pack(record, 1);
        const unpacked = ZSTD.unpack(Buffer.concat([frame, ZSTD.store(Buffer.from("next"))]), MOST);
        assert.ok(unpacked.kind === "unit");
        assert.equal(unpacked.length, frame.length);
        assert.ok(unpacked.bytes.equals(record));
        assert.ok(zstdDecompressSync(frame).equals(record));
      }),
      { numRuns: 60 },
    );
  });
  it("is short, bad or too long, and never throws", () => {
    const frame = ZSTD.pack(Buffer.from("a record ".repeat(50)), 1);
    for (let length = 0; length < frame.length; length++)
      assert.equal(ZSTD.unpack(frame.subarray(0, length), MOST).kind, "short", `${length}`);
    const changed = Buffer.from(frame);
    changed[frame.length - 1]! ^= 1;
    assert.equal(ZSTD.unpack(changed, MOST).kind, "bad", "the check sum");
    assert.equal(ZSTD.unpack(frame, 10).kind, "long", "more than is unpacked at once");
    assert.equal(ZSTD.unpack(Buffer.from("WARC/1.1"), MOST).kind, "bad");
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void ZSTD.unpack(Buffer.from(bytes), MOST)));
  });
});

describe("an archive of zstd frames", () => {
  it("is read whole and by place", async (t) => {
    const { dir, name, path, captures, gzipped } = await written(t);
    assert.match(name, /-00000\.warc\.zst$/);
    const records = await soundRecords(path);
    assert.deepEqual(
      records.map(({ type }) => type),
      ["warcinfo", "response", "request", "response", "request", "response", "request"],
    );
    const [first, second, third] = captures;
    assert.equal((await readRecordAt(dir, first!.response)).body.length, 50_000);
    assert.ok(first!.response.length < 1_000, "it is compressed");
    assert.deepEqual((await readRecordAt(dir, second!.response)).body, gzipped);
    assert.ok((await readFile(path)).indexOf(gzipped.subarray(-1_000)) > 0, "what is compressed already is stored");
    assert.equal((await readRecordAt(dir, third!.response)).body.toString(), "the last");
  });
  it("is read by the zstd tool, frame for frame", async (t) => {
    const { path } = await written(t);
    const zstd = await need("zstd", ["zstd"], () => findCommand("zstd"));
    const { stdout } = await promisify(execFile)(zstd, ["--decompress", "--stdout", path], {
      encoding: "buffer",
      maxBuffer: 2 ** 26,
    });
    const records = await soundRecords(path);
    assert.equal(stdout.toString("latin1").split("WARC/1.1\r\n").length - 1, records.length);
  });
  it("is read on behind damage", async (t) => {
    const { path, captures } = await written(t);
    const bytes = await readFile(path);
    bytes[captures[0]!.response.offset + 30]! ^= 0xff;
    await writeFile(path, bytes);
    const found: string[] = [];
    for await (const record of readRecords([bytes])) found.push(record.kind === "record" ? record.type : record.kind);
    assert.deepEqual(found, ["warcinfo", "damage", "request", "response", "request", "response", "request"]);
  });
  it("is cut back to what was committed", async (t) => {
    const { dir, name, path, captures } = await written(t);
    await rename(path, `${path}.open`);
    const committed = captures[2]!.response.offset;
    const [repair] = await repairArchive(dir, new Map([[name, committed]]));
    assert.equal(repair?.bytes, committed);
    assert.equal((await soundRecords(path)).length, 5);
  });
  it("goes on with the next number when a crawl changes from one packing to the other", async (t) => {
    const { dir } = await written(t);
    const archive = await archiveIn(dir);
    archive.append(exchange(), note);
    await archive[Symbol.asyncDispose]();
    assert.match((await archiveNames(dir)).join(" "), /-00000\.warc\.zst .*-00001\.warc\.gz$/);
  });
});
