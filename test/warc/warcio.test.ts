/** Our files in the hands of another program: the npm package warcio, its parser and its commands. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { WARCParser } from "warcio";
import type { FetchResponse } from "../../src/model/fetch-result.ts";
import type { Href } from "../../src/model/url.ts";
import { cdxjLine } from "../../src/warc/cdxj.ts";
import { archiveIn, archiveNames, exchange, folder, note } from "./fixtures.ts";

const run = promisify(execFile);
const CLI = fileURLToPath(new URL("../../node_modules/warcio/dist/cli.js", import.meta.url));

const text = "<title>caf\u00e9</title>".repeat(500);
/** warcio hands br on as it is. */
const br = brotliCompressSync(text);
const binary = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i) & 0xff));

/** What is archived, and the content that a reader must get back. */
const exchanges: readonly (Partial<FetchResponse> & { readonly path: string; readonly content: Uint8Array })[] = [
  { path: "plain", body: Buffer.from(text), content: Buffer.from(text) },
  {
    path: "chunked",
    body: Buffer.from(text),
    rawHeaders: ["Transfer-Encoding", "chunked"],
    content: Buffer.from(text),
  },
  {
    path: "gzip-chunked",
    body: gzipSync(text),
    rawHeaders: ["content-encoding", "gzip", "transfer-encoding", "chunked"],
    content: Buffer.from(text),
  },
  { path: "br", body: br, rawHeaders: ["Content-Encoding", "br"], content: br },
  { path: "empty", body: Buffer.alloc(0), rawHeaders: ["Content-Length", "0"], content: Buffer.alloc(0) },
  {
    path: "304",
    status: 304,
    statusText: "Not Modified",
    body: Buffer.alloc(0),
    rawHeaders: ["ETag", '"x"', "Content-Length", "99"],
    content: Buffer.alloc(0),
  },
  { path: "binary-headers", rawHeaders: ["X-Bytes", "caf\u00e9 \u00ff\u0080"], body: binary, content: binary },
  { path: "no-reason", status: 299, statusText: "", body: binary, content: binary },
  { path: "cut", truncated: "length", rawHeaders: ["Content-Length", "1000000"], body: binary, content: binary },
  {
    path: "as-received",
    rawHeaders: ["X-A", "1"],
    rawHead: "HTTP/1.1 200\nX-A:1\r\nX-B : \t2  \nX-C: a\r\n\tb\nTransfer-Encoding:chunked\n\r\n",
    body: Buffer.from(text),
    content: Buffer.from(text),
  },
  { path: "h2", httpVersion: "2", statusText: "", body: Buffer.from(text), content: Buffer.from(text) },
];

it("warcio reads every kind of exchange without a complaint, and its index is ours", async (t) => {
  const complaints: unknown[] = [];
  t.mock.method(console, "warn", (...words: unknown[]) => complaints.push(words));
  const dir = await folder(t);
  const archive = await archiveIn(dir);
  const captures = exchanges.map(({ path, content: _, ...changes }) => {
    const response = exchange({ ...changes, href: `http://a.test/${path}` as Href });
    return { response, capture: archive.append(response, note) };
  });
  await archive[Symbol.asyncDispose]();
  const [name] = await archiveNames(dir);
  const file = join(dir, name!);

  const seen: string[] = [];
  const parser = new WARCParser(createReadStream(file), { keepHeadersCase: true });
  for await (const record of parser) {
    seen.push(record.warcType ?? "");
    if (record.warcType !== "response") {
      await record.readFully(false);
      continue;
    }
    const expected = exchanges.find(({ path }) => record.warcTargetURI === `http://a.test/${path}`)!;
    assert.ok(Buffer.from(await record.readFully(true)).equals(expected.content), expected.path);
    assert.equal(record.httpHeaders?.statusCode, expected.status ?? 200);
  }
  assert.deepEqual(seen, ["warcinfo", ...exchanges.flatMap(() => ["response", "request"])]);
  assert.deepEqual(complaints, []);

  const plain = await run(process.execPath, [CLI, "index", file]);
  assert.equal(plain.stderr, "");
  assert.equal(plain.stdout.trim().split("\n").length, seen.length);

  const indexed = await run(process.execPath, [CLI, "cdx-index", "--format", "cdxj", file]);
  assert.equal(indexed.stderr, "");
  const theirs = indexed.stdout.trim().split("\n").map(parseLine);
  const ours = captures.map(({ response, capture }) =>
    parseLine(
      cdxjLine({
        url: response.href,
        at: capture.at,
        mime: response.rawHeaders[0] === "Content-Type" ? "text/html" : "",
        status: response.status,
        digest: capture.digest,
        length: capture.response.length,
        offset: capture.response.offset,
        filename: capture.response.file,
      }),
    ),
  );
  assert.deepEqual(ours, theirs);
});

/** Where the two are free to differ: warcio leaves the algorithm out of the digest, and an unknown type altogether. */
function parseLine(line: string) {
  const [key, time] = line.split(" ", 2);
  const {
    mime = "unk",
    digest,
    filename,
    ...facts
  } = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>;
  return { key, time, mime, digest: digest!.replace("sha1:", ""), filename: filename!.split("/").at(-1), ...facts };
}
