/** Our reader of tags beside a tree builder, on real documents and made-up ones, damaged: the same links, base, title, language. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DAMAGE } from "../media/damage.ts";
import { readWithParse5 } from "../media/parse5-reader.ts";
import { readWithTags } from "../media/tags-reader.ts";
import type { Target } from "./target.ts";

const PAGE =
  '<!doctype html><html lang="en"><head><title>A &amp; B</title><base href="/b/"><link rel="next" href="l">' +
  '<script>if (a < b) { x = "<a href=no>" }</script><style>p > a {}</style></head><body><!-- <a href=no> -->' +
  '<p class="x"><a href="1" title="a > b">one</a> <a href=\'2\'>two</a><img alt="" src=m.png><table><tr><td>' +
  "<textarea><a href=no></textarea></table><ul><li><b>x<i>y</b><iframe src=f></iframe></body></html>";

/** Documents of the packages that happen to be installed; a tree takes its time, so only short ones. */
function documents(): string[] {
  const found: string[] = [];
  for (const root of ["/usr/share/doc/postgresql-doc-15/html", "/usr/share/doc/python3.11/html"]) {
    if (!existsSync(root)) continue;
    for (const file of readdirSync(root)
      .filter((name) => name.endsWith(".html"))
      .sort()) {
      const text = readFileSync(join(root, file), "utf8");
      if (text.length < 6_000) found.push(text);
    }
  }
  return found.slice(0, 100);
}

export const TREE_TARGET: Target = {
  name: "tree",
  mayGrow: true, // parse5 does, on misnested formatting
  words: DAMAGE,
  samples: [PAGE, ...documents()],
  check(text) {
    // Line ends are one by then, and a lone surrogate never comes out of a decoder.
    const input = text.replace(/\r\n?/g, "\n").toWellFormed();
    if (/<(?:svg|math|select|frameset)/i.test(input)) return; // what a tree drops for its place
    assert.deepEqual(readWithTags(input), readWithParse5(input));
  },
};
