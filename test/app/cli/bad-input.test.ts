import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crawlCommand } from "../../../src/app/cli/crawl.ts";
import { COMMANDS, main } from "../../../src/app/cli/main.ts";
import { type TestShell, testShell } from "../shell.ts";

const never = crawlCommand(async () => {
  throw new Error("the crawl was started");
});
const commands = [never, ...COMMANDS.filter(({ name }) => name !== "crawl")];

/** Runs a command line that must be refused: its one sentence, the shell's directory written as CWD. */
async function refused(argv: readonly string[], prepare: (shell: TestShell) => void = () => {}): Promise<string> {
  using shell = testShell();
  prepare(shell);
  const before = readdirSync(shell.cwd, { recursive: true }).sort();
  const code = await main(argv, shell, commands);
  const said = shell.err();
  assert.equal(code, 2, said);
  assert.equal(shell.out(), "");
  assert.match(said, /^trawl: [^\n]+\n$/, "one line");
  assert.deepEqual(readdirSync(shell.cwd, { recursive: true }).sort(), before, "nothing is written");
  return said.slice("trawl: ".length, -1).replaceAll(shell.cwd, "CWD");
}

const SEED = "https://a.test/";
const write = (name: string, text: string) => (shell: TestShell) => writeFileSync(join(shell.cwd, name), text);

describe("a bad command line is answered by one sentence, exit code 2, and nothing written", () => {
  const rows: readonly (readonly [argv: readonly string[], sentence: string])[] = [
    [["statsu"], 'there is no command "statsu"; did you mean status?'],
    [["frobnicate"], 'there is no command "frobnicate"; trawl help lists them'],
    [["help", "exprot"], 'there is no command "exprot"; did you mean export?'],
    [[SEED, "--dely", "1s"], "unknown option --dely; did you mean --delay?"],
    [[SEED, "--retries", "3"], "unknown option --retries; here it is --tries, which counts the first attempt too"],
    [[SEED, "--frobnicate"], "unknown option --frobnicate; trawl help crawl lists the options"],
    [[SEED, "-z"], "unknown option -z; trawl help crawl lists the options"],
    [[SEED, "--no-delay"], "unknown option --no-delay; did you mean --delay?"],
    [[SEED, "--no-robot"], "unknown option --no-robot; did you mean --no-robots?"],
    [[SEED, "--constructor"], "unknown option --constructor; trawl help crawl lists the options"],
    [[SEED, "--limit"], "--limit needs a value; write --limit PAGES"],
    [[SEED, "--limit", "--quiet"], "--limit needs a value, but --quiet follows it; write --limit=PAGES"],
    [[SEED, "--robots=no"], "--robots takes no value; write --robots alone, or leave it out"],
    [[SEED, "--limit", "0"], '--limit: "0" is too small; the smallest is 1'],
    [[SEED, "--limit", "many"], '--limit: "many" is not a whole number'],
    [[SEED, "--limit=-5"], '--limit: "-5" is too small; the smallest is 1'],
    [[SEED, "--depth", "1.5"], '--depth: "1.5" is not a whole number'],
    [[SEED, "--delay", "soon"], '--delay: "soon" is not a duration; write 500ms, 2s, 5m, 1h or 30d'],
    [[SEED, "--delay", "5"], '--delay: "5" has no unit; write 5s for seconds or 5ms for milliseconds'],
    [[SEED, "--max-body", "lots"], '--max-body: "lots" is not a size; write 4096, 64KiB, 16MiB or 1GB'],
    [[SEED, "--max-body", "2GiB"], '--max-body: "2GiB" is too large; the largest is 1GiB'],
    [[SEED, "--slowdown", "x"], '--slowdown: "x" is not a number; write 1.5 or 2'],
    [[SEED, "--threads", "1000"], '--threads: "1000" is too large; the largest is 256'],
    [[SEED, "--jsonl", "--events", "-"], "--jsonl and --events - both write to standard output; give --events a file"],
    [[SEED, "--whole-every", "0"], '--whole-every: "0" is too small; the smallest is 1'],
    [[SEED, "--scope", "site"], '--scope: "site" is not one of page, prefix, host, domain, any'],
    [
      [SEED, "--allow-net", "10.0.0.0/99"],
      '--allow-net: "10.0.0.0/99" is not an address range; write 10.0.0.0/8, 192.168.1.7 or fd00::/8',
    ],
    [
      [SEED, "--include", "*.html"],
      '--include: "*.html" is not a regular expression (Nothing to repeat); put a backslash before . ? * + ( ) [ to mean the character',
    ],
    [[SEED, "--header", "oops"], "--header: \"oops\" is not a header field; write 'Name: value'"],
    [[SEED, "--header", "Host: b.test"], '--header: "Host: b.test" sets host, which Trawl sets itself; leave it out'],
    [
      [SEED, "--dns", "dns.test"],
      '--dns: "dns.test" is not a name server; write its address and port, 9.9.9.9:53 or [2620:fe::fe]:53',
    ],
    [[SEED, "--accept", "html"], '--accept: "html" is not a media type; write text/html, image/* or application/*+xml'],
    [
      [SEED, "--user-agent", "Mozilla/5.0"],
      "--user-agent: \"Mozilla/5.0\" names no bot; write a name with 'bot' in it, a version and a contact: 'mybot/1.0 (+https://your.site/bot)'",
    ],
    [
      [SEED, "--handler", "./none.ts"],
      '--handler: there is no module "./none.ts" (seen from CWD); name its file, ./handler.ts',
    ],
    [
      [SEED, "--handler", "no-such-package"],
      '--handler: there is no module "no-such-package" (seen from CWD); install it with npm, or write ./no-such-package to mean a file',
    ],
    [["crawl"], "nothing to crawl: no seeds; write trawl crawl https://example.com/, or -i FILE"],
    [["crawl", "--dir", "empty"], "nothing to crawl: no seeds; write trawl crawl https://example.com/, or -i FILE"],
    [["crawl", "foo"], 'seed "foo" is not a URL; write it whole, https://foo/; there is no other seed'],
    [
      ["crawl", "ftp://a.test/"],
      'seed "ftp://a.test/" is neither http nor https; Trawl fetches only those; there is no other seed',
    ],
    [
      ["crawl", "ht!tp://bad url"],
      'seed "ht!tp://bad url" is not a URL; write it whole, https://example.com/; there is no other seed',
    ],
    [
      ["crawl", "ht!tp://bad"],
      'seed "ht!tp://bad" is not a URL; write it whole, https://example.com/; there is no other seed',
    ],
    [
      ["crawl", "example.com/a b"],
      'seed "example.com/a b" is not a URL; write it whole, https://example.com/; there is no other seed',
    ],
    [
      ["crawl", "http://", "https://[::1/"],
      'seed "http://" is not a URL; write it whole, https://example.com/ (and 1 more like it); there is no other seed',
    ],
    [
      ["crawl", "-i", "none.txt"],
      "cannot read the seed list CWD/none.txt: there is no such file; name another with -i",
    ],
    [["crawl", "-i", "."], "cannot read the seed list CWD: it is a directory; name another with -i"],
    [
      [SEED, "--config", "none.json"],
      "cannot load the configuration CWD/none.json: there is no such file; mend it, or name another with --config",
    ],
    [
      [SEED, "--config", "trawl.yaml"],
      'cannot load the configuration CWD/trawl.yaml: ".yaml" is none of .ts, .js, .json; mend it, or name another with --config',
    ],
    [["status"], "name the directory of a crawl, or its --frontier and --name: trawl status crawls/example.com"],
    [["status", "a", "b"], '"b" is one too many; name the crawl alone: trawl status crawls/example.com'],
    [
      ["status", "a", "--frontier", "redis://h:1", "--name", "x"],
      '"a" is one too many; name the crawl alone: trawl status --frontier redis://h:1 --name x',
    ],
    [["status", "--frontier", "redis://h:1"], "--frontier needs the name of a crawl; write --name CRAWL"],
    [["rank", "--frontier", "redis://h:1"], "unknown option --frontier; trawl help rank lists the options"],
    [["status", "none"], "there is no directory CWD/none; name the directory of a crawl"],
    [["status", "."], "CWD holds no crawl (no state.db); name the directory that was given as --dir"],
    [
      ["--frontier", "redis://h:1", "--name", "x", "--pin", "a.test", SEED],
      '--pin: "a.test" is no address of a server; write https://example.com, or http://127.0.0.1:9000',
    ],
    [["explain"], "name one URL: trawl explain crawls/example.com https://example.com/page"],
    [["explain", "mailto:a@b.test"], '"mailto:a@b.test" is neither http nor https; Trawl fetches only those'],
    [["export", ".", "--to", "x.cvs"], '--to: "x.cvs" has no ending that is a format; did you mean .csv?'],
    [
      ["export", ".", "--to", "x.doc"],
      '--to: "x.doc" has no ending that is a format; write one of graph.parquet, .graphml, .jsonl, .csv, .parquet, .md, .wet.gz, .wat.gz, .xml, .cdxj, .wacz, or --format',
    ],
    [["export", ".", "--to", "a/x.csv"], "--to: there is no directory CWD/a; make it, or name another"],
    [["export", "."], "name where to export to: --to pages.jsonl"],
    [
      ["export", ".", "--to", "x.wacz", "--where", "status=200"],
      "--where chooses URLs, and .wacz has the archive as it is; leave it out",
    ],
    [
      ["export", ".", "--to", "-", "--where", "statu=200"],
      '--where: "statu=200" says no field and value; did you mean status?',
    ],
    [
      ["export", ".", "--to", "-", "--where", "200"],
      '--where: "200" says no field and value; write status=200, type=text/html, host=example.com, end=fetched, since=TIME or until=TIME',
    ],
    [["export", ".", "--to", "-", "--where", "status=ok"], '--where: "ok" is no status; write 200, 4xx or 400-499'],
    [
      ["export", ".", "--to", "-", "--where", "end=fetchd"],
      '--where: "fetchd" is no way to end; did you mean fetched?',
    ],
    [
      ["export", ".", "--to", "-", "--where", "since=monday"],
      '--where: "monday" is not a time; write 2026-11-30 or 2026-11-30T12:00:00Z',
    ],
    [
      ["export", ".", "--to", "-", "--where", "host=a b"],
      '--where: "a b" is no host; write example.com, example.com:8080 or *.example.com',
    ],
    [["get", "crawls/a"], "name one URL: trawl get crawls/example.com https://example.com/page"],
    [
      ["get", "--frontier", "redis://u:p@h:1", "--name", "x"],
      "name one URL: trawl get --frontier redis://h:1 --name x https://example.com/page",
    ],
    [["verify", "none"], "there is no directory CWD/none; name the directory of a crawl"],
    [["export", "none", "--to", "x.jsonl"], "there is no directory CWD/none; name the directory of a crawl"],
    [["import", "--dir", "x"], "name WARC files to import: trawl import old.warc.gz --dir crawls/old"],
    [["import", "a.warc.gz"], "name where to with --dir: trawl import old.warc.gz --dir crawls/old"],
    [["import", "none.warc.gz", "--dir", "x"], "there is no file CWD/none.warc.gz; name WARC files"],
    [["import", ".", "--dir", "x"], "CWD is no file; name WARC files, as in archive/*.warc.gz"],
  ];
  for (const [argv, sentence] of rows) {
    it(`trawl ${argv.join(" ")}`, async () => {
      assert.equal(await refused(argv), sentence);
    });
  }
});

describe("a bad configuration file is answered likewise", () => {
  const rows: readonly (readonly [name: string, text: string, sentence: string | RegExp])[] = [
    [
      "trawl.config.json",
      "{",
      /^cannot load the configuration CWD\/trawl\.config\.json: .*JSON.*; mend it, or name another with --config$/,
    ],
    ["trawl.config.json", "[]", "CWD/trawl.config.json: the configuration is not an object; write { limit: 100 }"],
    ["trawl.config.json", '{"dely": "1s"}', 'CWD/trawl.config.json: unknown option "dely"; did you mean delay?'],
    [
      "trawl.config.json",
      '{"host-concurrency": 2}',
      'CWD/trawl.config.json: unknown option "host-concurrency"; here it is written hostConcurrency',
    ],
    [
      "trawl.config.json",
      '{"header": []}',
      'CWD/trawl.config.json: unknown option "header"; here it is written headers',
    ],
    ["trawl.config.json", '{"zzz": 1}', 'CWD/trawl.config.json: unknown option "zzz"; docs/options.md lists them'],
    ["trawl.config.json", '{"toString": 1}', /unknown option "toString"/],
    ["trawl.config.json", '{"limit": "x"}', 'CWD/trawl.config.json: limit: "x" is not a whole number'],
    ["trawl.config.json", '{"limit": true}', "CWD/trawl.config.json: limit: true is not a whole number"],
    ["trawl.config.json", '{"limit": 0}', "CWD/trawl.config.json: limit: 0 is too small; the smallest is 1"],
    [
      "trawl.config.json",
      '{"delay": {}}',
      'CWD/trawl.config.json: delay: {} is not a duration; write "2s", or a number of milliseconds',
    ],
    ["trawl.config.json", '{"robots": "no"}', 'CWD/trawl.config.json: robots: "no" is not true or false'],
    [
      "trawl.config.json",
      '{"include": ["("]}',
      'CWD/trawl.config.json: include: "(" is not a regular expression (Unterminated group); put a backslash before . ? * + ( ) [ to mean the character',
    ],
    [
      "trawl.config.json",
      '{"config": "b.json"}',
      'CWD/trawl.config.json: "config" cannot stand in a configuration; take it out',
    ],
    ["trawl.config.json", '{"seeds": [1]}', 'seeds: 1 is not a text; write "https://example.com/"'],
    ["trawl.config.js", "export default 1 +;", /^cannot load the configuration CWD\/trawl\.config\.js: .*; mend it/],
    [
      "trawl.config.mjs",
      "export const limit = 1;",
      /it has no default export; mend it, or name another with --config$/,
    ],
    ["trawl.config.mjs", "throw new Error('no luck')", /no luck; mend it, or name another with --config$/],
  ];
  for (const [name, text, sentence] of rows) {
    it(`${name}: ${text}`, async () => {
      const said = await refused(["crawl", ...(text.includes("seeds") ? [] : [SEED])], write(name, text));
      if (typeof sentence === "string") assert.equal(said, sentence);
      else assert.match(said, sentence);
    });
  }
});

describe("a directory that cannot be used is answered likewise", () => {
  it("a file", async () => {
    assert.equal(
      await refused([SEED, "--dir", "taken"], write("taken", "")),
      "CWD/taken is a file, not a directory; name another with --dir",
    );
  });
  it("inside a file", async () => {
    assert.equal(
      await refused([SEED, "--dir", "taken/crawl"], write("taken", "")),
      "CWD/taken/crawl is a file, not a directory; name another with --dir",
    );
  });
  for (const overwrite of [[], ["--overwrite"]]) {
    it(`somebody else's${overwrite.length > 0 ? ", even to overwrite" : ""}`, async () => {
      assert.equal(
        await refused([SEED, "--dir", "docs", ...overwrite], (shell) => {
          mkdirSync(join(shell.cwd, "docs"));
          writeFileSync(join(shell.cwd, "docs", "thesis.tex"), "");
        }),
        'CWD/docs holds something that is no crawl ("thesis.tex"); name an empty or a new directory with --dir',
      );
    });
  }
  for (const overwrite of [[], ["--overwrite"]]) {
    it(`somebody else's, whose folders have the names of ours${overwrite.length > 0 ? ", even to overwrite" : ""}`, async () => {
      assert.equal(
        await refused([SEED, "--dir", "site", ...overwrite], (shell) => {
          mkdirSync(join(shell.cwd, "site", "pages"), { recursive: true });
          writeFileSync(join(shell.cwd, "site", "pages", "index.md"), "");
        }),
        'CWD/site holds something that is no crawl ("pages"); name an empty or a new directory with --dir',
      );
    });
  }
  for (const [what, make] of [
    ["a name that is too long", (cwd: string) => join(cwd, "x".repeat(300))],
    [
      "a link that leads nowhere",
      (cwd: string) => {
        symlinkSync(join(cwd, "nowhere", "at-all"), join(cwd, "link"));
        return join(cwd, "link");
      },
    ],
  ] as const)
    it(what, async () => {
      using shell = testShell();
      const code = await main(["crawl", SEED, "--dir", make(shell.cwd)], shell);
      assert.equal(code, 2, shell.err());
    });
  it("with a crawl.json of another program", async () => {
    assert.equal(
      await refused(["crawl", "--dir", "d"], (shell) => {
        mkdirSync(join(shell.cwd, "d"));
        writeFileSync(join(shell.cwd, "d", "crawl.json"), '{"spiders": 8}');
      }),
      "CWD/d/crawl.json was not written by Trawl; name another directory with --dir",
    );
  });
  it("one that may not be written", async () => {
    const prepare = (shell: TestShell): void => {
      mkdirSync(join(shell.cwd, "ro"));
      chmodSync(join(shell.cwd, "ro"), 0o555);
    };
    if (process.getuid?.() !== 0) {
      assert.equal(
        await refused([SEED, "--dir", "ro/crawl"], prepare),
        "CWD/ro/crawl cannot be made, since CWD/ro is not writable; change its permissions, or name another with --dir",
      );
      return;
    }
    // The superuser may write anywhere, so the crawl starts.
    using shell = testShell();
    prepare(shell);
    assert.equal(await main([SEED, "--dir", "ro/crawl"], shell, commands), 1);
    assert.match(shell.err(), /the crawl was started/);
  });
});

describe("what is thrown", () => {
  it("by the user's mistake has a stable code", async () => {
    using shell = testShell();
    await assert.rejects(never.run([SEED, "--dely"], shell), { code: "unknown-option", exitCode: 2 });
    await assert.rejects(never.run([SEED, "--delay", "x"], shell), { code: "bad-value" });
    await assert.rejects(never.run([], shell), { code: "no-seeds" });
  });
  it("by a bug is shown with its stack, exit code 1", async () => {
    using shell = testShell();
    assert.equal(await main([SEED], shell, commands), 1);
    assert.match(shell.err(), /this is a bug in Trawl .*; please report it[\s\S]*the crawl was started[\s\S]* at /);
  });
});
