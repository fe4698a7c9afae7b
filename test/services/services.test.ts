import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findCommand, MissingService, need } from "./command.ts";
import { debianDocs } from "./debian-docs.ts";
import { nginx } from "./nginx.ts";
import { wget2Recursive } from "./wget2.ts";

describe("a private nginx", () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "site-"));
    const filler = "<p>one two three</p>\n".repeat(200);
    await writeFile(join(root, "index.html"), `<a href="a.html">a</a> <a href="b%20c.html?x=1,2">b</a>${filler}`);
    await writeFile(join(root, "a.html"), "a");
  });
  after(() => rm(root, { recursive: true }));

  it("serves a folder, compressed if asked, and tells what was asked of it", async () => {
    await using plain = await nginx({ root });
    await using packed = await nginx({ root, gzip: true });
    assert.equal((await fetch(`${plain.origin}/`)).headers.get("content-encoding"), null);
    assert.equal((await fetch(`${packed.origin}/`)).headers.get("content-encoding"), "gzip");
    assert.match(await (await fetch(`${packed.origin}/`)).text(), /^<a href="a.html">/);
    assert.equal((await fetch(`${plain.origin}/none`)).status, 404);
    assert.deepEqual(
      (await plain.accessLog()).map((line) => line.split("\t").slice(0, 3)),
      [
        ["GET", "/", "200"],
        ["GET", "/none", "404"],
      ],
    );
  });

  it("says why it does not start", async () => {
    await assert.rejects(nginx({ root, extra: "no_such_directive on;" }), /did not start: .*no_such_directive/s);
  });

  it("stops when it is closed", async () => {
    const server = await nginx({ root });
    await server[Symbol.asyncDispose]();
    await assert.rejects(fetch(server.origin));
  });

  it("is crawled by wget2, whose answers come back as URLs", async () => {
    await using server = await nginx({ root });
    const answers = await wget2Recursive(`${server.origin}/`);
    assert.deepEqual(answers.map(({ href, status }) => `${status} ${href.slice(server.origin.length)}`).sort(), [
      "200 /",
      "200 /a.html",
      "404 /b%20c.html?x=1,2",
      "404 /robots.txt",
    ]);
  });
});

describe("documentation packages", () => {
  it("are there, with their start page", async () => {
    for (const name of ["postgresql", "python"] as const)
      assert.match((await debianDocs(name)).root, /^\/usr\/share\/doc\//);
  });
});

describe("a missing service", () => {
  it("is installed once and found then", async () => {
    let there: string | null = null;
    const found = await need(
      "thing",
      ["thing-pkg"],
      async () => there,
      async () => {
        there = "/usr/bin/thing";
      },
    );
    assert.equal(found, "/usr/bin/thing");
  });
  it("is never skipped: the error names the command that installs it", async () => {
    await assert.rejects(
      need(
        "thing",
        ["thing-pkg", "other"],
        async () => null,
        async () => {},
      ),
      (error) => error instanceof MissingService && /sudo apt-get install .* thing-pkg other$/.test(error.message),
    );
    assert.equal(await findCommand("no-such-program-anywhere"), null);
  });
});
