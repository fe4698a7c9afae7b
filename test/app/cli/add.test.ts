import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { main } from "../../../src/app/cli/main.ts";
import { type TestShell, testShell } from "../shell.ts";
import { smallCrawl } from "../small-crawl.ts";

async function run(shell: TestShell, ...argv: string[]): Promise<string> {
  assert.equal(await main(argv, shell), 0, shell.err());
  return shell.out();
}

const spooled = (dir: string): unknown[] =>
  readdirSync(join(dir, "spool")).map((name) => JSON.parse(readFileSync(join(dir, "spool", name), "utf8")));

describe("trawl add", () => {
  it("puts URLs from arguments and lists into the spool, completed as seeds are", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    writeFileSync(join(shell.cwd, "more.txt"), "# more\nhttps://b.test/x#part\n\nc.test\n");
    const said = await run(shell, "add", dir, "a.test/new", "-i", "more.txt", "--priority", "3");
    assert.match(said, /^3 URLs for .*a\.test: /);
    assert.deepEqual(spooled(dir), [
      { urls: ["https://a.test/new", "https://b.test/x", "https://c.test/"], priority: 3 },
    ]);
  });

  it("takes a list from standard input", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    shell.stdin = "https://b.test/1\nhttps://b.test/2\n";
    await run(shell, "add", dir, "-i", "-");
    assert.deepEqual(spooled(dir), [{ urls: ["https://b.test/1", "https://b.test/2"], priority: null }]);
  });

  it("says what is no URL, and adds the others", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    await run(shell, "add", dir, "nonsense", "https://b.test/");
    assert.equal(shell.err(), 'trawl: URL "nonsense" is not a URL; write it whole, https://nonsense/; skipped\n');
    assert.deepEqual(spooled(dir), [{ urls: ["https://b.test/"], priority: null }]);
  });

  for (const [says, argv] of [
    [
      /^trawl: URL "ftp:\/\/x\/" is neither http nor https; Trawl fetches only those; there is no other URL\n$/,
      ["DIR", "ftp://x/"],
    ],
    [/^trawl: name URLs to add, or -i FILE: .*\n$/, ["DIR"]],
    [/^trawl: name the directory of a crawl, or its --frontier and --name: .*\n$/, []],
    [/^trawl: there is no directory .*nowhere; .*\n$/, ["nowhere", "https://b.test/"]],
    [/^trawl: --priority: "9" .*\n$/, ["DIR", "https://b.test/", "--priority", "9"]],
    [/^trawl: cannot read the seed list .*gone\.txt: there is no such file; .*\n$/, ["DIR", "-i", "gone.txt"]],
  ] as const)
    it(`says in one sentence what is wrong with: add ${argv.join(" ")}`, async () => {
      using shell = testShell();
      const dir = await smallCrawl(shell);
      assert.equal(await main(["add", ...argv.map((word) => (word === "DIR" ? dir : word))], shell), 2);
      assert.match(shell.err(), says);
      assert.equal(existsSync(join(dir, "spool")), false);
    });
});

describe("trawl pause and trawl resume", () => {
  it("hold a crawl and let it go on, and say what was so already", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    for (const command of ["resume", "pause", "pause", "resume"]) await run(shell, command, dir);
    assert.deepEqual(shell.out().trimEnd().split("\n"), [
      `${dir} is not paused.`,
      `${dir} is paused; trawl resume ${dir} lets it go on.`,
      `${dir} is paused already.`,
      `${dir} is no longer paused.`,
    ]);
  });

  it("show in trawl status", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    await run(shell, "pause", dir);
    assert.match(await run(shell, "status", dir), /^ {2}paused {3}until trawl resume \S+$/m);
    using other = testShell();
    assert.equal(JSON.parse(await run(other, "status", dir, "--json")).paused, true);
  });
});
