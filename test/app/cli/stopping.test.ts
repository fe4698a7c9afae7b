/** Commands that take long are stopped in their midst: what they make is there whole or not at all, and nothing else is. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { main } from "../../../src/app/cli/main.ts";
import { EXPORTS } from "../../../src/app/export/exports.ts";
import { temporaryFolder } from "../../../src/base/temporary.ts";
import { type TestShell, testShell } from "../shell.ts";
import { PAGES, type SmallPage, smallCrawl } from "../small-crawl.ts";

const MANY: readonly SmallPage[] = [
  PAGES[0]!,
  ...Array.from({ length: 1_500 }, (_, n): SmallPage => {
    const text = `page ${n} ${"of a crawl ".repeat(40)}`;
    const page = { title: text, description: text, linksFound: n };
    return { url: `https://a.test/${n}`, body: `<title>${n}</title><p>${text}`, page };
  }),
];

let shell: TestShell;
let dir: string;
let temporary: string;
const { TMPDIR } = process.env;

before(async () => {
  shell = testShell();
  dir = await smallCrawl(shell, MANY);
  temporary = join(shell.cwd, "temporary");
  process.env.TMPDIR = temporary;
});
beforeEach(() => {
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary);
});
after(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  shell[Symbol.dispose]();
});

/** What is made is there, beside its place. */
const isBegun = (): boolean => readdirSync(shell.cwd).some((name) => name.endsWith(".tmp"));

/** What is on the way: beside its place, or in a temporary folder. */
const onTheWay = (): boolean => isBegun() || readdirSync(temporary).length > 0;

/** The exit code of a command that is sent a signal as soon as something is on its way. */
async function stopped(signal: NodeJS.Signals, argv: readonly string[], since = onTheWay): Promise<number> {
  let isOver = false;
  const code = main(argv, shell).finally(() => {
    isOver = true;
  });
  while (!isOver && !since()) await turn();
  shell.send(signal);
  return code;
}

const left = (): string[] => [
  ...readdirSync(shell.cwd).filter((name) => name.endsWith(".tmp")),
  ...readdirSync(temporary),
];

describe("a command that is stopped", () => {
  for (const { suffix, folder } of EXPORTS)
    for (const [signal, code, since] of [
      ["SIGTERM", 143, onTheWay],
      ["SIGINT", 130, isBegun],
    ] as const)
      it(`leaves ${suffix} as it was, and nothing beside it, at ${signal}`, async () => {
        const path = join(shell.cwd, `x${suffix}`);
        if (!folder) writeFileSync(path, "older");
        const is = await stopped(signal, ["export", dir, "--to", path], since);
        // A sitemap, and an index, are known as a whole before their file is begun.
        assert.ok(is === code || ([".xml", ".cdxj"].includes(suffix) && is === 0), `${is}: ${shell.err()}`);
        assert.equal(folder ? existsSync(path) : readFileSync(path, "utf8") !== "older", is === 0);
        assert.deepEqual(left(), []);
        rmSync(path, { force: true });
      });

  it("is any that takes long", async () => {
    const ranks = join(shell.cwd, "ranks.parquet");
    for (const argv of [
      ["verify", dir],
      ["rank", dir, "--to", ranks],
      ["report", dir],
    ]) {
      const code = await stopped("SIGTERM", argv);
      assert.ok(code === 143 || (argv[0] === "report" && code === 0), `${argv[0]}: ${code}`);
      assert.deepEqual([left(), existsSync(ranks)], [[], false]);
    }
  });

  it("does not wait for its tidying up when it is told twice; the next takes away what was left", async () => {
    const code = main(["verify", dir], shell);
    while (!onTheWay()) await turn();
    shell.send("SIGTERM");
    shell.time += 1_000;
    shell.send("SIGTERM");
    assert.deepEqual(shell.exits, [143]);
    assert.equal(await code, 143);
  });
});

describe("a temporary folder", () => {
  it("goes with what is in it", async () => {
    {
      await using folder = await temporaryFolder("test");
      writeFileSync(join(folder.path, "x"), "");
      assert.deepEqual(readdirSync(temporary).length, 1);
    }
    assert.deepEqual(readdirSync(temporary), []);
  });

  it("takes away those of processes of this machine that were killed, and no other's", async () => {
    await using own = await temporaryFolder("test");
    const name = readdirSync(temporary)[0]!;
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    const [, , machine] = name.split("-");
    const others = [
      `trawl-sort-${machine}-${process.ppid}-abcdef`,
      `trawl-sort-else-${gone}-abcdef`,
      `trawl-sort-${gone}`,
      `other-sort-${machine}-${gone}-abcdef`,
    ];
    for (const other of [...others, `trawl-sort-${machine}-${gone}-abcdef`]) mkdirSync(join(temporary, other));
    await using _next = await temporaryFolder("test");
    const there = readdirSync(temporary).filter((one) => !one.startsWith("trawl-test-"));
    assert.deepEqual(there.sort(), others.sort());
    assert.ok(existsSync(own.path));
  });
});
