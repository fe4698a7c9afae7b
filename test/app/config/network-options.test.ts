/** Options that name origins, passwords and proxies: how they are read, and what is refused in which words. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { configFrom, resolveConfig, writeConfig } from "../../../src/app/config/config.ts";
import { OPTIONS } from "../../../src/app/config/options.ts";
import { parseValue } from "../../../src/app/config/values.ts";
import { testShell } from "../shell.ts";

const SEED = "https://a.test/";

describe("options for one host", () => {
  it("mean https unless they say http, and an origin with its port", () => {
    const auth = (text: string) => parseValue(OPTIONS.auth, text);
    assert.deepEqual(auth("A.example=me:x=y:z"), { ok: true, value: "https://a.example=me:x=y:z" });
    assert.deepEqual(auth("http://a.example:80=me:"), { ok: true, value: "http://a.example=me:" });
    assert.deepEqual(auth("[::1]:8443=:x"), { ok: true, value: "https://[::1]:8443=:x" });
    const field = (text: string) => parseValue(OPTIONS.hostHeaders, text);
    assert.deepEqual(field("a.example: X-Key: a: b"), { ok: true, value: "https://a.example: x-key: a: b" });
    assert.deepEqual(field("http://[::1]:8080: X: 1"), { ok: true, value: "http://[::1]:8080: x: 1" });
  });

  it("are maps in a configuration", async () => {
    using shell = testShell();
    const { config } = await configFrom(
      { seeds: SEED, auth: { "a.test": "me:x" }, hostHeaders: { "http://b.test": { "X-A": "1", "X-B": "2" } } },
      "crawl()",
      shell,
    );
    assert.deepEqual(config.auth, ["https://a.test=me:x"]);
    assert.deepEqual(config.hostHeaders, ["http://b.test: x-a: 1", "http://b.test: x-b: 2"]);
  });

  for (const [option, text, words] of [
    ["auth", "me:x", /names no host, user and password/],
    ["auth", "a.test=me", /write example\.com=USER:PASSWORD/],
    ["auth", "https://a.test/path=me:x", /names no host/],
    ["auth", "a.test=me:x\ny", /names no host/],
    ["hostHeaders", "X-A: 1", /is not a header field|does not begin with a host/],
    ["hostHeaders", "a.test/b: X-A: 1", /does not begin with a host/],
    ["hostHeaders", "a.test: Host: b", /Trawl sets itself/],
    ["proxy", "localhost:3128", /is not a proxy; write http:\/\/HOST:PORT/],
    ["proxy", "ftp://a", /is not a proxy/],
  ] as const)
    it(`refuse ${JSON.stringify(text)} as ${option}`, () => {
      const parsed = parseValue(OPTIONS[option], text);
      assert.match(parsed.ok ? "" : parsed.error, words);
    });

  it("are not kept in the crawl's directory, passwords and proxies least of all", async () => {
    using shell = testShell();
    const flags = ["--auth", "a.test=me:secret", "--host-header", "a.test: X: secret", "--proxy", "http://u:secret@p"];
    const { config } = await resolveConfig([SEED, ...flags, "--dir", "d", "--cookies", "c.txt"], shell);
    assert.equal(config.cookies, join(shell.cwd, "c.txt"));
    await writeConfig(config);
    const kept = await readFile(join(config.dir, "crawl.json"), "utf8");
    assert.doesNotMatch(kept, /secret/);
    assert.match(kept, /c\.txt/);
  });
});
