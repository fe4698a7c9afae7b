import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../src/base/clock.ts";
import { Apart } from "../../src/media/apart.ts";
import { builtinHandlers, chooseHandler } from "../../src/media/builtin.ts";
import { document } from "../../src/media/document.ts";
import type { Href } from "../../src/model/url.ts";
import type { Read } from "../../src/ports/media-handler.ts";

const handlers = builtinHandlers("trawlbot", new Apart({ clock: systemClock }));

async function read(body: Uint8Array | string, type: string): Promise<Read> {
  const handler = chooseHandler(handlers, type);
  assert.ok(handler, type);
  return handler.read(document("http://a.test/i" as Href, type, Buffer.from(body), false, []));
}

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ""), "hex");
const box = (type: string, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), ...content]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(body.length + 4);
  return Buffer.concat([size, body]);
};

/** The head of a file of each format, 300 wide and 200 high (icons: 48 x 32). */
const HEADS: Readonly<Record<string, Buffer>> = {
  "image/png": hex("89504e470d0a1a0a 0000000d 49484452 0000012c 000000c8 08060000 00"),
  "image/gif": hex("474946383961 2c01 c800 00 00 00"),
  "image/jpeg": hex("ffd8 ffe0 0010 4a46494600 0101 00 0048 0048 00 00 ffc0 0011 08 00c8 012c 03 012200 021101 031101"),
  "image/webp": hex("52494646 24000000 57454250 56503820 18000000 3001009d012a 2c01 c800 0000"),
  "image/bmp": hex("424d 00000000 00000000 36000000 28000000 2c010000 c8000000 0100 1800"),
  "image/x-icon": hex("0000 0100 0100 30 20 00 00 0100 2000 68040000 16000000"),
  "image/avif": Buffer.concat([
    box("ftyp", Buffer.from("avif\0\0\0\0avifmif1", "latin1")),
    box("meta", Buffer.alloc(4), box("iprp", box("ipco", box("ispe", Buffer.alloc(4), hex("0000012c 000000c8"))))),
  ]),
  "image/svg+xml": Buffer.from(
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"/>',
  ),
};

describe("image", () => {
  for (const [type, head] of Object.entries(HEADS)) {
    const [width, height] = type === "image/x-icon" ? [48, 32] : [300, 200];
    it(`tells the size of ${type}, and knows it under another's name`, async () => {
      assert.deepEqual(await read(head, type), { links: [], mediaType: type, width, height });
      if (type !== "image/svg+xml") assert.equal((await read(head, "image/jpeg")).mediaType, type);
    });
  }
  it("turns width and height as the orientation of EXIF says", async () => {
    const exif = hex("457869660000 4d4d002a00000008 0001 0112 0003 00000001 0006 0000 00000000");
    const segment = Buffer.concat([hex("ffe1"), hex((exif.length + 2).toString(16).padStart(4, "0")), exif]);
    const turned = Buffer.concat([hex("ffd8"), segment, HEADS["image/jpeg"]!.subarray(20)]);
    const { width, height } = await read(turned, "image/jpeg");
    assert.deepEqual([width, height], [200, 300]);
  });
  it("reads an SVG's links, under any of its types; one without a size is no fault", async () => {
    const svg = '<svg xmlns:xlink="x" viewBox="0 0 30 20"><a xlink:href="/1"><image href="i.png"/></a></svg>';
    for (const type of ["image/svg+xml", "text/xml"]) {
      const found = await read(svg, type);
      assert.deepEqual(
        found.links.map(({ href, kind }) => [href, kind]),
        [
          ["/1", "page"],
          ["i.png", "embed"],
        ],
      );
      assert.deepEqual([found.mediaType, found.width, found.height], ["image/svg+xml", 30, 20]);
    }
    assert.deepEqual(await read("<svg><a href='1'/></svg>", "image/svg+xml"), {
      links: [{ href: "1", kind: "page", from: "a" }],
      mediaType: "image/svg+xml",
    });
  });
  it("says of what is no image that it is none", async () => {
    for (const body of ["", "<title>Not found</title>", "\0\0\x02\0\0\0 not a signature at all"])
      assert.match((await read(body, "image/png")).error ?? "", /^no (readable )?image/);
    assert.match((await read(HEADS["image/png"]!.subarray(0, 18), "image/png")).error ?? "", /no readable image/);
  });
  it("never throws, whatever the bytes are", async () => {
    const starts = Object.values(HEADS);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(60), fc.uint8Array({ maxLength: 200 }), async (which, keep, tail) => {
        const head = starts[which % starts.length]!.subarray(0, keep);
        const found = await read(Buffer.concat([head, tail]), "image/png");
        assert.ok(found.error !== undefined || found.mediaType !== undefined);
      }),
    );
  });
});
