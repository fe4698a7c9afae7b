import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeDir } from "../../../src/app/dir/crawl-dir.ts";

describe("making a directory", () => {
  const inTemp = (work: (dir: string) => Promise<void>) => async () => {
    const dir = mkdtempSync(join(tmpdir(), "trawl-dir-"));
    await work(dir).finally(() => rmSync(dir, { recursive: true }));
  };
  it(
    "makes those above it too, and leaves one that is there",
    inTemp(async (dir) => {
      await makeDir(join(dir, "a/b/c"));
      await makeDir(join(dir, "a/b/c"));
      assert.ok(statSync(join(dir, "a/b/c")).isDirectory());
    }),
  );
  it(
    "makes those that others are making at the same time",
    inTemp(async (dir) => {
      for (let round = 0; round < 50; round++) {
        const above = join(dir, String(round), "a/b");
        await Promise.all(Array.from({ length: 8 }, (_, n) => makeDir(join(above, String(n % 4), "c"))));
        assert.deepEqual(readdirSync(above).sort(), ["0", "1", "2", "3"]);
      }
    }),
  );
  it(
    "ends with a sentence where none can be made",
    inTemp(async (dir) => {
      writeFileSync(join(dir, "file"), "");
      for (const [path, code] of [
        [join(dir, "file"), "EEXIST"],
        [join(dir, "file/below"), "ENOTDIR"],
      ] as const)
        await assert.rejects(makeDir(path), {
          code: "directory",
          exitCode: 2,
          message: `${path} cannot be made (${code}); name another directory`,
        });
      // Node's recursive mkdir never returns here.
      if (process.platform === "linux") await assert.rejects(makeDir("/proc/trawl/x"), { code: "directory" });
    }),
  );
});
