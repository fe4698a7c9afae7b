import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crawlCommand, type RunCrawl } from "../../../src/app/cli/crawl.ts";
import { COMMANDS, main } from "../../../src/app/cli/main.ts";
import type { CrawlConfig } from "../../../src/app/config/crawl-config.ts";
import type { CrawlHooks, StopReason } from "../../../src/app/run/outcome.ts";
import { VERSION } from "../../../src/app/version.ts";
import { silentLog } from "../../../src/base/log.ts";
import { StateError } from "../../../src/store/embedded/errors.ts";
import { record } from "../records.ts";
import { type TestShell, testShell } from "../shell.ts";
import { STARTED, stats } from "../stats.ts";

/** Runs a command line over a crawl that does what the test says and ends as it says. */
async function run(
  shell: TestShell,
  argv: readonly string[],
  reason: StopReason | Error = "done",
  meanwhile: (hooks: CrawlHooks, config: CrawlConfig) => unknown = () => {},
): Promise<number> {
  const fake: RunCrawl = async (config, hooks, revisits) => {
    if (reason instanceof Error) throw reason;
    hooks.onStart?.({ log: silentLog, add: async () => 0 });
    await meanwhile(hooks, config);
    return { reason, revisits, stats: stats(), dir: config.dir, resumed: false, message: "no space left" };
  };
  return main(argv, shell, [crawlCommand(async () => fake), ...COMMANDS.filter(({ name }) => name !== "crawl")]);
}

const SEED = "https://a.test/";

describe("trawl crawl", () => {
  it("says what it begins, and how it ended, on standard error alone", async () => {
    using shell = testShell();
    assert.equal(await run(shell, ["crawl", SEED, "https://b.test/"]), 0);
    assert.match(shell.err(), /^Crawling https:\/\/a\.test\/ and 1 more seed into crawls\/a\.test\nDone: 412 pages, /);
    assert.equal(shell.out(), "");
  });
  it("is meant by a URL alone, and by options before it", async () => {
    for (const argv of [[SEED], ["--limit", "5", SEED], ["a.test"], ["localhost"]]) {
      using shell = testShell();
      let begun = 0;
      assert.equal(await run(shell, argv, "done", () => begun++), 0, shell.err());
      assert.equal(begun, 1);
    }
  });
  it("exits with the code of how it ended", async () => {
    const rows: readonly (readonly [StopReason | Error, readonly string[], number])[] = [
      ["done", [], 0],
      ["limit", [], 0],
      ["limit", ["--fail-on-limit"], 5],
      ["time-limit", ["--fail-on-limit"], 5],
      ["nothing-fetched", [], 4],
      ["disk", [], 3],
      ["interrupted", [], 130],
      [new StateError("locked", "d is in use by another process; wait for it, or stop it"), [], 2],
      [new StateError("state-newer", "d was written by a newer Trawl; install it"), [], 2],
      [new StateError("disk", "d cannot be written; free some space"), [], 3],
      [new Error("oops"), [], 1],
    ];
    for (const [reason, more, code] of rows) {
      using shell = testShell();
      assert.equal(await run(shell, [SEED, ...more], reason), code, String(reason));
    }
  });
  it("says an error of the state in its one sentence", async () => {
    using shell = testShell();
    await run(shell, [SEED], new StateError("locked", "d is in use; wait for it"));
    assert.equal(shell.err(), "trawl: d is in use; wait for it\n");
  });
  it("stops at a signal and tells which by its exit code", async () => {
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      using shell = testShell();
      let stopped = false;
      const exit = await run(shell, [SEED], "interrupted", (hooks) => {
        shell.send(signal);
        stopped = hooks.signal.aborted;
      });
      assert.deepEqual([exit, stopped], [code, true]);
      assert.match(
        shell.err(),
        /Stopping when the open requests have ended[\s\S]*Interrupted: [\s\S]*goes on from here/,
      );
      assert.equal(shell.send(signal), 0, "nobody listens any more");
    }
  });
  it("prints one JSON line on standard output for each URL that has ended", async () => {
    using shell = testShell();
    await run(shell, [SEED, "--jsonl"], "done", async (hooks) => {
      await hooks.onSettled?.([record(1), record(2)]);
      await hooks.onSettled?.([]);
      await hooks.onSettled?.([record(3)]);
    });
    const lines = shell.out().split("\n");
    assert.equal(lines.pop(), "");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      [1, 2, 3],
    );
  });
  it("says nothing but errors when it is quiet", async () => {
    using shell = testShell();
    await run(shell, [SEED, "--quiet"], "done", (hooks) => hooks.onStats?.(stats({ at: STARTED + 60_000 })));
    assert.equal(shell.err(), "");
    await run(shell, [SEED, "--quiet"], "disk");
    assert.equal(shell.err(), "trawl: no space left\n");
  });
  it("shows the log only when it is verbose", async () => {
    using shell = testShell();
    await run(shell, [SEED], "done", (hooks) => assert.equal(hooks.onLog, undefined));
    await run(shell, [SEED, "--verbose"], "done", (hooks) => hooks.onLog?.("host backs off"));
    assert.match(shell.err(), /^host backs off$/m);
  });
  it("hands over the configuration", async () => {
    using shell = testShell();
    await run(shell, [SEED, "--limit", "3", "--dir", "x"], "done", (_, config) => {
      assert.equal(config.limit, 3);
      assert.equal(config.dir, join(shell.cwd, "x"));
    });
  });
});

describe("trawl", () => {
  it("alone tells what there is, as a mistake", async () => {
    using shell = testShell();
    assert.equal(await run(shell, []), 2);
    assert.match(shell.err(), /Commands:\n {2}crawl URL/);
  });
  it("tells its version", async () => {
    using shell = testShell();
    assert.equal(await run(shell, ["--version"]), 0);
    assert.equal(shell.out(), `${VERSION}\n`);
  });
  it("helps on standard output, each command in lines that fit", async () => {
    const asked = [
      ["help"],
      ["--help"],
      ["-h"],
      [SEED, "--help"],
      ...COMMANDS.flatMap(({ name }) => [
        ["help", name],
        [name, "-h"],
      ]),
    ];
    for (const argv of asked) {
      using shell = testShell();
      assert.equal(await run(shell, argv), 0, argv.join(" "));
      assert.ok(shell.out().length > 50);
      for (const line of shell.out().split("\n")) assert.ok(line.length <= 110, line);
    }
  });
});
