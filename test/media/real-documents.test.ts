/** Real documents, whole and damaged, read beside a tree builder: 1,700 pages of two documentation packages of Debian. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { debianDocs } from "../services/debian-docs.ts";
import { damaged } from "./damage.ts";
import { readWithParse5 } from "./parse5-reader.ts";
import { readWithTags } from "./tags-reader.ts";

for (const name of ["postgresql", "python"] as const)
  describe(`the documentation of ${name}`, () => {
    it("has the same links, bases, titles and languages as in a browser's tree, page by page, and so when damaged", async () => {
      const { root } = await debianDocs(name);
      const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith(".html"));
      assert.ok(files.length > 500);
      const edits = fc.sample(damaged, { seed: 20261130, numRuns: files.length });
      for (const [i, file] of files.entries()) {
        const text = await readFile(join(root, file), "utf8");
        assert.deepEqual(readWithTags(text), readWithParse5(text), file);
        if (text.length > 30_000) continue; // the tree takes its time
        const broken = edits[i]!(text);
        assert.deepEqual(readWithTags(broken), readWithParse5(broken), `${file}, damaged`);
      }
    });
  });
