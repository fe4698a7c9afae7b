import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type CdxEntry, cdxjLine, writeCdxj } from "../../src/warc/cdxj.ts";
import { lookUp, parseLine } from "../../src/warc/cdxj-lookup.ts";
import { folder, NOW } from "./fixtures.ts";

const entry = (url: string, more: Partial<CdxEntry> = {}): CdxEntry => ({
  url,
  at: NOW - (NOW % 1000),
  mime: "text/html",
  status: 200,
  digest: "sha1:A",
  length: 10,
  offset: 0,
  filename: "a.warc.gz",
  ...more,
});

describe("looking up a URL in an index", () => {
  it("finds every URL that is there, and none that is not", async (t) => {
    const dir = await folder(t);
    const path = join(dir, "index.cdxj");
    const word = fc.stringMatching(/^[a-c]{1,3}$/);
    const url = fc
      .tuple(word, word, fc.integer({ min: 0, max: 6_000 }))
      .map(([host, name, padding]) => `http://${host}.test/${name}${"-".repeat(padding)}`);
    await fc.assert(
      fc.asyncProperty(fc.array(url, { maxLength: 60 }), fc.array(url, { maxLength: 10 }), async (there, others) => {
        await writeCdxj(
          there.map((href) => entry(href)),
          path,
        );
        for (const href of there) assert.deepEqual(await lookUp(path, href), [entry(href)]);
        for (const href of others) if (!there.includes(href)) assert.deepEqual(await lookUp(path, href), [], href);
      }),
      { numRuns: 60 },
    );
  });
  it("gives all captures in order of time, those of the very URL alone when there are any", async (t) => {
    const path = join(await folder(t), "index.cdxj");
    const [first, second, upper] = [
      entry("http://a.test/x"),
      entry("http://a.test/x", { at: NOW - (NOW % 1000) + 60_000, offset: 500 }),
      entry("http://a.test/X", { offset: 900 }),
    ];
    await writeCdxj([second, upper, first, entry("http://a.test/w"), entry("http://a.test/y")], path);
    assert.deepEqual(await lookUp(path, "http://a.test/x"), [first, second]);
    assert.deepEqual(await lookUp(path, "http://a.test/X"), [upper]);
    assert.equal((await lookUp(path, "http://www.a.test/x")).length, 3, "the same SURT");
  });
  it("passes over lines that are no entries, and reads a last line without its end", async (t) => {
    const path = join(await folder(t), "index.cdxj");
    const good = entry("http://a.test/x");
    const key = "test,a)/x 20260101000000";
    await writeCdxj([good], path);
    const line = (await readFile(path, "latin1")).trimEnd();
    await writeFile(path, `${key}\n${key} {\n${key} {"url":"http://a.test/x"}\n${key} []\n${line}`);
    assert.deepEqual(await lookUp(path, "http://a.test/x"), [good]);
  });
  it("reads back what is written", () => {
    fc.assert(
      fc.property(fc.webUrl(), fc.nat(), fc.integer({ min: 1, max: 1e9 }), (url, offset, length) => {
        const one = entry(url, { offset, length });
        assert.deepEqual(parseLine(cdxjLine(one)), one);
      }),
    );
  });
});
