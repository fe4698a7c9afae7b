/** Real documentation behind a real nginx: what Trawl makes of it, held against wget2, warcio, and the files themselves. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { WARCParser } from "warcio";
import { header } from "../../src/model/fetch-result.ts";
import { readRecordAt } from "../../src/warc/reader.ts";
import { debianDocs } from "../services/debian-docs.ts";
import { type Nginx, nginx } from "../services/nginx.ts";
import { wget2Recursive } from "../services/wget2.ts";
import { checkArchive, fetchedIn, type Run, type TempDir, tempDir, trawl } from "./trawl.ts";

const WARCIO = fileURLToPath(new URL("../../node_modules/warcio/dist/cli.js", import.meta.url));

/** What wget2 asks for and Trawl, without --assets, does not: styles, scripts, images, and what a <link> names besides pages. */
const ASSET = /\.(css|js|png|svg)(\?.*)?$|\/opensearch\.xml$/;

for (const name of ["postgresql", "python"] as const)
  describe(`the documentation of ${name}, crawled`, () => {
    let root: string;
    let server: Nginx;
    let folder: TempDir;
    let run: Run;
    let asked: Asked;

    before(async () => {
      const docs = await debianDocs(name);
      root = docs.root;
      server = await nginx({ root, gzip: true });
      folder = await tempDir();
      const start = `${server.origin}/${docs.start}`;
      run = await trawl(["crawl", start, "--dir", folder.path, "--delay", "0", "--host-concurrency", "32"]);
      await wget2Recursive(start);
      asked = await askedOf(server);
    });
    after(async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    });

    it("ends well", () => assert.equal(run.code, 0, run.stderr));

    it("is asked for once, page by page, and robots.txt once", () => {
      assert.deepEqual(
        asked.trawl.filter((uri, i) => asked.trawl.indexOf(uri) !== i),
        [],
      );
      assert.ok(asked.trawl.includes("/robots.txt"));
    });

    it("gives the pages that wget2 finds; wget2 has page assets besides, and nothing else", () => {
      const ours = new Set(asked.trawl);
      const theirs = new Set(asked.wget2);
      assert.ok(ours.size > 500);
      assert.deepEqual([...ours.difference(theirs)], []);
      assert.deepEqual(
        [...theirs.difference(ours)].filter((uri) => !ASSET.test(uri)),
        [],
      );
    });

    it("is in the index, line by line unique and in order, each leading to the bytes of the file that was served", async () => {
      const lines = (await readFile(join(folder.path, "indexes/index.cdxj"), "utf8")).trimEnd().split("\n");
      assert.deepEqual(lines, [...new Set(lines)].sort());
      const indexed = new Set<string>();
      for (const line of lines) {
        const { url, filename, offset, length, status } = JSON.parse(line.slice(line.indexOf("{")));
        const locator = { file: filename, offset: Number(offset), length: Number(length) };
        const { rawHeaders, body } = await readRecordAt(join(folder.path, "archive"), locator);
        if (status !== "200") continue;
        indexed.add(url);
        const packed = header(rawHeaders, "content-encoding") === "gzip";
        assert.ok((packed ? gunzipSync(body) : body).equals(await fileOf(url, root)), url);
      }
      assert.deepEqual(fetchedIn(folder.path).difference(indexed), new Set());
      assert.deepEqual((await checkArchive(folder.path)).faults, []);
    });

    it("is read by warcio, parser and index, without a complaint, to the bytes of the files", async (t) => {
      const complaints: unknown[] = [];
      t.mock.method(console, "warn", (...words: unknown[]) => complaints.push(words));
      const archive = join(folder.path, "archive");
      let responses = 0;
      for (const file of await readdir(archive)) {
        let records = 0;
        for await (const record of new WARCParser(createReadStream(join(archive, file)))) {
          records++;
          const content = Buffer.from(await record.readFully(true));
          if (record.warcType !== "response" || record.httpHeaders?.statusCode !== 200) continue;
          responses++;
          const url = record.warcTargetURI!;
          assert.ok(content.equals(await fileOf(url, root)), url);
        }
        const index = await promisify(execFile)(process.execPath, [WARCIO, "index", join(archive, file)], {
          maxBuffer: 2 ** 26,
        });
        assert.equal(index.stderr, "");
        assert.equal(index.stdout.trimEnd().split("\n").length, records);
      }
      assert.deepEqual(complaints, []);
      assert.equal(responses, asked.trawl.length - asked.missing);
    });
  });

interface Asked {
  /** Paths with their query, in order. */
  readonly trawl: readonly string[];
  readonly wget2: readonly string[];
  /** Answers to Trawl that were not 200. */
  readonly missing: number;
}

/** Who asked for what, by the server's own log. */
async function askedOf(server: Nginx): Promise<Asked> {
  const lines = (await server.accessLog()).map((line) => line.split("\t"));
  const ours = lines.filter(([, , , , agent]) => !agent!.startsWith("Wget/"));
  const uris = (of: string[][]) => of.map(([, uri]) => new URL(uri!, server.origin).href.slice(server.origin.length));
  return {
    trawl: uris(ours),
    wget2: uris(lines.filter((line) => !ours.includes(line))),
    missing: ours.filter(([, , status]) => status !== "200").length,
  };
}

function fileOf(url: string, root: string): Promise<Buffer> {
  return readFile(join(root, decodeURIComponent(new URL(url).pathname)));
}
