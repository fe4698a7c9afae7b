/** Content-encoding: whole, stacked, cut, broken, lying and exploding bodies. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import zlib from "node:zlib";
import fc from "fast-check";
import { contentCodings, decodeBody } from "../../src/net/decode.ts";

const MIB = 1024 * 1024;
const limits = { maxBytes: 16 * MIB, maxRatio: 200 };
const html = Buffer.from(
  Array.from(
    { length: 2_000 },
    (_, i) => `<p id="p${i}">Paragraph ${(i * 7919) % 2003} <a href="/${i}">x</a></p>\n`,
  ).join(""),
);
const encoders = {
  gzip: (bytes: Uint8Array) => zlib.gzipSync(bytes),
  "x-gzip": (bytes: Uint8Array) => zlib.gzipSync(bytes),
  deflate: (bytes: Uint8Array) => zlib.deflateSync(bytes),
  br: (bytes: Uint8Array) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (bytes: Uint8Array) => zlib.zstdCompressSync(bytes),
};
const names = Object.keys(encoders) as (keyof typeof encoders)[];
const decode = (body: Uint8Array, codings: string | readonly string[], whole = true, most = limits) =>
  decodeBody(body, typeof codings === "string" ? [codings] : codings, whole, most);
const same = (got: Uint8Array, want: Uint8Array): void =>
  assert.ok(Buffer.compare(got, want) === 0, `${got.length} bytes, not ${want.length}`);
const isStart = (got: Uint8Array, of: Uint8Array): void => same(got, of.subarray(0, got.length));

describe("decoding", () => {
  for (const name of names) {
    it(`gives back what ${name} was made of, short and long`, async () => {
      for (const bytes of [Buffer.from("x"), html, Buffer.alloc(6 * MIB, html)]) {
        const { bytes: got, error } = await decode(encoders[name](bytes), name, true, { ...limits, maxRatio: 1e6 });
        assert.equal(error, null);
        same(got, bytes);
      }
    });

    it(`keeps of ${name} cut short what decodes, without a complaint when it is known to be cut`, async () => {
      const coded = encoders[name](html);
      for (const share of [0.5, 0.9, 0.999]) {
        const part = coded.subarray(0, Math.floor(coded.length * share));
        const cut = await decode(part, name, false);
        assert.equal(cut.error, null);
        isStart(cut.bytes, html);
        // A zstd block may be the whole page, and decodes as a whole or not at all.
        if (name !== "zstd") assert.ok(cut.bytes.length > html.length * (share - 0.2), `${cut.bytes.length}`);
        const ended = await decode(part, name, true);
        assert.match(ended.error ?? "", /unexpected end/);
        same(ended.bytes, cut.bytes);
      }
    });

    it(`keeps of broken ${name} a beginning`, async () => {
      const coded = Buffer.from(encoders[name](html));
      coded.fill(0xff, coded.length >> 1, (coded.length >> 1) + 40);
      const { bytes, error } = await decode(coded, name);
      assert.match(error ?? "", /^(?:gzip|deflate|br|zstd): /);
      assert.ok(bytes.length <= html.length);
      isStart(bytes.subarray(0, bytes.length * 0.4), html);
    });

    it(`takes what is called ${name} and is plain text as it is`, async () => {
      for (const whole of [true, false]) {
        const { bytes, error } = await decode(html, name, whole);
        assert.match(error ?? "", /not so coded/);
        assert.equal(bytes, html);
      }
    });

    it(`cuts an exploding ${name} at exactly the ratio, and at exactly the size`, async () => {
      const bomb = encoders[name](Buffer.alloc(32 * MIB));
      assert.ok(bomb.length < 80_000);
      const byRatio = await decode(bomb, name, true, { maxBytes: 32 * MIB, maxRatio: 100 });
      assert.equal(byRatio.bytes.length, Math.max(MIB, 100 * bomb.length));
      assert.match(byRatio.error ?? "", /^cut at \d+ bytes decoded$/);
      const bySize = await decode(bomb, name, true, { maxBytes: 2 * MIB + 1, maxRatio: 1e6 });
      assert.equal(bySize.bytes.length, 2 * MIB + 1);
    });

    it(`lets ${name} of exactly the size through, and cuts one byte more`, async () => {
      const at = await decode(encoders[name](html), name, true, { maxBytes: html.length, maxRatio: 200 });
      assert.deepEqual([at.bytes.length, at.error], [html.length, null]);
      const over = await decode(encoders[name](html), name, true, { maxBytes: html.length - 1, maxRatio: 200 });
      assert.deepEqual([over.bytes.length, over.error], [html.length - 1, `cut at ${html.length - 1} bytes decoded`]);
    });
  }

  it("lets a small body grow to a MiB whatever the ratio", async () => {
    const { bytes, error } = await decode(zlib.gzipSync(Buffer.alloc(MIB)), "gzip", true, {
      maxBytes: 16 * MIB,
      maxRatio: 1,
    });
    assert.deepEqual([bytes.length, error], [MIB, null]);
  });

  it("takes deflate with and without the zlib frame", async () => {
    const { bytes, error } = await decode(zlib.deflateRawSync(html), "deflate");
    assert.equal(error, null);
    same(bytes, html);
  });

  it("takes off codings in the reverse of their order", async () => {
    for (const codings of [
      ["gzip", "gzip"],
      ["br", "gzip"],
      ["gzip", "zstd", "deflate"],
    ] as const) {
      let coded: Uint8Array = html;
      for (const name of codings) coded = encoders[name](coded);
      const { bytes, error } = await decode(coded, codings);
      assert.equal(error, null);
      same(bytes, html);
    }
  });

  it("does not multiply the limit by stacking", async () => {
    const bomb = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(128 * MIB)));
    assert.ok(bomb.length < 5_000);
    const { bytes, error } = await decode(bomb, ["gzip", "gzip"]);
    assert.equal(bytes.length, MIB);
    assert.match(error ?? "", /cut at/);
  });

  it("takes off of a stack what it can", async () => {
    const once = await decode(zlib.gzipSync(html), ["br", "gzip"]);
    assert.match(once.error ?? "", /br: not so coded/);
    same(once.bytes, html);
    const unknown = await decode(zlib.gzipSync(html), ["sdch", "gzip"]);
    assert.equal(unknown.error, 'unknown content-coding "sdch"');
    same(unknown.bytes, html);
    assert.equal((await decode(html, Array(9).fill("gzip"))).bytes, html);
  });

  it("keeps all of a page whose gzip frame alone is wrong", async () => {
    const coded = zlib.gzipSync(html);
    const wrongSum = Buffer.from(coded);
    wrongSum[wrongSum.length - 6]! ^= 1;
    const named = Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9]),
      Buffer.from("name\0comment\0"),
      zlib.deflateRawSync(html),
      Buffer.alloc(8, 7),
    ]);
    for (const body of [wrongSum, Buffer.concat([coded, Buffer.from("<!-- appended -->")]), named]) {
      const { bytes, error } = await decode(body, "gzip");
      assert.match(error ?? "", /^gzip: /);
      same(bytes, html);
    }
  });

  it("joins the members of a gzip body", async () => {
    const { bytes, error } = await decode(Buffer.concat([zlib.gzipSync("one "), zlib.gzipSync("two")]), "gzip");
    assert.deepEqual([Buffer.from(bytes).toString(), error], ["one two", null]);
  });

  it("trusts no length that gzip states", async () => {
    for (const size of [0, 5, 4_000_000, 0xffffffff]) {
      const lying = zlib.gzipSync(html);
      lying.writeUInt32LE(size, lying.length - 4);
      const { bytes, error } = await decode(lying, "gzip");
      assert.match(error ?? "", /gzip/);
      same(bytes, html);
    }
  });

  it("refuses zstd that wants more memory than RFC 9659 allows", async () => {
    const { ZSTD_c_windowLog, ZSTD_c_enableLongDistanceMatching } = zlib.constants;
    const body = zlib.zstdCompressSync(Buffer.alloc(40 * MIB, html), {
      params: { [ZSTD_c_windowLog]: 27, [ZSTD_c_enableLongDistanceMatching]: 1 },
    });
    const { error } = await decode(body, "zstd");
    assert.match(error ?? "", /^zstd: /);
  });

  it("has nothing to say of an empty body, or of one without a coding", async () => {
    const empty = new Uint8Array(0);
    for (const name of [...names, "unknown"])
      assert.deepEqual(await decode(empty, name), { bytes: empty, error: null });
    assert.equal((await decode(html, [])).bytes, html);
  });

  it("never rejects, and keeps to its limits, whatever it is fed", async () => {
    const most = { maxBytes: 3 * MIB, maxRatio: 3 };
    const magics = [[0x1f, 0x8b, 8], [0x28, 0xb5, 0x2f, 0xfd], [0x78, 0x9c], []].map((magic) => Uint8Array.from(magic));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.constantFrom(...magics),
        fc.uint8Array({ maxLength: 400 }),
        fc.boolean(),
        async (name, magic, junk, whole) => {
          const { bytes } = await decode(Buffer.concat([magic, junk]), name, whole, most);
          assert.ok(bytes.length <= most.maxBytes);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("gives of any coded body cut anywhere a beginning of what it was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.double({ min: 0, max: 1, noNaN: true }), async (name, share) => {
        const coded = encoders[name](html.subarray(0, 20_000));
        const part = coded.subarray(0, Math.floor(coded.length * share));
        const { bytes, error } = await decode(part, name, false);
        assert.equal(error, null);
        isStart(bytes, html);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the codings of a response", () => {
  it("are read from all fields, in order, in any case, without those that do nothing", () => {
    const raw = ["Content-Encoding", "GZip, identity", "content-type", "x", "CONTENT-ENCODING", " br ,, none"];
    assert.deepEqual(contentCodings(raw), ["gzip", "br"]);
    assert.deepEqual(contentCodings(["X", "gzip"]), []);
  });
});
