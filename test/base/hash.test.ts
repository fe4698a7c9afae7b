/** MurmurHash3 x86 128 is the reference's, bit for bit. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { hashBytes, hashText } from "../../src/base/hash.ts";

describe("hash", () => {
  it("passes SMHasher's verification: the hash of the hashes of 256 keys", () => {
    const digests = new Uint8Array(256 * 16);
    const key = Uint8Array.from({ length: 256 }, (_, i) => i);
    for (let length = 0; length < 256; length++) {
      const words = Uint32Array.from(hashBytes(key, length, 256 - length));
      digests.set(new Uint8Array(words.buffer), length * 16);
    }
    assert.equal(hashBytes(digests)[0], 0xb3ece62a);
  });

  it("hashes a text as its UTF-8 bytes, however long", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 6000, size: "max" }), fc.nat(), (text, seed) => {
        assert.deepEqual(hashText(text, seed), hashBytes(new TextEncoder().encode(text), undefined, seed));
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it("reads no byte behind the length given", () => {
    const bytes = new Uint8Array(64).fill(7);
    for (let length = 0; length <= 40; length++)
      assert.deepEqual(hashBytes(bytes, length), hashBytes(bytes.slice(0, length)));
  });

  it("spreads what differs in one byte over all words", () => {
    const [a, b] = [hashText("http://a.test/1"), hashText("http://a.test/2")];
    for (let i = 0; i < 4; i++) assert.notEqual(a[i], b[i]);
  });
});
