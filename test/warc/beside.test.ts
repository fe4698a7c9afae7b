/** What the archive holds beside responses: revisits, metadata, conversions. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Original } from "../../src/model/capture.ts";
import { header } from "../../src/model/fetch-result.ts";
import type { Href } from "../../src/model/url.ts";
import { checkRecord } from "../../src/warc/check.ts";
import { parseHttp } from "../../src/warc/http.ts";
import { readRecordAt } from "../../src/warc/read-at.ts";
import { archiveIn, archiveNames, exchange, folder, NOW, note, soundRecords } from "./fixtures.ts";

const original: Original = {
  urlId: 7,
  href: "http://a.test/first" as Href,
  at: NOW - 5_000,
  digest: "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
};

async function recordsOf(dir: string) {
  const records = [];
  for (const name of await archiveNames(dir)) records.push(...(await soundRecords(join(dir, name))));
  for (const record of records) assert.deepEqual(checkRecord(record).faults, [], record.type);
  return records;
}

describe("a resource", () => {
  it("is the content of what came by no HTTP, with its type, and has no request", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    const [href, at] = ["file:///a.html" as Href, { httpVersion: null, address: "", requestHead: "" }];
    const file = exchange({ ...at, href, rawHeaders: ["Content-Type", "text/html", "Last-Modified", "x"] });
    const { response, digest } = archive.append(file, { ...note, identifiedType: "text/html", metadata: ["a", "b"] });
    await archive[Symbol.asyncDispose]();
    const [, resource, ...others] = await recordsOf(dir);
    assert.deepEqual([resource!.type, others.map(({ type }) => type)], ["resource", ["metadata"]]);
    const field = (name: string) => header(resource!.fields, name);
    assert.deepEqual(["content-type", "warc-target-uri", "warc-payload-digest"].map(field), [
      "text/html",
      href,
      digest,
    ]);
    assert.equal(field("warc-block-digest"), digest);
    for (const name of ["warc-protocol", "warc-ip-address", "warc-truncated"]) assert.equal(field(name), null, name);
    assert.equal(resource!.block.toString(), "<p>hello</p>");
    const [name] = await archiveNames(dir);
    const { statusLine, rawHeaders, body } = await readRecordAt(dir, { ...response, file: name! });
    assert.deepEqual(
      [statusLine, rawHeaders, String(body)],
      ["HTTP/1.1 200 OK", ["Content-Type", "text/html"], "<p>hello</p>"],
    );
  });
});

describe("a revisit", () => {
  it("has the head and not the body, and says where the body is", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    const text = "a page that is there already ".repeat(100);
    const rawHeaders = ["Content-Type", "text/html", "Content-Length", String(text.length)];
    const capture = archive.append(exchange({ text, rawHeaders }), {
      ...note,
      robotsId: 3,
      digest: original.digest,
      revisit: { profile: "identical-payload-digest", original },
    });
    await archive[Symbol.asyncDispose]();
    const [, revisit, request] = await recordsOf(dir);
    assert.equal(revisit!.type, "revisit");
    const field = (name: string) => header(revisit!.fields, name);
    assert.equal(field("warc-profile"), "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
    assert.equal(field("warc-refers-to-target-uri"), "http://a.test/first");
    assert.equal(field("warc-refers-to-date"), "2026-11-30T11:59:55.250Z");
    assert.equal(field("warc-date"), "2026-11-30T12:00:00.250Z");
    assert.equal(field("warc-payload-digest"), original.digest);
    assert.equal(field("trawl-robots-copy"), "3");
    const message = parseHttp(revisit!.block);
    assert.deepEqual([message.startLine, message.rawHeaders, message.body.length], ["HTTP/1.1 200 OK", rawHeaders, 0]);
    assert.equal(header(request!.fields, "warc-concurrent-to"), field("warc-record-id"));
    assert.equal(capture.revisitOf, 7);
    assert.equal(capture.digest, original.digest);
    assert.deepEqual([capture.response.offset, capture.response.length], [revisit!.offset, revisit!.length]);
  });

  it("after a 304 has the digest of what the server says is still so, not that of nothing", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    const capture = archive.append(
      exchange({ text: "", status: 304, statusText: "Not Modified", rawHeaders: ["ETag", '"x"'] }),
      { ...note, revisit: { profile: "server-not-modified", original } },
    );
    await archive[Symbol.asyncDispose]();
    const [, revisit] = await recordsOf(dir);
    const field = (name: string) => header(revisit!.fields, name);
    assert.equal(field("warc-profile"), "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
    assert.equal(field("warc-payload-digest"), original.digest);
    assert.equal(parseHttp(revisit!.block).startLine, "HTTP/1.1 304 Not Modified");
    assert.deepEqual([capture.digest, capture.revisitOf], [original.digest, 7]);
  });
});

describe("beside a page", () => {
  it("stand what reading found and the page in other forms, in one file, however full it is", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir, { maxFileBytes: 1_000 });
    const links = Array.from({ length: 200 }, (_, i) => ["outlink", `http://a.test/${i} L a`]).flat();
    for (let i = 0; i < 3; i++)
      archive.append(exchange(), {
        ...note,
        metadata: ["fetchTimeMs", "20", "odd", "one\r\nWARC-Type: two", ...links],
        conversions: [
          { type: "text/plain", text: "naïve 漁" },
          { type: "text/markdown", text: "# naïve".repeat(1_000) },
        ],
      });
    await archive[Symbol.asyncDispose]();
    const records = await recordsOf(dir);
    const types = ["warcinfo", "response", "request", "metadata", "conversion", "conversion"];
    assert.deepEqual(
      records.map(({ type }) => type),
      [...types, ...types, ...types],
    );
    const [, response, , metadata, plain, markdown] = records;
    const id = header(response!.fields, "warc-record-id");
    assert.equal(header(metadata!.fields, "warc-concurrent-to"), id);
    assert.equal(header(metadata!.fields, "content-type"), "application/warc-fields");
    assert.equal(header(metadata!.fields, "warc-target-uri"), "http://a.test/page");
    const lines = metadata!.block.toString().split("\r\n");
    assert.deepEqual(lines.slice(0, 3), ["fetchTimeMs: 20", "odd: one WARC-Type: two", "outlink: http://a.test/0 L a"]);
    assert.equal(lines.length, 203);
    assert.ok(metadata!.length < 2_000, "it is compressed");
    assert.equal(header(plain!.fields, "warc-refers-to"), id);
    assert.equal(plain!.block.toString(), "naïve 漁");
    assert.equal(header(markdown!.fields, "content-type"), "text/markdown");
    assert.equal(markdown!.block.toString(), "# naïve".repeat(1_000));
  });
});

describe("the records of an exchange", () => {
  it("say which protocols it came over", async (t) => {
    const dir = await folder(t);
    const archive = await archiveIn(dir);
    const tls = { protocol: "tls/1.3", cipher: "TLS_AES_128_GCM_SHA256" };
    archive.append(exchange({ httpVersion: "2", tls }), note);
    archive.append(exchange({ httpVersion: "1.0" }), note);
    await archive[Symbol.asyncDispose]();
    const [first, second] = (await recordsOf(dir)).filter(({ type }) => type === "response");
    const protocols = (fields: readonly string[]) => fields.filter((_, i) => fields[i - 1] === "WARC-Protocol");
    assert.deepEqual(protocols(first!.fields), ["h2", "tls/1.3"]);
    assert.equal(header(first!.fields, "warc-cipher-suite"), "TLS_AES_128_GCM_SHA256");
    assert.deepEqual(protocols(second!.fields), ["http/1.0"]);
    assert.equal(header(second!.fields, "warc-cipher-suite"), null);
  });

  it("are not compressed a second time where the body came so", async (t) => {
    const dir = await folder(t);
    await using archive = await archiveIn(dir);
    const text = Buffer.from("compresses well ".repeat(10_000));
    const sizeOf = (body: Buffer, rawHeaders: string[]) =>
      archive.append(exchange({ body, rawHeaders }), note).response;
    const zipped = gzipSync(text);
    for (const [body, rawHeaders] of [
      [zipped, ["Content-Encoding", "gzip"]],
      [text, ["Content-Type", "image/webp"]],
      [text, ["Content-Type", "application/pdf"]],
    ] as const)
      assert.ok(sizeOf(body, [...rawHeaders]).length > body.length, rawHeaders.join());
    assert.ok(sizeOf(text, ["Content-Type", "image/svg+xml"]).length < 5_000);
  });
});
