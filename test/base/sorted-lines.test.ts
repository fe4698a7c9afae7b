import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { sorted, writeSorted } from "../../src/base/sorted-lines.ts";
import { streamed } from "../../src/base/streamed.ts";

const line = fc.stringMatching(/^[ -~]{0,12}$/).map((text) => `${text}\n`);
const LIMITS = fc.record({ memory: fc.integer({ min: 1, max: 200 }), fanIn: fc.integer({ min: 2, max: 5 }) });

describe("sorting outside memory", () => {
  it("gives what sorting inside gives, equal lines once", async () => {
    const dir = mkdtempSync(join(tmpdir(), "trawl-sorted-"));
    const path = join(dir, "sorted");
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(line, { maxLength: 60 }), LIMITS, async (lines, limits) => {
          const expected = [...new Set(lines)].sort();
          assert.equal(await writeSorted(lines, path, limits), expected.length);
          assert.equal(await readFile(path, "latin1"), expected.join(""));
          const again = await Array.fromAsync(sorted(streamed(lines), limits));
          assert.deepEqual(
            again.map((one) => `${one}\n`),
            expected,
          );
        }),
        { numRuns: 60 },
      );
      assert.deepEqual(readdirSync(dir), ["sorted"]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("leaves no file behind when what was sorted is not read to its end", async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "trawl-sorted-"));
    const { TMPDIR } = process.env;
    process.env.TMPDIR = dir;
    t.after(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      rmSync(dir, { recursive: true });
    });
    for await (const first of sorted(streamed(["b\n", "a\n"]))) {
      assert.equal(first, "a");
      assert.equal(readdirSync(dir).length, 1);
      break;
    }
    assert.deepEqual(readdirSync(dir), []);
  });
});
