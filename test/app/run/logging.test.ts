import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { logLine, openLog } from "../../../src/app/run/logging.ts";
import { testShell } from "../shell.ts";

const AT = Date.UTC(2026, 10, 30, 12, 3, 10, 250);

describe("the log of a run", () => {
  it("is one JSON object a line, with the time of the crawl's clock, whole when it is closed", async () => {
    using shell = testShell();
    shell.time = AT;
    const log = await openLog({ dir: shell.cwd, clock: shell.clock });
    log.info({ host: "http://a.test", status: 503 }, "host backs off");
    log.debug({}, "not at this level");
    for (let i = 0; i < 1_000; i++) log.warn({ i }, "many");
    await log[Symbol.asyncDispose]();
    const lines = readFileSync(log.path, "utf8").trimEnd().split("\n");
    assert.equal(lines.length, 1_001);
    assert.deepEqual(JSON.parse(lines[0]!), {
      level: "info",
      time: "2026-11-30T12:03:10.250Z",
      host: "http://a.test",
      status: 503,
      event: "host backs off",
    });
    assert.match(log.path, /\/logs\/crawl-20261130T120310Z-\d+\.jsonl$/);
  });
  it("is mirrored as lines for people, details too when verbose", async () => {
    using shell = testShell();
    for (const [verbose, wanted] of [
      [false, ["info"]],
      [true, ["debug", "info"]],
    ] as const) {
      const lines: string[] = [];
      const log = await openLog({ dir: shell.cwd, clock: shell.clock, verbose, mirror: (line) => lines.push(line) });
      log.debug({}, "one");
      log.info({}, "two");
      await log[Symbol.asyncDispose]();
      assert.deepEqual(
        lines.map((line) => line.split(" ")[1]),
        wanted,
      );
    }
  });
  it("is given up when the disk is full", async () => {
    using shell = testShell();
    shell.time = AT;
    mkdirSync(join(shell.cwd, "logs"));
    symlinkSync("/dev/full", join(shell.cwd, "logs", `crawl-20261130T120310Z-${process.pid}.jsonl`));
    const log = await openLog({ dir: shell.cwd, clock: shell.clock });
    for (let i = 0; i < 1_000; i++) log.info({ i }, "many");
    await log[Symbol.asyncDispose]();
  });
  it("never stands in the crawl's way, even when its directory is gone", async () => {
    using shell = testShell();
    const log = await openLog({ dir: shell.cwd, clock: shell.clock });
    rmSync(shell.cwd, { recursive: true });
    for (let i = 0; i < 1_000; i++) log.info({ i }, "still here");
    await log[Symbol.asyncDispose]();
  });
});

describe("a log line for people", () => {
  it("quotes what has spaces, and shows errors by their message", () => {
    assert.equal(
      logLine(
        AT,
        "warn",
        { host: "http://a.test", n: 3, title: "a b", error: new Error("no luck"), none: undefined },
        "host backs off",
      ),
      '12:03:10.250 warn  host backs off host=http://a.test n=3 title="a b" error="no luck" none=undefined',
    );
  });
});
