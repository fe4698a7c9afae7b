/** The real program with a media handler that fails when its reading is long over. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ask, tempDir, trawl } from "./trawl.ts";

const FAILS: Readonly<Record<string, string>> = {
  "a timer": 'setTimeout(() => { throw new Error("left behind"); }, 1)',
  "a promise": 'void Promise.resolve().then(() => { throw new Error("left behind"); })',
};

describe("a media handler that leaves behind what fails", () => {
  for (const [what, code] of Object.entries(FAILS))
    it(`(${what}) stops no crawl, and the log says whose it was`, async () => {
      await using dir = await tempDir();
      const path = join(dir.path, "handler.mjs");
      const read = `read(document) { ${code}; return { links: document.href.endsWith("/") ? [LINK] : [] }; }`;
      await writeFile(
        path,
        `const LINK = { href: "/next", kind: "page", from: "x" };
         export const handler = { name: "h", accepts: ["text/html"], ${read} };`,
      );
      const server = createServer((request, answer) => {
        answer.writeHead(request.url === "/robots.txt" ? 404 : 200, { "content-type": "text/html" }).end("page");
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const crawl = join(dir.path, "crawl");
      const { code: exit, stderr } = await trawl(["crawl", seed, "--delay", "50ms", "--handler", path, "--dir", crawl]);
      server.close();
      assert.equal(exit, 0, stderr);
      const logs = await readdir(join(crawl, "logs"));
      const lines = await Promise.all(logs.map((name) => readFile(join(crawl, "logs", name), "utf8")));
      assert.match(lines.join(""), /handler\.mjs.*left behind/);
      assert.equal(ask(crawl, "SELECT count(*) AS n FROM urls WHERE \"end\" IN ('fetched', 'duplicate')")[0]!.n, 2);
    });
});
