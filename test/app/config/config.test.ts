import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CrawlInput, configFrom, readConfig, resolveConfig, writeConfig } from "../../../src/app/config/config.ts";
import { OPTIONS } from "../../../src/app/config/options.ts";
import { clearCrawl } from "../../../src/app/dir/crawl-dir.ts";
import { testShell } from "../shell.ts";

const SEED = "https://a.test/";

describe("the configuration of a command", () => {
  it("has the defaults of the table, and a directory named after the first seed's host", async () => {
    using shell = testShell();
    const { config, notices } = await resolveConfig(["http://127.0.0.1:8080/x#y", SEED], shell);
    assert.deepEqual(config.seeds, ["http://127.0.0.1:8080/x", SEED]);
    assert.equal(config.dir, join(shell.cwd, "crawls", "127.0.0.1-8080"));
    assert.equal(config.delay, 1_000);
    assert.equal(config.limit, null);
    assert.deepEqual(config.accept, OPTIONS.accept.default);
    assert.deepEqual(notices, []);
  });
  it("is plain data", async () => {
    using shell = testShell();
    const { config } = await resolveConfig([SEED, "--include", "/b/", "--header", "A: b"], shell);
    assert.deepEqual(JSON.parse(JSON.stringify(config)), config);
    assert.deepEqual(structuredClone(config), config);
  });
  it("lets flags win over the file, and the file over the defaults; a list takes the place of a list", async () => {
    using shell = testShell();
    writeFileSync(
      join(shell.cwd, "trawl.config.ts"),
      `const limit: number = 7;
       export default { seeds: ["https://file.test/"], limit, delay: "3s", maxBody: 1000, exclude: [/a/i, "b"], headers: { "X-A": 1 } };`,
    );
    const fromFile = (await resolveConfig([], shell)).config;
    assert.deepEqual(fromFile.seeds, ["https://file.test/"]);
    assert.equal(fromFile.limit, 7);
    assert.equal(fromFile.delay, 3_000);
    assert.equal(fromFile.maxBody, 1_000);
    assert.deepEqual(fromFile.exclude, ["(?i:a)", "b"]);
    assert.deepEqual(fromFile.headers, ["x-a: 1"]);
    const both = (await resolveConfig([SEED, "--limit", "9", "--exclude", "c"], shell)).config;
    assert.deepEqual(both.seeds, [SEED]);
    assert.equal(both.limit, 9);
    assert.equal(both.delay, 3_000);
    assert.deepEqual(both.exclude, ["c"]);
  });
  it("has no lease that a request could outlive", async () => {
    using shell = testShell();
    const short = resolveConfig([SEED, "--lease", "9s", "--total-timeout", "5s"], shell);
    await assert.rejects(
      short,
      /--lease 9s is less than twice --total-timeout 5s; make it longer, or the other shorter/,
    );
    assert.equal((await resolveConfig([SEED, "--lease", "10s", "--total-timeout", "5s"], shell)).config.lease, 10_000);
  });
  it("takes paths relative to where they are written", async () => {
    using shell = testShell();
    mkdirSync(join(shell.cwd, "sub"));
    writeFileSync(join(shell.cwd, "sub", "h.js"), "");
    writeFileSync(join(shell.cwd, "sub", "seeds.txt"), "https://list.test/\n");
    writeFileSync(join(shell.cwd, "sub", "c.json"), '{"input": "seeds.txt", "dir": "out", "handlers": "./h.js"}');
    const { config } = await resolveConfig(["--config", "sub/c.json"], shell);
    assert.deepEqual(config.seeds, ["https://list.test/"]);
    assert.equal(config.dir, join(shell.cwd, "sub", "out"));
    assert.deepEqual(config.handlers, [join(shell.cwd, "sub", "h.js")]);
  });
  it("takes every type with --assets, unless types are named", async () => {
    using shell = testShell();
    assert.deepEqual((await resolveConfig([SEED, "--assets"], shell)).config.accept, ["*/*"]);
    assert.deepEqual((await resolveConfig([SEED, "--assets", "--accept", "image/*"], shell)).config.accept, [
      "image/*",
    ]);
  });
});

describe("seeds", () => {
  it("without a scheme are https; http where they are localhost or an address", async () => {
    using shell = testShell();
    const texts = [
      "example.com",
      "example.com:8443/a",
      "localhost:3000",
      "127.0.0.1",
      "[::1]:80/x",
      "//b.test/",
      "B.test",
      "c.test/to?next=https://d.test/",
    ];
    const { config } = await resolveConfig(texts, shell);
    assert.deepEqual(config.seeds, [
      "https://example.com/",
      "https://example.com:8443/a",
      "http://localhost:3000/",
      "http://127.0.0.1/",
      "http://[::1]/x",
      "https://b.test/",
      "https://c.test/to?next=https://d.test/",
    ]);
  });
  it("come from a list with comments, blank lines, a BOM and any line ends", async () => {
    using shell = testShell();
    writeFileSync(join(shell.cwd, "s.txt"), "\ufeffhttps://a.test/\r\n\r\n# no\n  b.test  \rhttps://c.test/#x");
    const { config } = await resolveConfig(["-i", "s.txt", "https://z.test/"], shell);
    assert.deepEqual(config.seeds, ["https://z.test/", "https://a.test/", "https://b.test/", "https://c.test/"]);
  });
  it("come from standard input", async () => {
    using shell = testShell();
    shell.stdin = "a.test\nb.test\n";
    assert.deepEqual((await resolveConfig(["-i", "-"], shell)).config.seeds, ["https://a.test/", "https://b.test/"]);
  });
  it("that are bad among good ones are told and skipped", async () => {
    using shell = testShell();
    const { config, notices } = await resolveConfig([SEED, "http://", "mailto:x@y.test"], shell);
    assert.deepEqual(config.seeds, [SEED]);
    assert.deepEqual(notices, [
      'seed "http://" is not a URL; write it whole, https://example.com/; skipped',
      'seed "mailto:x@y.test" is neither http nor https; Trawl fetches only those; skipped',
    ]);
  });
});

describe("notices", () => {
  it("warn loudly when robots.txt is not asked for", async () => {
    using shell = testShell();
    assert.match(
      (await resolveConfig([SEED, "--no-robots"], shell)).notices.join(),
      /WARNING.*only to a site of your own/,
    );
  });
  it("ask for a contact in a user agent that has none", async () => {
    using shell = testShell();
    assert.match((await resolveConfig([SEED, "--user-agent", "mybot/1"], shell)).notices.join(), /how to reach you/);
  });
});

describe("DIR/crawl.json", () => {
  it("keeps what belongs to the crawl, as people write it, and gives it back", async () => {
    using shell = testShell();
    const argv = [SEED, "--dir", "d", "--limit", "5", "--delay", "1500ms", "--include", "x", "--quiet", "--overwrite"];
    const { config } = await resolveConfig(argv, shell);
    await writeConfig(config);
    const kept = JSON.parse(
      await import("node:fs/promises").then((fs) => fs.readFile(join(config.dir, "crawl.json"), "utf8")),
    );
    assert.equal(kept.delay, "1500ms");
    assert.equal(kept.maxBody, "16MiB");
    assert.ok(!("quiet" in kept) && !("dir" in kept) && !("overwrite" in kept));
    assert.deepEqual(await readConfig(config.dir), { ...config, quiet: false, overwrite: false });
  });
  it("is for its owner's eyes only, since header fields may be secret", async () => {
    using shell = testShell();
    const { config } = await resolveConfig([SEED, "--dir", "d"], shell);
    await writeConfig(config);
    assert.equal((await stat(join(config.dir, "crawl.json"))).mode & 0o077, 0);
  });
  it("is enough to go on: the directory alone names the crawl", async () => {
    using shell = testShell();
    const { config } = await resolveConfig([SEED, "--dir", "d", "--limit", "5", "--scope", "any"], shell);
    await writeConfig(config);
    const again = (await resolveConfig(["--dir", "d", "--limit", "8"], shell)).config;
    assert.deepEqual(again, { ...config, limit: 8 });
  });
  it("of a newer version may have options that are not known here", async () => {
    using shell = testShell();
    const { config } = await resolveConfig([SEED, "--dir", "d"], shell);
    await writeConfig(config);
    writeFileSync(join(config.dir, "crawl.json"), JSON.stringify({ trawl: "9.0.0", seeds: [SEED], warp: 9, limit: 3 }));
    assert.equal((await readConfig(config.dir))?.limit, 3);
  });
});

describe("a crawl's directory", () => {
  it("may have been left by a crawl that was killed in its first moments", async () => {
    using shell = testShell();
    mkdirSync(join(shell.cwd, "d", "archive"), { recursive: true });
    writeFileSync(join(shell.cwd, "d", "crawl.json.tmp"), "{");
    assert.deepEqual((await resolveConfig([SEED, "--dir", "d"], shell)).config.seeds, [SEED]);
  });
  it("is cleared of what is ours, and of nothing else", async () => {
    using shell = testShell();
    for (const name of [
      "state.db",
      "state.db-wal",
      "state.seen",
      "state.seen.tmp",
      "lock.db",
      "crawl.json",
      "notes.txt",
    ])
      writeFileSync(join(shell.cwd, name), "");
    mkdirSync(join(shell.cwd, "archive"));
    await clearCrawl(shell.cwd);
    const { readdirSync } = await import("node:fs");
    assert.deepEqual(readdirSync(shell.cwd), ["notes.txt"]);
  });
});

describe("the configuration of a program", () => {
  it("takes numbers, texts, and single things for lists", async () => {
    using shell = testShell();
    const input: CrawlInput = {
      seeds: SEED,
      delay: 250,
      maxBody: "1MiB",
      include: /x/,
      limit: null,
      accept: "text/html",
    };
    const { config } = await configFrom(input, "crawl()", shell);
    assert.equal(config.delay, 250);
    assert.equal(config.maxBody, 1_048_576);
    assert.deepEqual(config.include, ["x"]);
    assert.deepEqual(config.accept, ["text/html"]);
  });
  it("is refused with the name of the function", async () => {
    using shell = testShell();
    const wrong = { seeds: SEED, dely: 1 } as CrawlInput;
    await assert.rejects(configFrom(wrong, "crawl()", shell), {
      name: "UsageError",
      code: "bad-value",
      message: 'crawl(): unknown option "dely"; did you mean delay?',
    });
  });
});
