import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../src/base/clock.ts";
import { Apart } from "../../src/media/apart.ts";
import { document } from "../../src/media/document.ts";
import { pdfHandler } from "../../src/media/pdf-handler.ts";
import type { Href } from "../../src/model/url.ts";
import type { Read, Readable } from "../../src/ports/media-handler.ts";
import { pdf } from "./pdfs.ts";

const apart = new Apart({ clock: systemClock });
const handler = pdfHandler(apart);
after(() => apart[Symbol.asyncDispose]());

async function read(body: Uint8Array, asked: Partial<Readable> = {}): Promise<Read> {
  const given = document("http://a.test/docs/x.pdf" as Href, "application/pdf", body, false, []);
  return handler.read({ ...given, ...asked });
}

const two = pdf(
  [
    { lines: ["The first line", "and (the) second \\"], links: ["http://b.test/?a=1&b=2", "../rel/ative.html"] },
    { lines: ["On page two"], links: ["http://b.test/?a=1&b=2", "mailto:x@b.test"] },
  ],
  { title: " A report ", language: "en-GB" },
);

describe("pdf", () => {
  it("gives title, language and the links of its annotations, as written, each once", async () => {
    assert.deepEqual(await read(two), {
      title: "A report",
      language: "en-GB",
      links: [
        { href: "http://b.test/?a=1&b=2", kind: "page", from: "pdf" },
        { href: "../rel/ative.html", kind: "page", from: "pdf" },
        { href: "mailto:x@b.test", kind: "page", from: "pdf" },
      ],
    });
  });
  it("gives its text, line by line and page by page, when that is asked for", async () => {
    const text = "The first line\nand (the) second \\\n\nOn page two";
    assert.equal((await read(two, { wantsText: true })).visibleText, text);
    const { conversions, visibleText } = await read(two, { converts: ["text/markdown", "text/plain"] });
    assert.deepEqual(conversions, [{ type: "text/plain", text }]);
    assert.equal(visibleText, undefined);
    assert.equal((await read(pdf([{}]), { converts: ["text/plain"] })).conversions, undefined);
  });
  it("leaves the body as it was: it goes into the archive", async () => {
    const body = Buffer.from(two);
    await read(body);
    assert.deepEqual(body, two);
  });
  it("reads what is whole of a damaged file, and says of what is no PDF that it is none", async () => {
    assert.equal((await read(two.subarray(0, two.length - 30))).links.length, 3); // where its table is, is cut off
    assert.match((await read(Buffer.from("%PDF-1.7\nnothing"))).error ?? "", /PDF/);
    assert.match((await read(Buffer.alloc(0))).error ?? "", /empty/);
    assert.match((await read(two.subarray(0, 600))).error ?? "", /PDF/);
  });
  it("ends a document that swells without end, and reads the next one", async () => {
    await using small = new Apart({ clock: systemClock, memoryMiB: 32 });
    const bomb = pdf([{ content: Buffer.alloc(100_000_000, 0x20) }]);
    const asked = { ...document("http://a.test/" as Href, "application/pdf", bomb, false, []), wantsText: true };
    const [swollen, next] = await Promise.all([
      pdfHandler(small).read(asked),
      pdfHandler(small).read({ ...asked, body: two }),
    ]);
    assert.deepEqual(swollen, { links: [], error: "it took more than 32 MiB of memory" });
    assert.equal(next.title, "A report");
  });
  it("answers whatever is changed in a file", async () => {
    const change = fc.record({ at: fc.nat(two.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 30 }), async (changes) => {
        const body = Buffer.from(two);
        for (const { at, byte } of changes) body[at] = byte;
        assert.ok(Array.isArray((await read(body, { wantsText: true })).links));
      }),
      { numRuns: 50 },
    );
  });
});
