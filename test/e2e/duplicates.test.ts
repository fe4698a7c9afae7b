/** Pages that were there before are marked in what the real program leaves behind, across runs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ask, checkArchive, tempDir, trawl } from "./trawl.ts";

const prose = Array.from({ length: 400 }, (_, i) => `word${String.fromCharCode(97 + ((i * i) % 23), 97 + (i % 19))}`);
const article = (views: number): string => `<title>x</title><p>${prose.join(" ")}</p><p>Seen ${views} times`;
const PAGES: Readonly<Record<string, string>> = {
  "/": `<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href=/d>d</a>`,
  "/a": article(1),
  "/b": article(1),
  "/c": article(2026),
  "/d": `<p>${prose.toReversed().join(" ")}`,
  "/later": article(31337),
  "/again": `<p>${prose.toReversed().join(" ")}`,
};

describe("duplicates in a crawl", () => {
  it("are marked with the URL that came first, in a later run too", async () => {
    await using dir = await tempDir();
    const server = createServer((request, response) => {
      const body = PAGES[request.url ?? ""];
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" }).end(body);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const more = ["--dir", dir.path, "--delay", "0", "--quiet"];
      const copies = async () => {
        const lines = (await trawl(["export", dir.path, "--to", "-"])).stdout.trimEnd().split("\n");
        const rows = lines.map((line) => JSON.parse(line) as Record<string, string | number | null>);
        const pathOf = (id: unknown) =>
          rows
            .find((row) => row.id === id)
            ?.url?.toString()
            .slice(origin.length) ?? null;
        return Object.fromEntries(
          rows.map((row) => [pathOf(row.id), [pathOf(row.duplicate_of), pathOf(row.near_duplicate_of)]]),
        );
      };
      assert.equal((await trawl(["crawl", `${origin}/`, ...more])).code, 0);
      const first = {
        "/": [null, null],
        "/a": [null, null],
        "/b": ["/a", null],
        "/c": [null, "/a"],
        "/d": [null, null],
      };
      assert.deepEqual(await copies(), first);
      assert.equal((await trawl(["crawl", `${origin}/`, `${origin}/later`, `${origin}/again`, ...more])).code, 0);
      assert.deepEqual(await copies(), { ...first, "/later": [null, "/a"], "/again": ["/d", null] });

      const [again] = ask(dir.path, `SELECT revisit_of, id FROM urls WHERE url = '${origin}/again'`);
      assert.equal(ask(dir.path, `SELECT url FROM urls WHERE id = ${again!.revisit_of}`)[0]?.url, `${origin}/d`);
      const { faults, records } = await checkArchive(dir.path);
      assert.deepEqual(faults, []);
      const revisits = records.filter(({ record }) => record.type === "revisit");
      assert.ok(revisits.length >= 1);
      const verified = await trawl(["verify", dir.path]);
      assert.equal(verified.code, 0, verified.stdout);
      assert.match(verified.stdout, /captures \(\d+ revisits?\)/);
      const body = async () => await trawl(["get", dir.path, `${origin}/again`]);
      assert.equal((await body()).stdout, PAGES["/again"], "through the state");
      const head = await trawl(["get", dir.path, `${origin}/again`, "--head"]);
      assert.match(head.stdout, /^HTTP\/1\.1 200 OK\r\n.*content-type: text\/html\r\n/s);
      await rm(join(dir.path, "state.db"));
      assert.equal((await body()).stdout, PAGES["/again"], "through the index");
    } finally {
      server.close();
    }
  });
});
