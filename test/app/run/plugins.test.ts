import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadHandlers } from "../../../src/app/run/plugins.ts";
import { document } from "../../../src/media/document.ts";
import type { Href } from "../../../src/model/url.ts";
import { tempDir } from "../../e2e/trawl.ts";

describe("what a handler of a user's gives", () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    null: /no object/,
    "{}": /links is not a list/,
    "{ links: [{ href: 1 }] }": /links is not a list/,
    "{ links: [], title: 1 }": /title is not a text/,
    "{ links: [], jsonLd: {} }": /jsonLd is not a text/,
    "(() => { throw Object.create(null); })()": /it threw/,
    "(() => { throw { toString() { throw 1; } }; })()": /it threw/,
    "{ links: [], width: 1.5 }": /width is not a whole number/,
    "{ links: [], height: -1 }": /height is not a whole number/,
    "{ links: [], mediaType: 'none' }": /mediaType is no media type/,
    "{ links: [], mediaType: 'a/' + 'b'.repeat(300) }": /mediaType is no media type/,
    "{ links: [], simhash: 17 }": /simhash is not/,
    "{ links: [], simhash: 'ffffffffffffffffff' }": /simhash is not/,
    "{ links: [{ href: '/', kind: 'page', from: 'a', lastmod: 5 }] }": /links is not a list/,
    "{ links: [], robots: 'none' }": /robots is not a list/,
    "{ links: [], conversions: [{ type: 'text', text: '' }] }": /conversions is not a list/,
    "{ links: [], conversions: [{ type: 'text/plain' }] }": /conversions is not a list/,
  };
  it("is looked at before it is believed", async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "handlers.mjs");
    const handlers = Object.keys(wrong).map((found, i) => `{ name: "h${i}", accepts: [], read: () => (${found}) }`);
    await writeFile(path, `export const handlers = [${handlers.join(", ")}];`);
    const given = document("http://a.test/" as Href, "text/plain", new Uint8Array(), false, []);
    const loaded = await loadHandlers([path]);
    for (const [i, says] of Object.values(wrong).entries())
      await assert.rejects(async () => loaded[i]!.read(given), { message: says });
  });
  it("comes of a copy: what is archived is as it was received", async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "handlers.mjs");
    const reads = [
      "document.body.fill(0); document.rawHeaders.length = 0",
      "structuredClone(document.body, { transfer: [document.body.buffer] })",
    ];
    const handlers = reads.map(
      (does, i) => `{ name: "h${i}", accepts: [], read(document) { ${does}; return { links: [] }; } }`,
    );
    await writeFile(path, `export const handlers = [${handlers.join(", ")}];`);
    const body = new Uint8Array(Buffer.from("as it was"));
    const fields = ["content-type", "text/plain"];
    for (const handler of await loadHandlers([path]))
      await handler.read(document("http://a.test/" as Href, "text/plain", body, false, fields));
    assert.deepEqual([Buffer.from(body).toString(), fields.length], ["as it was", 2]);
  });
  it("may be conversions of any media type", async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "handler.mjs");
    const found = '{ links: [], conversions: [{ type: "text/x.y;charset=utf-8", text: "a" }] }';
    await writeFile(path, `export const handler = { name: "h", accepts: [], read: () => (${found}) };`);
    const [handler] = await loadHandlers([path]);
    const given = document("http://a.test/" as Href, "text/plain", new Uint8Array(), false, []);
    assert.equal((await handler!.read(given)).conversions?.length, 1);
  });
});
