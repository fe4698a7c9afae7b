/** The real command on a directory of files: read, archived, found again, and never left. */
import assert from "node:assert/strict";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { header } from "../../src/model/fetch-result.ts";
import { checkArchive, endsIn, tempDir, trawl } from "./trawl.ts";

describe("trawl crawl file:", () => {
  it("crawls what is below the directory, and archives it as resources that all commands read", async () => {
    await using dir = await tempDir();
    const site = join(dir.path, "site");
    await mkdir(join(site, "docs"), { recursive: true });
    const base = pathToFileURL(site).href;
    await using web = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<base href="${base}/"><a href="${base}/.secret.html">x</a><a href=".secret.html">y</a><a href="/etc/passwd">z</a>`,
      );
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => web.once("listening", resolve));
    const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    await writeFile(join(dir.path, "outside.html"), "secret");
    await writeFile(join(site, ".secret.html"), "secret");
    await symlink("../outside.html", join(site, "out.html"));
    const one = `<!DOCTYPE html><title>One</title><a href="docs/two.html">2</a><a href="/etc/passwd">p</a><a href="${origin}/">w</a>`;
    await writeFile(join(site, "one.html"), one);
    await writeFile(join(site, "docs/two.html"), `<!DOCTYPE html><title>Two</title><a href="gone.html">g</a>`);
    const crawled = join(dir.path, "crawl");
    const args = ["--scope", "any", "--allow-net", "127.0.0.0/8", "--no-soft-404", "--dir", crawled];

    const run = await trawl(["crawl", base, ...args]);
    assert.equal(run.code, 0, run.stderr);
    const ends = endsIn(crawled);
    const local = [...ends]
      .filter(([href]) => href.startsWith("file:"))
      .map(([href, end]) => [href.replace(base, ""), end]);
    assert.deepEqual(Object.fromEntries(local), {
      "/": "fetched",
      "/docs/": "fetched",
      "/docs/gone.html": "http-4xx",
      "/docs/two.html": "fetched",
      "/one.html": "fetched",
      "/out.html": "http-4xx",
      "file:///etc/passwd": "scope",
    });
    assert.equal(ends.get(`${origin}/`), "fetched");

    const { records, faults } = await checkArchive(crawled);
    assert.deepEqual(faults, []);
    const ofFiles = records.filter(({ record }) => header(record.fields, "warc-target-uri") === `${base}/one.html`);
    assert.deepEqual(
      ofFiles.map(({ record }) => record.type),
      ["resource", "metadata"],
    );
    const got = async (of: string) => (await trawl(["get", of, `${base}/one.html`])).stdout;
    assert.equal(await got(crawled), one);
    const verified = await trawl(["verify", crawled]);
    assert.equal(verified.code, 0, verified.stdout);
    assert.match((await trawl(["report", crawled])).stdout, /breaches +none/);
    const csv = await trawl(["export", crawled, "--to", "-", "--format", "csv", "--where", "type=text/html"]);
    assert.match(csv.stdout, /one\.html,file:\/\/,ended,fetched,,200,text\/html/);
    const wat = await trawl(["export", crawled, "--to", join(dir.path, "x.wat.gz")]);
    assert.equal(wat.code, 0, wat.stderr);

    const imported = join(dir.path, "imported");
    const files = (await readdir(join(crawled, "archive"))).map((name) => join(crawled, "archive", name));
    assert.equal((await trawl(["import", ...files, "--dir", imported])).code, 0);
    assert.equal(await got(imported), one);
    assert.equal((await trawl(["verify", imported])).code, 0);

    const again = await trawl(["crawl", "--dir", crawled]);
    assert.match(again.stderr, /Nothing was left to do/);
    const other = await trawl(["add", crawled, "file:///etc/passwd"]);
    assert.deepEqual([other.code, /neither http nor https/.test(other.stderr)], [2, true]);
  });

  it("says what is wrong with a seed that is none", async () => {
    await using dir = await tempDir();
    const run = await trawl(["crawl", `file://${dir.path}/nothing`], { cwd: dir.path });
    assert.equal(run.code, 2);
    assert.match(
      run.stderr,
      /^trawl: seed "file:.*nothing" is no file or directory that can be read; write file:\/\/\/path/,
    );
    const far = await trawl(["crawl", "file://server/share"], { cwd: dir.path });
    assert.match(far.stderr, /is a file of another machine/);
    assert.deepEqual(await readdir(dir.path), []);
  });
});
