import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { checkBlockDigest, checkPayloadDigest } from "../../src/warc/digests.ts";
import { ArchiveError } from "../../src/warc/error.ts";
import { parseHttp, payloadOf } from "../../src/warc/http.ts";
import { readRecordAt } from "../../src/warc/read-at.ts";
import { readRecords, type WarcDamage, type WarcRecord } from "../../src/warc/reader.ts";
import { archiveIn, archiveNames, exchange, folder, note } from "./fixtures.ts";

function record(type: string, block: string, { trailer = "\r\n\r\n", length = block.length } = {}): Buffer {
  return Buffer.from(`WARC/1.0\r\nWARC-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${block}${trailer}`, "latin1");
}

function slices(bytes: Uint8Array, size: number): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) blocks.push(bytes.subarray(at, at + size));
  return blocks;
}

/** Read in blocks of `size` bytes. */
async function read(bytes: Uint8Array, size = 7): Promise<(WarcRecord | WarcDamage)[]> {
  const blocks = slices(bytes, size);
  const items: (WarcRecord | WarcDamage)[] = [];
  for await (const item of readRecords(blocks)) items.push(item);
  return items;
}

/** "type:block@offset+length" or "damage@offset+length". */
const shape = (items: readonly (WarcRecord | WarcDamage)[]) =>
  items.map((item) =>
    item.kind === "record"
      ? `${item.type}:${item.block.toString("latin1")}@${item.offset}+${item.length}${item.flaws.map((f) => `!${f}`).join("")}`
      : `damage@${item.offset}+${item.length}`,
  );

const A = record("resource", "alpha");
const B = record("metadata", "beta beta");
const gz = (bytes: Buffer) => gzipSync(bytes);

describe("reading an archive", () => {
  it("finds each record of a plain file, whatever the blocks it comes in", async () => {
    const file = Buffer.concat([A, B]);
    const expected = [`resource:alpha@0+${A.length}`, `metadata:beta beta@${A.length}+${B.length}`];
    for (let size = 1; size <= file.length; size++) assert.deepEqual(shape(await read(file, size)), expected);
  });

  it("finds each member of a compressed file, whatever the blocks it comes in", async () => {
    const file = Buffer.concat([gz(A), gz(B)]);
    const expected = [`resource:alpha@0+${gz(A).length}`, `metadata:beta beta@${gz(A).length}+${gz(B).length}`];
    for (let size = 1; size <= file.length; size++) assert.deepEqual(shape(await read(file, size)), expected);
  });

  it("accepts line feeds alone, folded fields and names in any case", async () => {
    const text = "WARC/1.0\nwarc-type: resource\nX: one\n two\ncontent-length: 3\n\nabc\r\n\r\n";
    const [item] = await read(Buffer.from(text));
    assert.equal(item?.kind, "record");
    assert.deepEqual((item as WarcRecord).fields.slice(2, 4), ["X", "one two"]);
  });

  it("tells when several records share a member, or one spans several", async () => {
    const shared = gz(Buffer.concat([A, B]));
    assert.deepEqual(shape(await read(shared)), [
      `resource:alpha@0+${shared.length}!shared-member`,
      `metadata:beta beta@0+${shared.length}!shared-member`,
    ]);
    const parts = [gz(A.subarray(0, 50)), gz(A.subarray(50))];
    const split = Buffer.concat(parts);
    assert.deepEqual(shape(await read(split)), [`resource:alpha@0+${split.length}!split-member`]);
  });

  it("tells when a record is not followed by two line ends, and goes on", async () => {
    const bare = record("resource", "alpha", { trailer: "\r\n" });
    assert.deepEqual(shape(await read(Buffer.concat([bare, B]))), [
      `resource:alpha@0+${bare.length - 2}!trailer`,
      `metadata:beta beta@${bare.length}+${B.length}`,
    ]);
  });

  it("passes over a damaged member and reads the next", async () => {
    const bad = gz(A);
    bad[bad.length - 6] = bad[bad.length - 6]! ^ 0xff;
    const file = Buffer.concat([gz(B), bad, gz(B)]);
    const [b, a] = [gz(B).length, bad.length];
    assert.deepEqual(shape(await read(file)), [
      `metadata:beta beta@0+${b}`,
      `damage@${b}+${a}`,
      `metadata:beta beta@${b + a}+${b}`,
    ]);
  });

  it("passes over what is no record in a plain file and reads the next", async () => {
    const junk = Buffer.from("some junk\r\nmore\r\n");
    assert.deepEqual(shape(await read(Buffer.concat([junk, A, junk, B]))), [
      `damage@0+${junk.length}`,
      `resource:alpha@${junk.length}+${A.length}`,
      `damage@${junk.length + A.length}+${junk.length}`,
      `metadata:beta beta@${2 * junk.length + A.length}+${B.length}`,
    ]);
  });

  it("passes over a record without a valid length", async () => {
    for (const length of ["-1", "x", "1e3", "99999999999999999999"]) {
      const bad = Buffer.from(`WARC/1.0\r\nContent-Length: ${length}\r\n\r\nabc\r\n\r\n`);
      assert.deepEqual(shape(await read(Buffer.concat([bad, A]))), [
        `damage@0+${bad.length}`,
        `resource:alpha@${bad.length}+${A.length}`,
      ]);
    }
  });

  it("reports the end of a file that is cut anywhere, plain or compressed, and keeps what is whole", async () => {
    for (const [first, second] of [
      [A, B],
      [gz(A), gz(B)],
    ] as const) {
      const file = Buffer.concat([first, second]);
      for (let size = first.length + 1; size < file.length; size++) {
        const items = await read(file.subarray(0, size), 1000);
        assert.equal(shape(items)[0], `resource:alpha@0+${first.length}`);
        assert.equal(items.length, 2);
        const last = items[1]!;
        const whole = last.kind === "record" && last.block.toString() === "beta beta" && last.flaws.includes("trailer");
        assert.ok(last.kind === "damage" ? last.offset === first.length && last.length === size - first.length : whole);
      }
    }
  });

  it("passes over a record that says it is longer than it is, and reads the next", async () => {
    const lying = (length: number) => record("response", "lies", { length });
    for (const length of [1_000, 1e9]) {
      const members = [A, lying(length), B].map(gz);
      const [first, second] = members.map(({ length: bytes }) => bytes) as [number, number];
      assert.deepEqual(shape(await read(Buffer.concat(members))), [
        `resource:alpha@0+${first}`,
        `damage@${first}+${second}`,
        `metadata:beta beta@${first + second}+${members[2]!.length}`,
      ]);
      const plain = [A, lying(length), B];
      assert.deepEqual(
        (await read(Buffer.concat(plain))).map((one) => one.kind),
        ["record", "damage", "record"],
      );
    }
    const within = [lying(A.length), A, B].map(gz);
    assert.deepEqual(
      (await read(Buffer.concat(within))).map((one) => one.kind),
      ["damage", "record", "record"],
      "the next member is not taken for the rest of its block",
    );
  });

  it("passes over headers that never end, one by one, and reads the record behind them", async () => {
    const headers = "WARC/1.0\n".repeat(60_000);
    const items = shape(await read(Buffer.concat([Buffer.from(headers), A]), 65_536));
    assert.deepEqual(items.slice(-2), [
      `damage@${headers.length - 9}+9`,
      `resource:alpha@${headers.length}+${A.length}`,
    ]);
    assert.equal(items.length, 60_001);
  });

  it("ends on half a mebibyte of blanks within a field", async () => {
    const record = `WARC/1.1\r\nWARC-Type: x\r\nX: a${" ".repeat(1 << 19)}b\r\nContent-Length: 0\r\n\r\n\r\n\r\n`;
    const [item] = await read(Buffer.from(record), 1 << 16);
    assert.equal(item?.kind, "record"); // in quadratic time that would take minutes
  });

  it("ends on any bytes, without an exception", async () => {
    const seeds = [A, B, gz(A), gz(B)];
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.tuple(fc.constantFrom(...seeds), fc.nat(200), fc.nat(255)).map(([bytes, at, value]) => {
        const copy = Buffer.from(bytes);
        copy[at % copy.length] = value;
        return copy;
      }),
      fc.tuple(fc.constantFrom(...seeds), fc.nat(200)).map(([bytes, cut]) => bytes.subarray(0, cut)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), fc.integer({ min: 1, max: 100 }), async (parts, size) => {
        const file = Buffer.concat(parts);
        for (const item of await read(file, size)) {
          assert.ok(item.offset >= 0 && item.length > 0 && item.offset + item.length <= file.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("reading an archive whose beginning is damaged", () => {
  const long = record("response", "long and longer. ".repeat(1_000));
  const kinds = (items: readonly (WarcRecord | WarcDamage)[]) =>
    items.map((item) => (item.kind === "damage" ? `damage@${item.offset}+${item.length}` : item.type));
  for (const [name, pack] of [
    ["gzip", gz],
    ["zstd", (bytes: Buffer) => zstdCompressSync(bytes)],
    ["no packing", (bytes: Buffer) => bytes],
  ] as const)
    it(`finds the first record that can be read: ${name}`, async () => {
      const [first, ...rest] = [long, A, B].map(pack);
      for (const broken of [
        Buffer.from(first!).fill(0xee, 0, 12),
        first!.subarray(20),
        Buffer.from("\x1f\x8b\x08 and (\xb5/\xfd stand for nothing here\n", "latin1"),
      ]) {
        const file = Buffer.concat([broken, ...rest]);
        for (const size of [3, 64, 1 << 20])
          assert.deepEqual(kinds(await read(file, size)), [`damage@0+${broken.length}`, "resource", "metadata"]);
      }
    });

  it("tells of all that is no archive as one damage", async () => {
    const junk = Buffer.from("no record of anything\n".repeat(20_000));
    assert.deepEqual(kinds(await read(junk, 4_096)), [`damage@0+${junk.length}`]);
  });

  it("passes over much that is damaged without holding it", async () => {
    const junk = Buffer.alloc(30_000_000, "\x1f\x8b no member ");
    const file = [gz(A), junk, gz(B)];
    const items: (WarcRecord | WarcDamage)[] = [];
    for await (const item of readRecords(file.flatMap((part) => slices(part, 1 << 16)))) items.push(item);
    assert.deepEqual(kinds(items), ["resource", `damage@${gz(A).length}+${junk.length}`, "metadata"]);
  });
});

describe("a record that is too long to be held", () => {
  const held = 1_000;
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
  const payload = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * i) & 0xff));
  const sha1 = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex");
  const block = Buffer.concat([Buffer.from(head), payload]);
  const longRecord = (digest = sha1(payload)) =>
    Buffer.concat([
      Buffer.from(
        `WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\nWARC-Block-Digest: sha1:${sha1(block)}\r\n` +
          `WARC-Payload-Digest: sha1:${digest}\r\nContent-Length: ${block.length}\r\n\r\n`,
      ),
      block,
      Buffer.from("\r\n\r\n"),
    ]);
  const readHeld = async (file: Buffer, options: { readonly bytes?: number } = {}) => {
    const items: (WarcRecord | WarcDamage)[] = [];
    for await (const item of readRecords(slices(file, 700), { held, ...options })) items.push(item);
    return items;
  };
  const packings: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ["plain", (bytes) => bytes],
    ["gzip", gz],
    ["zstd", (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })],
  ];
  for (const [name, pack] of packings) {
    it(`is read to its end and digested, and its beginning given: ${name}`, async () => {
      const parts = [A, longRecord(), B, longRecord(sha1(block))].map(pack);
      const items = (await readHeld(Buffer.concat(parts))) as WarcRecord[];
      let offset = 0;
      for (const [i, item] of items.entries()) {
        assert.deepEqual([item.kind, item.offset, item.length, item.flaws], ["record", offset, parts[i]!.length, []]);
        offset += parts[i]!.length;
      }
      const [, long, , wrong] = items;
      assert.ok(long!.block.equals(block.subarray(0, held)));
      assert.equal(long!.blockLength, block.length);
      assert.deepEqual([checkBlockDigest(long!), checkPayloadDigest(long!)], ["right", "right"]);
      assert.deepEqual([checkBlockDigest(wrong!), checkPayloadDigest(wrong!)], ["right", "wrong"]);
    });

    it(`that is cut off, or damaged, is told as damage: ${name}`, async () => {
      const [first, second] = [pack(longRecord()), pack(B)];
      const cut = (await readHeld(first.subarray(0, -200))).map(({ kind }) => kind);
      assert.deepEqual(cut, ["damage"]);
      if (name === "plain") return; // nothing but its digest tells of it
      const broken = Buffer.from(first);
      broken[first.length - 2]! ^= 1;
      const kinds = (await readHeld(Buffer.concat([broken, second]))).map(({ kind }) => kind);
      assert.deepEqual([kinds.at(-1), kinds.includes("damage")], ["record", true]);
    });
  }

  it("tells when others share its unit, or it spans units", async () => {
    const [shared, other] = (await readHeld(gz(Buffer.concat([longRecord(), B])))) as WarcRecord[];
    assert.deepEqual([shared!.flaws, other!.flaws], [["shared-member"], ["shared-member"]]);
    const whole = longRecord();
    const [split] = (await readHeld(
      Buffer.concat([whole.subarray(0, 20_000), whole.subarray(20_000)].map(gz)),
    )) as WarcRecord[];
    assert.deepEqual(split!.flaws, ["split-member"]);
  });

  it("in a plain file of known length is not believed when it would end behind it", async () => {
    const lying = record("response", "x".repeat(2_000), { length: 1e9 });
    const file = Buffer.concat([lying, ...Array.from({ length: 40 }, () => B)]);
    const kinds = (await readHeld(file, { bytes: file.length })).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["damage", ...Array.from({ length: 40 }, () => "record")]);
  });
});

describe("reading one record", () => {
  it("refuses a place where there is none with a typed error", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    const { response } = archive.append(exchange(), note);
    await archive[Symbol.asyncDispose]();
    const isDamage = (error: unknown) => error instanceof ArchiveError && error.code === "damaged";
    await assert.rejects(readRecordAt(dir, { ...response, offset: response.offset + 1 }), isDamage);
    await assert.rejects(readRecordAt(dir, { ...response, length: response.length - 1 }), isDamage);
    await assert.rejects(readRecordAt(dir, { ...response, offset: 1e9 }), isDamage);
    await assert.rejects(readRecordAt(dir, { ...response, file: "gone.warc.gz" }), isDamage);
    const [name] = await archiveNames(dir);
    const bytes = await readFile(join(dir, name!));
    bytes[response.offset + 30] = bytes[response.offset + 30]! ^ 1;
    await writeFile(join(dir, name!), bytes);
    await assert.rejects(readRecordAt(dir, response), isDamage);
  });
});

describe("the payload of an archived message", () => {
  const message = (head: string, body: string) => parseHttp(Buffer.from(`${head}\r\n\r\n${body}`, "latin1"));

  it("is freed of chunks where they are declared and there", () => {
    const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked";
    assert.equal(payloadOf(message(chunked, "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")).toString(), "abcde");
    assert.equal(payloadOf(message(chunked, "plain text")).toString(), "plain text");
    assert.equal(payloadOf(message(chunked, "5\r\nab")).toString(), "ab");
    assert.equal(payloadOf(message("HTTP/1.1 200 OK", "3\r\nabc\r\n0\r\n\r\n")).toString(), "3\r\nabc\r\n0\r\n\r\n");
  });
});

describe("checking digests", () => {
  const SHA1_HEX = "a9993e364706816aba3e25717850c26c9cd0d89d"; // of "abc", FIPS 180
  const check = async (digest: string) => {
    const text = `WARC/1.1\r\nWARC-Type: resource\r\nWARC-Block-Digest: ${digest}\r\nWARC-Payload-Digest: ${digest}\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n`;
    const [item] = await read(Buffer.from(text));
    const both = [checkBlockDigest(item as WarcRecord), checkPayloadDigest(item as WarcRecord)];
    assert.equal(both[0], both[1]);
    return both[0];
  };

  it("knows base 32, hex and base 64", async () => {
    assert.equal(await check(`sha1:${SHA1_HEX}`), "right");
    assert.equal(await check("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"), "right");
    assert.equal(await check("SHA-1:vgmt4nsha2awvor6evyxqugcnsonbwe5"), "right");
    assert.equal(await check(`sha1:${Buffer.from(SHA1_HEX, "hex").toString("base64")}`), "right");
    assert.equal(await check("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6"), "wrong");
  });

  it("does not guess at what it does not know", async () => {
    for (const digest of ["sha1:abc", "xxh64:0123456789abcdef", "nonsense", ""]) {
      assert.equal(await check(digest), "unknown");
    }
  });
});
