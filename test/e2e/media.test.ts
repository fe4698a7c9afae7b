/** The real program on a small site of articles, PDFs and images. */
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { crawl } from "../../src/index.ts";
import { header } from "../../src/model/fetch-result.ts";
import { readRecords } from "../../src/warc/reader.ts";
import { pdf } from "../media/pdfs.ts";
import { checkArchive, type TempDir, tempDir, trawl } from "./trawl.ts";

const PROSE = "Words of an article, as long as articles are, with commas and clauses in them. ".repeat(10);
const PNG = Buffer.from("89504e470d0a1a0a0000000d494844520000012c000000c80806000000", "hex");

const SITE: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  "/": [
    "text/html; charset=utf-8",
    `<!doctype html><html><head><title>An article</title><meta property="og:title" content="An article">
     <script type="application/ld+json">{"@type":"Article"}</script></head><body><nav><a href=/menu>Menu</a></nav>
     <article><h1>An article</h1><p>${PROSE}</p><h2>Part</h2><p>${PROSE}<a href="report.pdf">report</a><img src=i.png></p>
     </article></body></html>`,
  ],
  "/report.pdf": [
    "application/pdf",
    pdf([{ lines: ["A line of the report"], links: ["/from-pdf"] }], { title: "The report", language: "en" }),
  ],
  "/from-pdf": ["text/html; charset=utf-8", "<html lang=de><title>From a PDF</title><p>Short.</html>"],
  "/i.png": ["image/png", PNG],
};

type Row = Readonly<Record<string, unknown>>;

describe("the real program, reading articles, PDFs and images", () => {
  let dir: TempDir;
  let server: Server;
  let origin: string;
  let rows: ReadonlyMap<string, Row>;

  before(async () => {
    dir = await tempDir();
    server = createServer((request, response) => {
      const [type, body] = SITE[request.url ?? ""] ?? ["text/html", "<title>Nothing</title>"];
      response.writeHead(SITE[request.url ?? ""] === undefined ? 404 : 200, {
        "content-type": type,
        "content-language": "en-GB",
      });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [
      "crawl",
      `${origin}/`,
      "--assets",
      "--text",
      "--markdown",
      "--delay",
      "0",
      "--dir",
      dir.path,
      "--quiet",
    ];
    const { code, stderr } = await trawl(args);
    assert.equal(code, 0, stderr);
    const lines = (await readFile(join(dir.path, "pages/pages.jsonl"), "utf8")).trim().split("\n");
    rows = new Map(lines.map((line) => JSON.parse(line) as Row).map((row) => [new URL(String(row.url)).pathname, row]));
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await dir[Symbol.asyncDispose]();
  });

  it("records what each page, PDF and image says of itself", () => {
    const page = rows.get("/")!;
    assert.equal(page.open_graph, '{"og:title":["An article"]}');
    assert.equal(page.json_ld, '[{"@type":"Article"}]');
    assert.equal(page.language, "en-GB");
    const report = rows.get("/report.pdf")!;
    assert.deepEqual(
      [report.title, report.language, report.links, report.media_type, report.read_error],
      ["The report", "en", 1, "application/pdf", null],
    );
    const image = rows.get("/i.png")!;
    assert.deepEqual([image.media_type, image.width, image.height], ["image/png", 300, 200]);
  });
  it("follows the links of a PDF", () => assert.equal(rows.get("/from-pdf")?.end, "fetched"));
  it("archives the main content as text and as Markdown, beside the page", async () => {
    const found: string[] = [];
    for (const name of await readdir(join(dir.path, "archive")))
      for await (const record of readRecords(createReadStream(join(dir.path, "archive", name)))) {
        if (record.kind !== "record" || record.type !== "conversion") continue;
        const path = new URL(header(record.fields, "warc-target-uri") ?? "").pathname;
        found.push(`${path} ${header(record.fields, "content-type")} ${record.block.toString().slice(0, 20)}`);
      }
    assert.deepEqual(found.sort(), [
      "/ text/markdown # An article\n\nWords ",
      "/ text/plain Words of an article,",
      "/from-pdf text/markdown # From a PDF\n\nShort.",
      "/from-pdf text/plain Short.",
      "/report.pdf text/plain A line of the report",
    ]);
    assert.deepEqual((await checkArchive(dir.path)).faults, []);
  });
  it("gives pages of the library their text and main content", async () => {
    await using other = await tempDir();
    const said = new Map<string, readonly string[]>();
    for await (const page of crawl({ seeds: `${origin}/`, dir: other.path, delay: 0 })) {
      const { title, markdown } = await page.mainContent();
      said.set(new URL(page.url).pathname, [title, markdown.slice(0, 20), (await page.visibleText()).slice(0, 20)]);
    }
    assert.deepEqual(said.get("/"), ["An article", "# An article\n\nWords ", "Menu An article Word"]);
    const line = "A line of the report";
    assert.deepEqual(said.get("/report.pdf"), ["The report", line, line]);
  });
});
