/** Real documentation behind a real nginx: what Trawl makes of it, held against wget2, warcio, and the files themselves. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { WARCParser } from "warcio";
import { header } from "../../src/model/fetch-result.ts";
import { readRecordAt } from "../../src/warc/read-at.ts";
import { debianDocs } from "../services/debian-docs.ts";
import { type Nginx, nginx } from "../services/nginx.ts";
import { wget2Recursive } from "../services/wget2.ts";
import { fetchedAt, inADirectory, onBothSides, type Place, type Side } from "./sides.ts";
import { type Run, trawl } from "./trawl.ts";

const WARCIO = fileURLToPath(new URL("../../node_modules/warcio/dist/cli.js", import.meta.url));

/**
 * What wget2 asks for and Trawl, without --assets, does not: styles, scripts, images, and what a <link> names that is no
 * page: a search plugin (`rel=search`), and PostgreSQL's `rev=made`, an address of mail that lacks its "mailto:".
 */
const NO_PAGE = /\.(css|js|png|svg)(\?.*)?$|\/opensearch\.xml$|\/pgsql-docs(@|%40)lists\.postgresql\.org$/;

type Docs = Parameters<typeof debianDocs>[0];

const held =
  (name: Docs) =>
  (side: Side): void => {
    let root: string;
    let server: Nginx;
    let place: Place;
    let run: Run;
    let asked: Asked;

    before(async () => {
      const docs = await debianDocs(name);
      root = docs.root;
      server = await nginx({ root, gzip: true });
      place = await side.place();
      const start = `${server.origin}/${docs.start}`;
      run = await trawl(["crawl", start, ...place.where, "--delay", "0", "--host-concurrency", "32"]);
      await wget2Recursive(start);
      asked = await askedOf(server);
    });
    after(async () => {
      await server[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    it("ends well", () => assert.equal(run.code, 0, run.stderr));

    it("is asked for once, page by page, and robots.txt once", () => {
      const again = asked.trawl.filter((uri, i) => asked.trawl.indexOf(uri) !== i);
      assert.deepEqual(again, []);
      assert.ok(asked.trawl.includes("/robots.txt"));
    });

    it("gives the pages that wget2 finds; wget2 has page assets besides, and nothing else", () => {
      assert.ok(asked.trawl.length > 500);
      assert.deepEqual(without(asked.trawl, asked.wget2), []);
      const more = without(asked.wget2, asked.trawl).filter((uri) => !NO_PAGE.test(uri));
      assert.deepEqual(more, []);
    });

    it("is in the index, line by line unique and in order, each leading to the bytes of the file that was served", async () => {
      const lines = await place.index();
      assert.deepEqual(lines, [...new Set(lines)].sort());
      const indexed = new Set<string>();
      for (const line of lines) {
        const { url, filename, offset, length, status } = JSON.parse(line.slice(line.indexOf("{")));
        const locator = { file: filename, offset: Number(offset), length: Number(length) };
        const { warcHeaders, rawHeaders, body } = await readRecordAt(place.archive, locator);
        if (status !== "200" || header(warcHeaders, "warc-truncated") !== null) continue;
        indexed.add(url);
        const packed = header(rawHeaders, "content-encoding") === "gzip";
        assert.ok((packed ? gunzipSync(body) : body).equals(await fileOf(url, root)), url);
      }
      assert.deepEqual([...indexed].sort(), [...(await fetchedAt(place))].sort());
      assert.deepEqual(await place.faults(), []);
    });

    it("is read by warcio, parser and index, without a complaint, to the bytes of the files", async (t) => {
      const complaints: unknown[] = [];
      t.mock.method(console, "warn", (...words: unknown[]) => complaints.push(words));
      const { archive } = place;
      const fetched = await fetchedAt(place);
      let responses = 0;
      for (const file of await readdir(archive)) {
        let records = 0;
        for await (const record of new WARCParser(createReadStream(join(archive, file)))) {
          records++;
          const content = Buffer.from(await record.readFully(true));
          if (record.warcType !== "response") continue;
          responses++;
          const url = record.warcTargetURI!;
          if (!fetched.has(url)) continue; // no such page, or its type was not asked for and its body not read
          assert.ok(content.equals(await fileOf(url, root)), url);
        }
        const index = await promisify(execFile)(process.execPath, [WARCIO, "index", join(archive, file)], {
          maxBuffer: 2 ** 26,
        });
        assert.equal(index.stderr, "");
        assert.equal(index.stdout.trimEnd().split("\n").length, records);
      }
      assert.deepEqual(complaints, []);
      assert.equal(responses, asked.trawl.length);
    });
  };

inADirectory("the documentation of postgresql, crawled", held("postgresql"));
onBothSides("the documentation of python, crawled", held("python"));

interface Asked {
  /** Paths with their query, in order. */
  readonly trawl: readonly string[];
  readonly wget2: readonly string[];
}

/** Who asked for what, by the server's own log. */
async function askedOf(server: Nginx): Promise<Asked> {
  const asked = { trawl: [] as string[], wget2: [] as string[] };
  for (const line of await server.accessLog()) {
    const [, uri, , , agent] = line.split("\t");
    const { href } = new URL(uri!, server.origin);
    asked[/^wget/i.test(agent!) ? "wget2" : "trawl"].push(href.slice(server.origin.length));
  }
  return asked;
}

function without(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}

function fileOf(url: string, root: string): Promise<Buffer> {
  return readFile(join(root, decodeURIComponent(new URL(url).pathname)));
}
