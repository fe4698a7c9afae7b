import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compare, crcText, sumsOf } from "../../src/blobs/sums.ts";

const one = Buffer.from("123456789");
const two = Buffer.from("tail");

describe("check sums of objects", () => {
  it("are those that others compute", () => {
    // CRC-32/ISO-HDLC's check value is CBF43926; the MD5 is md5sum's.
    assert.deepEqual(sumsOf(one), { bytes: 9, md5: "25f9e794323b453885f5181f1b624d0b", crc32: "y/Q5Jg==" });
    assert.equal(crcText(0), "AAAAAA==");
  });

  it("tell a whole object by its CRC32, or else by its tag", () => {
    const expected = { bytes: 9, parts: [sumsOf(one)] };
    const etag = `"${sumsOf(one).md5}"`;
    assert.equal(compare(expected, { bytes: 9, etag, crc32: undefined }), "right");
    assert.equal(compare(expected, { bytes: 9, etag: "opaque", crc32: "y/Q5Jg==" }), "right");
    assert.equal(compare(expected, { bytes: 9, etag, crc32: "AAAAAA==" }), "wrong");
    assert.equal(compare(expected, { bytes: 8, etag, crc32: "y/Q5Jg==" }), "wrong");
    assert.equal(compare(expected, { bytes: 9, etag: "opaque", crc32: undefined }), "unknown");
    assert.equal(compare(expected, { bytes: 9, etag: undefined, crc32: undefined }), "unknown");
  });

  it("tell an object of parts by the sums of its parts' sums", () => {
    const expected = { bytes: 13, parts: [sumsOf(one), sumsOf(two)] };
    // As Python's hashlib and zlib have them.
    const etag = '"2521d8c12e49a80a092d9ff4689146ac-2"';
    const crc32 = "KpW8xw==-2";
    assert.equal(compare(expected, { bytes: 13, etag, crc32: undefined }), "right");
    assert.equal(compare(expected, { bytes: 13, etag: undefined, crc32 }), "right");
    assert.equal(compare(expected, { bytes: 13, etag, crc32: "AAAAAA==-2" }), "wrong");
    // Put in other parts by somebody else: only its bytes can tell.
    assert.equal(compare(expected, { bytes: 13, etag: "0-3", crc32: "AAAAAA==-3" }), "unknown");
  });
});
