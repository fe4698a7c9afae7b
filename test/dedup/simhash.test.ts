/** SimHash: little changed in a text, few bits changed in its hash; what changes most pages does not count much. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { BitCounts } from "../../src/dedup/bit-counts.ts";
import {
  distance,
  hashesOf,
  MIN_WORDS,
  majority,
  NEAR,
  parseSimhash,
  printSimhash,
  type Simhash,
  simhash,
} from "../../src/dedup/simhash.ts";

/** So many words, from a vocabulary of 500. */
function prose(words: number, seed: number): string[] {
  let state = seed;
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return `w${((state >>> 8) % 500).toString(36).replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!)}`;
  });
}

const hashOf = (words: readonly string[]): Simhash => {
  const hash = simhash(words.join(" "));
  assert.ok(hash);
  return hash;
};

const wordingOf = (words: readonly string[], href = ""): Simhash => {
  const hashes = hashesOf(words.join(" "), href);
  assert.ok(hashes);
  return hashes.wording;
};

describe("the wording of a text", () => {
  it("is that of the same words in another order, and with other numbers", () => {
    fc.assert(
      fc.property(fc.integer({ min: MIN_WORDS, max: 20_000 }), fc.integer({ min: 1, max: 1000 }), (length, seed) => {
        const words = prose(length, seed);
        const other = [...words.toReversed(), "17", `x${seed}`];
        assert.deepEqual(wordingOf(other), wordingOf(words));
      }),
      { seed: 1, numRuns: 30 },
    );
  });

  it("is another with one word more, wherever it stands, and though the SimHash stays", () => {
    for (const at of [0, 1, 2, 100, 8_190, 8_191, 8_192, 9_999]) {
      const words = prose(10_000, 1);
      const more = words.toSpliced(at, 0, "hammer");
      assert.notDeepEqual(wordingOf(more), wordingOf(words), String(at));
      assert.ok(distance(hashOf(more), hashOf(words)) <= NEAR);
    }
  });

  it("leaves out the words of the page's own URL, and of no other", () => {
    const words = prose(200, 1);
    const said = [...words, "left", "right", "Straße", "left"];
    const href = "http://a.test/maze/left/right?q=stra%C3%9Fe";
    assert.deepEqual(wordingOf(said, href), wordingOf(words, href));
    assert.notDeepEqual(wordingOf(said, "http://a.test/maze/left"), wordingOf(words, "http://a.test/maze/left"));
    assert.deepEqual(wordingOf(said, "http://a.test/%E0%A4%A/left"), wordingOf([...words, "right", "Straße"]));
    assert.notDeepEqual(wordingOf(said), wordingOf(words));
  });
});

describe("bit counts", () => {
  const value = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

  it("are what counting bit by bit gives", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 200, size: "max" }), (values) => {
        const counts = new BitCounts();
        const expected = new Float64Array(64);
        for (const [hi, lo] of values) {
          counts.add(hi, lo);
          for (let i = 0; i < 32; i++) {
            expected[i]! += 3 * ((hi >>> (31 - i)) & 1);
            expected[32 + i]! += 3 * ((lo >>> (31 - i)) & 1);
          }
        }
        const sums = new Float64Array(64);
        counts.addTo(sums, 3);
        assert.equal(counts.total, values.length);
        assert.deepEqual(sums, expected);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it("go on after they were read, and begin again when cleared", () => {
    const counts = new BitCounts();
    const sums = new Float64Array(64);
    for (let i = 0; i < 1000; i++) {
      counts.add(-1, i);
      if (i % 7 === 0) counts.addTo(new Float64Array(64), 1);
    }
    counts.addTo(sums, 1);
    assert.equal(sums[0], 1000);
    assert.equal(sums[63], 500);
    counts.clear();
    counts.add(0, 1);
    counts.addTo(sums.fill(0), 1);
    assert.equal(sums[63], 1);
    assert.equal(sums[0], 0);
  });

  it("make a majority in which a tie is no bit", () => {
    const sums = new Float64Array(64);
    sums[0] = 3;
    sums[33] = 2;
    sums[63] = 4;
    assert.deepEqual(majority(sums, 4), [0x80000000, 1]);
  });
});

describe("SimHash", () => {
  it("is none of a text that is too short to be compared", () => {
    assert.equal(simhash(""), null);
    assert.equal(simhash(prose(MIN_WORDS - 1, 1).join(" ")), null);
    assert.ok(simhash(prose(MIN_WORDS, 1).join(" ")));
  });

  it("is as it was defined: stored hashes must stay comparable", () => {
    const text = "The quick brown fox jumps over the lazy dog, again and again; Größe 42, naïveté, 東京都. ".repeat(3);
    assert.equal(printSimhash(simhash(text)!), "c883230e902a720d");
  });

  it("does not see case, punctuation and white space", () => {
    const words = prose(200, 2);
    const shouted = words.map((word) => word.toUpperCase()).join(" -- \n");
    assert.deepEqual(simhash(shouted), hashOf(words));
    assert.deepEqual(simhash(`ÉTÉ À ${words.join(" ")}`), simhash(`été, à ${words.join("\t")}.`));
  });

  it("is near when a word of many differs, or the numbers do", () => {
    let byWord = 0;
    let byNumbers = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const words = prose(1500, seed);
      if (distance(hashOf(words), hashOf(words.with(700, "another"))) <= NEAR) byWord++;
      const dated = (year: string) => hashOf([...words, "printed", "in", year, "page", `${year}7`]);
      if (distance(dated("1999"), dated("2026")) <= NEAR) byNumbers++;
    }
    assert.ok(byWord >= 90, `${byWord} of 100`);
    assert.ok(byNumbers >= 99, `${byNumbers} of 100`);
  });

  it("is far when the text is another, of the same words too", () => {
    for (let seed = 1; seed <= 50; seed++) {
      assert.ok(distance(hashOf(prose(400, seed)), hashOf(prose(400, seed + 1000))) > 12, `seed ${seed}`);
      const words = prose(400, seed);
      assert.ok(distance(hashOf(words), hashOf(words.toSorted())) > 12, `seed ${seed}`);
    }
  });

  it("minds numbers less than words", () => {
    let byNumbers = 0;
    let byWords = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const words = prose(600, seed);
      const at = [50, 150, 250, 350, 450];
      const put = (what: string) => words.map((word, i) => (at.includes(i) ? what + (what === "1" ? i : word) : word));
      const numbered = words.map((word, i) => (at.includes(i) ? "1999" : word));
      byNumbers += distance(hashOf(numbered), hashOf(put("1")));
      byWords += distance(hashOf(words), hashOf(put("un")));
    }
    assert.ok(byNumbers * 2 < byWords, `${byNumbers} and ${byWords}`);
  });

  it("takes each character of a script without spaces for a word", () => {
    const text = "吾輩は猫である名前はまだ無いどこで生れたかとんと見当がつかぬ何でも薄暗いじめじめした所で";
    assert.ok(text.length > MIN_WORDS);
    assert.ok(simhash(text));
    assert.equal(simhash("x".repeat(1000)), null);
    assert.ok(simhash("𠀀".repeat(MIN_WORDS)));
  });

  it("reads any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3000, size: "max" }), (text) => {
        const hash = simhash(`${text} ${prose(40, 3).join(" ")}`);
        assert.ok(hash);
        assert.deepEqual(parseSimhash(printSimhash(hash)), hash);
        assert.match(printSimhash(hash), /^[0-9a-f]{16}$/);
      }),
      { seed: 4, numRuns: 300 },
    );
  });
});
