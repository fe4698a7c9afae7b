/** What people read is whole: nothing of a merge was left in it, and its links lead somewhere. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { it } from "node:test";

const ROOT = join(import.meta.dirname, "..");

async function pages(): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const found = await Array.fromAsync(glob(["*.md", "docs/**/*.md"], { cwd: ROOT }));
  return Promise.all(found.sort().map(async (name) => ({ name, text: await readFile(join(ROOT, name), "utf8") })));
}

/** As GitHub names a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const anchorsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));

it("no page has two versions of a passage that a merge has left", async () => {
  const left = (await pages()).filter(({ text }) => /^(<{7}|>{7}) /m.test(text));
  assert.deepEqual(
    left.map(({ name }) => name),
    [],
  );
});

it("the changelog tells each change once", async () => {
  const text = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  const beginnings = text.split("\n").flatMap((line) => (line.startsWith("- ") ? line.slice(0, 60) : []));
  assert.deepEqual(
    beginnings.filter((line, index) => beginnings.indexOf(line) !== index),
    [],
  );
});

it("links from page to page lead to a file that is there, and to a heading in it", async () => {
  const lost: string[] = [];
  for (const { name, text } of await pages()) {
    for (const [, target] of text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const [path, anchor] = target!.split("#") as [string, string | undefined];
      const file = path === "" ? join(ROOT, name) : join(ROOT, dirname(name), path);
      const isThere =
        existsSync(file) &&
        (anchor === undefined || !file.endsWith(".md") || anchorsIn(await readFile(file, "utf8")).has(anchor));
      if (!isThere) lost.push(`${name}: ${target} (${relative(ROOT, file)})`);
    }
  }
  assert.deepEqual(lost, []);
});
