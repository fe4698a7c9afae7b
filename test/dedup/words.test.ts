/** Words are found in bytes as they would be in the text, however it is cut. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { HAS_DIGIT, WordReader } from "../../src/dedup/words.ts";

/** Each word as its hash, with a "#" where there is a digit in it. */
function wordsOf(pieces: readonly Uint8Array[]): string[] {
  const words: string[] = [];
  const reader = new WordReader((hashes, marks, count) => {
    for (let i = 0; i < count; i++) words.push(`${hashes[i]}${(marks[i]! & HAS_DIGIT) === 0 ? "" : "#"}`);
    return 0;
  });
  for (const piece of pieces)
    for (let at = 0; at < piece.length; ) {
      at = reader.take(piece, at, piece.length);
      if (at === piece.length) break;
      assert.match(String.fromCharCode(piece[at]!), /[<&]/);
      reader.put();
      at++;
    }
  reader.end();
  assert.equal(reader.total, words.length);
  return words;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const hashesOf = (text: string): string[] => wordsOf([bytesOf(text)]);

/** By the definition, from the text. */
const WORDS =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Bopo}]|[\u{10000}-\u{10ffff}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Bopo}\u{10000}-\u{10ffff}])[\p{L}\p{M}\p{N}])+/gu;

const text = fc
  .array(
    fc.constantFrom("a", "B", "7", "é", "É", "ß", "中", "か", "ก", "٣", "𝒳", "😀", " ", "-", "\u00a0", "<", "&", "\0"),
  )
  .map((characters) => characters.join(""));

describe("words", () => {
  it("are runs of letters and digits, alike in either case", () => {
    assert.equal(hashesOf("one two2 3").length, 3);
    assert.deepEqual(hashesOf("ONE Élan"), hashesOf("one-élan"));
    assert.notEqual(hashesOf("one")[0], hashesOf("two")[0]);
    assert.deepEqual(
      hashesOf("a 2 b2 ٣").map((word) => word.endsWith("#")),
      [false, true, true, true],
    );
  });

  it("are those of the definition, in any text", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const single = (whole.match(WORDS) ?? []).map((word) => hashesOf(word));
        assert.ok(single.every((hashes) => hashes.length === 1));
        assert.deepEqual(hashesOf(whole), single.flat());
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it("are the same when the text comes in pieces, cut between characters", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (pieces) => {
        assert.deepEqual(wordsOf(pieces.map(bytesOf)), hashesOf(pieces.join("")));
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  it("end at bytes that are no UTF-8, as at the character that a decoder puts there", () => {
    const some = fc.uint8Array({ maxLength: 12 });
    const byte = fc.constantFrom(
      0x61,
      0x80,
      0xbf,
      0xc0,
      0xc3,
      0xe0,
      0xe4,
      0xb8,
      0xad,
      0xed,
      0xa0,
      0xf0,
      0x9f,
      0xf4,
      0xff,
    );
    const near = fc.array(byte, { maxLength: 12 }).map((bytes) => Uint8Array.from(bytes));
    fc.assert(
      fc.property(fc.oneof(some, near), (bytes) => {
        assert.deepEqual(wordsOf([bytes]), hashesOf(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)));
      }),
      { seed: 3, numRuns: 3000 },
    );
  });

  it("are all there in a text of many", () => {
    for (const word of ["word ", "中", "a1 "]) {
      const words = hashesOf(word.repeat(50_000));
      assert.equal(words.length, 50_000);
      assert.equal(new Set(words).size, 1);
    }
    assert.equal(hashesOf("x".repeat(100_000)).length, 1);
  });
});
