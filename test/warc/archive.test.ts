import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { header } from "../../src/model/fetch-result.ts";
import { ArchiveError } from "../../src/warc/error.ts";
import { createFile, type WritableFile } from "../../src/warc/growing-file.ts";
import { readRecordAt } from "../../src/warc/read-at.ts";
import { base32 } from "../../src/warc/record.ts";
import { archiveIn, archiveNames, clock, exchange, folder, NOW, note, soundRecords } from "./fixtures.ts";

const NAME = "trawl-20261130120000250-0-00000.warc.gz";

function base32Decode(text: string): Buffer {
  const bits = [...text]
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)));
}

describe("an archive", () => {
  it("writes warcinfo, response and request, each found where its locator says", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    const capture = archive.append(exchange(), { robotsId: 7, identifiedType: "text/html", via: "http://a.test/" });
    const marks = await archive.sync();
    await archive[Symbol.asyncDispose]();

    assert.deepEqual(await archiveNames(dir), [NAME]);
    const records = await soundRecords(join(dir, NAME));
    assert.deepEqual(
      records.map((record) => record.type),
      ["warcinfo", "response", "request"],
    );
    const [info, response, request] = records;
    assert.deepEqual(capture.response, { file: NAME, offset: response!.offset, length: response!.length });
    assert.deepEqual(marks, [{ file: NAME, bytes: (await stat(join(dir, NAME))).size }]);
    assert.equal(request!.offset + request!.length, marks[0]!.bytes);

    const field = (name: string) => header(response!.fields, name);
    assert.equal(response!.version, "WARC/1.1");
    assert.match(field("warc-record-id")!, /^<urn:uuid:[0-9a-f-]{36}>$/);
    assert.equal(field("warc-date"), "2026-11-30T12:00:00.250Z");
    assert.equal(field("warc-target-uri"), "http://a.test/page");
    assert.equal(field("warc-ip-address"), "192.0.2.7");
    assert.equal(field("warc-warcinfo-id"), header(info!.fields, "warc-record-id"));
    assert.equal(field("warc-identified-payload-type"), "text/html");
    assert.equal(field("trawl-robots-copy"), "7");
    assert.equal(field("trawl-via"), "http://a.test/");
    assert.equal(field("warc-truncated"), null);
    assert.equal(field("content-type"), "application/http;msgtype=response");
    assert.equal(header(request!.fields, "warc-concurrent-to"), field("warc-record-id"));
    assert.equal(header(info!.fields, "warc-filename"), NAME);
    assert.equal(request!.block.toString("latin1"), "GET /page HTTP/1.1\r\nHost: a.test\r\n\r\n");
  });

  it("gives digests that a recomputation over payload and block confirms", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const capture = archive.append(exchange({ text: "some text" }), note);
    await archive.sync();
    const [, response] = await soundRecords(join(dir, `${NAME}.open`));
    const sha1 = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex");
    const hex = (digest: string | null) => base32Decode(digest!.replace("sha1:", "")).toString("hex");
    assert.equal(hex(capture.digest), sha1(Buffer.from("some text")));
    assert.equal(header(response!.fields, "warc-payload-digest"), capture.digest);
    assert.equal(hex(header(response!.fields, "warc-block-digest")), sha1(response!.block));
  });

  it("gives back any body and any header bytes as they were", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir, { maxFileBytes: 20_000 });
    const latin1 = fc.uint8Array({ maxLength: 60 }).map((bytes) =>
      Buffer.from(bytes)
        .toString("latin1")
        .replace(/[\r\n\0]/g, "")
        .replace(/^[ \t]+|[ \t]+$/g, ""),
    );
    const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
    const pairs = fc.array(fc.tuple(token, latin1), { maxLength: 12 }).map((all) => all.flat());
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3000 }),
        pairs,
        fc.integer({ min: 200, max: 599 }),
        async (body, rawHeaders, status) => {
          const response = exchange({ body, decoded: body, rawHeaders, status });
          const { response: locator } = archive.append(response, note);
          await archive.sync();
          const back = await readRecordAt(dir, locator);
          assert.deepEqual(new Uint8Array(back.body), new Uint8Array(body));
          assert.equal(back.statusLine, `HTTP/1.1 ${status} OK`);
          assert.deepEqual(
            back.rawHeaders.map((text) => text.replace(/^X-Archive-Orig-(?=Content-Length|Transfer-Encoding)/i, "")),
            rawHeaders,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("keeps the fields that describe another framing under another name", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const lines = async (response: Parameters<typeof exchange>[0]) => {
      const { response: locator } = archive.append(exchange(response), note);
      await archive.sync();
      return (await readRecordAt(dir, locator)).rawHeaders;
    };
    assert.deepEqual(await lines({ rawHeaders: ["transfer-encoding", "chunked"] }), [
      "X-Archive-Orig-transfer-encoding",
      "chunked",
    ]);
    assert.deepEqual(await lines({ text: "12345", rawHeaders: ["Content-Length", "5"] }), ["Content-Length", "5"]);
    assert.deepEqual(await lines({ text: "123", rawHeaders: ["Content-Length", "5"], truncated: "length" }), [
      "X-Archive-Orig-Content-Length",
      "5",
    ]);
  });

  it("keeps a head as it was received, to the byte, but for its end and the names of fields that describe another framing", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const fields = "X-A:1\r\nX-B : \t2  \nX-C: a\r\n\tb\r\nX-D: caf\xe9 content-length: 1\r\n";
    const rawHead = `HTTP/1.1 200\r\n${fields}transfer-ENCODING:chunked\r\nContent-Length : 9\r\n\r\n`;
    archive.append(exchange({ rawHead, text: "12345" }), note);
    archive.append(exchange({ rawHead: "HTTP/1.0 200 OK\nContent-Length:  5\n\n", text: "12345" }), note);
    await archive.sync();
    const blocks = (await soundRecords(join(dir, `${NAME}.open`)))
      .filter(({ type }) => type === "response")
      .map(({ block }) => block.toString("latin1"));
    assert.deepEqual(blocks, [
      `HTTP/1.1 200\r\n${fields}X-Archive-Orig-transfer-ENCODING:chunked\r\nX-Archive-Orig-Content-Length : 9\r\n\r\n12345`,
      "HTTP/1.0 200 OK\nContent-Length:  5\r\n\r\n12345",
    ]);
  });

  it("does not let a line break in a field begin another field", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const { response: locator } = archive.append(
      exchange({ statusText: "OK\r\nA: b", rawHeaders: ["X", "1\r\n\r\n<script>", "Y", "2\nZ: 3"] }),
      { robotsId: 0, identifiedType: "text/html\r\nWARC-Type: warcinfo", via: null },
    );
    await archive.sync();
    const back = await readRecordAt(dir, locator);
    assert.deepEqual(back.rawHeaders, ["X", "1 <script>", "Y", "2 Z: 3"]);
    assert.equal(back.body.toString(), "<p>hello</p>");
    assert.equal(header(back.warcHeaders, "warc-type"), "response");
  });

  it("marks what was cut, and a body that was left unread", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const cut = archive.append(exchange({ truncated: "time" }), note);
    const unread = archive.append(exchange({ text: "", bodyRead: false }), note);
    await archive.sync();
    assert.equal(cut.truncated, "time");
    assert.equal(unread.truncated, "unspecified");
    assert.equal(header((await readRecordAt(dir, cut.response)).warcHeaders, "warc-truncated"), "time");
    assert.equal(header((await readRecordAt(dir, unread.response)).warcHeaders, "warc-truncated"), "unspecified");
  });

  it("says that a response came over HTTP/2, in a status line that all readers expect", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const { response } = archive.append(exchange({ httpVersion: "2", statusText: "" }), note);
    await archive.sync();
    const back = await readRecordAt(dir, response);
    assert.equal(back.statusLine, "HTTP/1.1 200 ");
    assert.equal(header(back.warcHeaders, "warc-protocol"), "h2");
  });

  it("stores what is compressed already, byte for byte, in blocks of any number", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const noise = Buffer.alloc(200_000);
    for (let i = 0, x = 1; i < noise.length; i++) {
      x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0;
      noise[i] = x >>> 24;
    }
    for (const [coding, text] of [
      ["gzip", noise],
      ["br", Buffer.from("text")],
    ] as const) {
      const body = coding === "br" ? brotliCompressSync(text) : gzipSync(text);
      const capture = archive.append(exchange({ body, rawHeaders: ["Content-Encoding", coding] }), note);
      await archive.sync();
      assert.deepEqual((await readRecordAt(dir, capture.response)).body, body);
      const raw = await readFile(join(dir, `${NAME}.open`));
      assert.ok(raw.indexOf(body.subarray(-1000)) > 0, "the body stands in the file as it came");
    }
  });

  it("deflates a text", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    assert.ok(archive.append(exchange({ text: "word ".repeat(10_000) }), note).response.length < 2_000);
  });

  it("goes to a new file when one is full, and never splits a capture", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir, { maxFileBytes: 4_000, writer: "3" });
    const captures = Array.from({ length: 20 }, (_, i) => archive.append(exchange({ text: `page ${i}` }), note));
    const marks = await archive.sync();
    await archive[Symbol.asyncDispose]();

    const names = await archiveNames(dir);
    assert.ok(names.length > 2);
    assert.deepEqual(
      marks.map((mark) => mark.file),
      names,
    );
    for (const name of names) {
      const types = (await soundRecords(join(dir, name))).map((record) => record.type);
      assert.equal(types[0], "warcinfo");
      for (let i = 1; i < types.length; i += 2) assert.deepEqual(types.slice(i, i + 2), ["response", "request"]);
    }
    for (const [i, capture] of captures.entries()) {
      assert.equal((await readRecordAt(dir, capture.response)).body.toString(), `page ${i}`);
    }
  });

  it("keeps the suffix .open until a file is whole, and can be read meanwhile", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    const { response } = archive.append(exchange(), note);
    assert.deepEqual(await archiveNames(dir), [], "nothing is on disk before sync");
    await archive.sync();
    assert.deepEqual(await archiveNames(dir), [`${NAME}.open`]);
    assert.equal((await readRecordAt(dir, response)).body.toString(), "<p>hello</p>");
    await archive[Symbol.asyncDispose]();
    assert.deepEqual(await archiveNames(dir), [NAME]);
    assert.equal((await readRecordAt(dir, response)).body.toString(), "<p>hello</p>");
  });

  it("never uses a name twice, whatever the clock says", async (t) => {
    const dir = await folder(t);
    for (let run = 0; run < 3; run++) {
      await using archive = await archiveIn(dir);
      archive.append(exchange({ text: `run ${run}` }), note);
    }
    assert.equal((await archiveNames(dir)).length, 3);
  });

  it("makes no file when nothing was appended", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    assert.deepEqual(await archive.sync(), []);
    await archive[Symbol.asyncDispose]();
    assert.deepEqual(await archiveNames(dir), []);
  });

  it("reports a file once a sync, and only when it has grown", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    archive.append(exchange(), note);
    assert.equal((await archive.sync()).length, 1);
    assert.equal(archive.pendingBytes, 0);
    assert.deepEqual(await archive.sync(), []);
  });

  it("takes appends while it syncs", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const captures = [];
    const syncs = [];
    for (let i = 0; i < 50; i++) {
      captures.push(archive.append(exchange({ text: `page ${i}` }), note));
      if (i % 5 === 0) syncs.push(archive.sync());
      if (i % 7 === 0) await null;
    }
    await Promise.all(syncs);
    await archive.sync();
    for (const [i, { response }] of captures.entries()) {
      assert.equal((await readRecordAt(dir, response)).body.toString(), `page ${i}`);
    }
  });

  it("refuses a folder that cannot be one with a typed error", async () => {
    await assert.rejects(
      archiveIn("/dev/null/archive"),
      (error) => error instanceof ArchiveError && error.code === "io",
    );
  });
});

/** A disk with room for so many bytes; a write past that is taken in part first, as a file system does. */
function smallDisk(room: { bytes: number }) {
  return async (path: string): Promise<WritableFile> => {
    const file = await createFile(path);
    return {
      writev: async (buffers, position) => {
        const bytes = Buffer.concat(buffers);
        const fits = Math.min(bytes.length, room.bytes - position);
        if (fits <= 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        return await file.writev([bytes.subarray(0, fits)], position);
      },
      datasync: () => file.datasync(),
      truncate: (length) => file.truncate(length),
      close: () => file.close(),
    };
  };
}

const isDiskFull = (error: unknown) => error instanceof ArchiveError && error.code === "disk-full";

describe("an archive on a full disk", () => {
  it("says so, shows nothing half-written, and goes on when there is room", async (t) => {
    const dir = await folder(t);
    const room = { bytes: 3_000 };
    const archive = await archiveIn(dir, { create: smallDisk(room) });
    archive.append(exchange({ text: "first" }), note);
    const [mark] = await archive.sync();
    const late = Array.from({ length: 5 }, (_, i) => archive.append(exchange({ text: `late ${i}` }), note));
    await assert.rejects(archive.sync(), isDiskFull);
    assert.equal((await stat(join(dir, `${NAME}.open`))).size, mark!.bytes);
    await assert.rejects(archive.sync(), isDiskFull);

    room.bytes = 1e9;
    late.push(archive.append(exchange({ text: "late 5" }), note));
    await archive.sync();
    await archive[Symbol.asyncDispose]();
    await soundRecords(join(dir, NAME));
    for (const [i, { response }] of late.entries()) {
      assert.equal((await readRecordAt(dir, response)).body.toString(), `late ${i}`);
    }
  });

  it("can be closed: what is durable stays, the rest is dropped", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir, { create: smallDisk({ bytes: 3_000 }) });
    archive.append(exchange(), note);
    const [mark] = await archive.sync();
    for (let i = 0; i < 5; i++) archive.append(exchange(), note);
    await assert.rejects(archive.sync(), isDiskFull);
    await archive[Symbol.asyncDispose]();
    assert.equal((await stat(join(dir, NAME))).size, mark!.bytes);
    assert.equal((await soundRecords(join(dir, NAME))).length, 3);
  });

  it("leaves no file when not even the first record found room", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir, { create: smallDisk({ bytes: 100 }) });
    archive.append(exchange(), note);
    await assert.rejects(archive.sync(), isDiskFull);
    await archive[Symbol.asyncDispose]();
    assert.deepEqual(await archiveNames(dir), []);
  });

  it("reports with the next good sync what became durable before the bad one failed", async (t) => {
    const dir = await folder(t);
    const room = { bytes: 3_000 };
    let files = 0;
    const create = (path: string) => (files++ === 0 ? createFile(path) : smallDisk(room)(path));
    await using archive = await archiveIn(dir, { create, maxFileBytes: 1 });
    archive.append(exchange(), note);
    room.bytes = 10;
    archive.append(exchange(), note);
    await assert.rejects(archive.sync(), isDiskFull);
    room.bytes = 3_000;
    assert.equal((await archive.sync()).length, 2);
  });
});

it("base32 is that of RFC 4648, unpadded", () => {
  const vectors = { f: "MY", fo: "MZXQ", foo: "MZXW6", foob: "MZXW6YQ", fooba: "MZXW6YTB", foobar: "MZXW6YTBOI" };
  for (const [text, expected] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), expected);
});

it("a capture is dated by the clock of its exchange, not of the archive", async (t) => {
  const dir = await folder(t);
  await using archive = await archiveIn(dir, { clock: { ...clock, now: () => 0 } });
  assert.equal(archive.append(exchange(), note).at, NOW);
});
