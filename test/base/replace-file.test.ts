import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { lstat, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { exitCodeOfError, sentenceOf } from "../../src/app/cli/exit-codes.ts";
import { naming, replaceFile } from "../../src/base/replace-file.ts";

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "replace-file-"));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe("a file that is replaced", () => {
  it("has the new texts, and nothing is left beside it", async (t) => {
    const dir = await folder(t);
    const path = join(dir, "a");
    for (const text of ["old", "new"]) await replaceFile(path, [text]);
    assert.equal(await readFile(path, "utf8"), "new");
    assert.deepEqual(await readdir(dir), ["a"]);
  });

  it("stands as it was when the texts fail", async (t) => {
    const path = join(await folder(t), "a");
    await replaceFile(path, ["old"]);
    const failing = (function* () {
      yield "new";
      throw new Error("no more");
    })();
    await assert.rejects(replaceFile(path, failing), /no more/);
    assert.equal(await readFile(path, "utf8"), "old");
  });

  it("is the one that a link leads to, and the link stays", async (t) => {
    const dir = await folder(t);
    await writeFile(join(dir, "a"), "old");
    await symlink("a", join(dir, "link"));
    await replaceFile(join(dir, "link"), ["new"]);
    assert.equal(await readFile(join(dir, "a"), "utf8"), "new");
    assert.ok((await lstat(join(dir, "link"))).isSymbolicLink());
  });

  it("is written to, and not replaced, when it is a pipe or a device", async (t) => {
    const pipe = join(await folder(t), "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    const [read] = await Promise.all([
      promisify(execFile)("cat", [pipe], { timeout: 10_000 }),
      replaceFile(pipe, ["one ", "two"]),
    ]);
    assert.equal(read.stdout, "one two");
    assert.ok((await lstat(pipe)).isFIFO());
  });
});

describe("what fails in a file that is open", () => {
  it("names the file and the mend when its disk is full", async () => {
    const error = await naming("/srv/pages.csv", async () => {
      await using full = await open("/dev/full", "a");
      await full.appendFile("x");
    }).catch((cause: Error) => cause);
    assert.ok(error instanceof Error);
    assert.equal(
      sentenceOf(error),
      "no room left to write /srv/pages.csv (ENOSPC): make room, then run the same command again",
    );
    assert.equal(exitCodeOfError(error), 3);
  });
  it("is named by what it said itself, where it did, and is left alone when it is no fault of the system", async () => {
    const missing = naming("/srv/a", () => readFile("/nowhere/b"));
    await assert.rejects(missing, { code: "ENOENT", path: "/nowhere/b" });
    const bug = new Error("no more");
    await assert.rejects(
      naming("/srv/a", () => Promise.reject(bug)),
      (cause) => cause === bug && !("path" in bug),
    );
  });
});
