import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CdxEntry, cdxjLine, writeCdxj } from "../../src/warc/cdxj.ts";
import { folder, NOW } from "./fixtures.ts";

const entry = (changes: Partial<CdxEntry> = {}): CdxEntry => ({
  url: "http://www.a.test/Page?b=1&a=2",
  at: NOW,
  mime: "text/html",
  status: 200,
  digest: "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
  length: 1043,
  offset: 333,
  filename: "x.warc.gz",
  ...changes,
});

const tiny = { memory: 400, fanIn: 2 };

describe("the index of an archive", () => {
  it("has a line of SURT, time and facts for a capture", () => {
    assert.equal(
      cdxjLine(entry()),
      'test,a)/page?a=2&b=1 20261130120000 {"url":"http://www.a.test/Page?b=1&a=2","mime":"text/html","status":"200",' +
        '"digest":"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5","length":"1043","offset":"333","filename":"x.warc.gz"}\n',
    );
  });

  it("keeps to one ASCII line whatever the server called its type", () => {
    const line = cdxjLine(entry({ mime: 'te"xt/\n\u00fcber\u2028', url: "dns:a b" }));
    assert.match(line, /^[\x20-\x7e]+\n$/);
    assert.equal(line.split(" ")[0], "dns:a%20b");
    assert.equal(JSON.parse(line.slice(line.indexOf("{"))).mime, 'te"xt/\n\u00fcber\u2028');
    assert.equal(JSON.parse(cdxjLine(entry({ mime: "" })).replace(/^\S+ \S+ /, "")).mime, "unk");
  });

  it("is sorted by bytes, one line a capture, though memory holds three", async (t) => {
    const dir = await folder(t);
    const path = join(dir, "index.cdxj");
    const entries = Array.from({ length: 200 }, (_, i) =>
      entry({ url: `http://a.test/${(i * 7919) % 100}`, at: NOW + ((i * 31) % 17) * 1000, offset: i }),
    );
    assert.equal(await writeCdxj([...entries, ...entries], path, tiny), 200);
    const lines = (await readFile(path, "latin1")).trimEnd().split("\n");
    const bytes = (text: string) => Buffer.from(text);
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b))),
    );
    assert.deepEqual(new Set(lines), new Set(entries.map((e) => cdxjLine(e).trimEnd())));
    assert.deepEqual(await readdir(dir), ["index.cdxj"], "no run is left behind");
  });

  it("leaves the old index as it is when the new one cannot be made", async (t) => {
    const dir = await folder(t);
    const path = join(dir, "index.cdxj");
    await writeFile(path, "old\n");
    function* broken() {
      for (let i = 0; i < 20; i++) yield entry({ offset: i });
      throw new Error("the state is unreadable");
    }
    await assert.rejects(writeCdxj(broken(), path, tiny), /unreadable/);
    assert.equal(await readFile(path, "utf8"), "old\n");
    assert.deepEqual(await readdir(dir), ["index.cdxj"]);
  });
});
