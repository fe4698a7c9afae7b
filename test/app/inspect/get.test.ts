import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { main } from "../../../src/app/cli/main.ts";
import { nearest } from "../../../src/app/inspect/find-captures.ts";
import { testShell } from "../shell.ts";
import { smallCrawl } from "../small-crawl.ts";

const BODY = "<title>Two</title><p>deux €";

async function get(argv: readonly string[], prepare: (dir: string) => unknown = () => {}) {
  using shell = testShell();
  const dir = await smallCrawl(shell);
  prepare(dir);
  const code = await main(["get", dir, ...argv], shell);
  return { code, out: shell.bytes(), err: shell.err() };
}

describe("trawl get", () => {
  it("prints the body, decoded, through the state or through the index", async () => {
    for (const prepare of [() => {}, (dir: string) => rmSync(join(dir, "state.db"))]) {
      const { code, out, err } = await get(["https://a.test/two?b=1&a=2"], prepare);
      assert.deepEqual([code, out.toString(), err], [0, BODY, ""]);
    }
  });
  it("finds a URL by its key, without a scheme too", async () => {
    assert.equal((await get(["a.test/two?a=2&b=1&utm_source=x#part"])).out.toString(), BODY);
  });
  it("prints it as it came, when it shall be raw", async () => {
    const { out } = await get(["https://a.test/two?b=1&a=2", "--raw"]);
    assert.equal(gunzipSync(out).toString(), BODY);
  });
  it("prints the status line and the fields instead", async () => {
    const { out } = await get(["https://b.test/gone", "--head"]);
    assert.equal(out.toString(), "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n");
  });
  it("says why there is nothing, on standard error, with exit code 4", async () => {
    const rows: readonly (readonly [string, RegExp])[] = [
      ["https://b.test/secret", /nothing of https:\/\/b\.test\/secret is archived in .*: it ended as robots, /],
      ["https://a.test/later", /: it is queued$/m],
      ["https://a.test/never", /: the crawl does not know it$/m],
    ];
    for (const [url, says] of rows) {
      const { code, out, err } = await get([url]);
      assert.deepEqual([code, out.length], [4, 0]);
      assert.match(err, says);
    }
  });
  it("refuses what is no URL, no time, or one word too many", async () => {
    for (const argv of [["x y"], [], ["https://a.test/", "more"], ["https://a.test/", "--at", "yesterday"]]) {
      const { code, err } = await get(argv);
      assert.equal(code, 2, err);
      assert.match(err, /^trawl: .*\n$/);
    }
  });
  it("says that the file of a capture is gone", async () => {
    const { code, err } = await get(["https://a.test/"], (dir) => rmSync(join(dir, "archive"), { recursive: true }));
    assert.equal(code, 3);
    assert.match(err, /archive file .* is gone/);
  });
  it("takes the capture nearest to the time that is asked for", () => {
    const captures = [10, 20, 40].map((at) => {
      const place = { file: "f", offset: at, length: 1 };
      return { at, place, body: place };
    });
    const at = (time: number | null) => nearest(captures, time)?.at;
    assert.deepEqual([at(null), at(0), at(14), at(15), at(31), at(99)], [40, 10, 10, 10, 40, 40]);
    assert.equal(nearest([], 5), null);
  });
});
