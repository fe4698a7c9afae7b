/** A page that was there before is marked: to the byte, or nearly so; the first of each content is the one that counts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Duplicates, NO_COPY } from "../../src/crawl/duplicates.ts";
import type { Capture } from "../../src/model/capture.ts";
import { pageInfo } from "../model/page.ts";

const capture = (digest: string, truncated: Capture["truncated"] = null): Capture => ({
  response: { file: "x", offset: 0, length: 1 },
  at: 0,
  digest: `sha1:${digest}`,
  truncated,
});
const page = (simhash: string | null) => pageInfo({ simhash });
const HREF = "https://a.test/x";
const NEAR_0 = ["0000000000000000", "0000000000000007", "000000000000003f"];

describe("duplicates", () => {
  it("name no page whose id does not fit the tables, and are told of such pages too", async () => {
    const all = await Duplicates.of([]);
    const huge = 2 ** 32 + 1;
    assert.deepEqual(all.copyOf(huge, HREF, 9, capture("A"), page(NEAR_0[0]!)), NO_COPY);
    assert.deepEqual(all.copyOf(1, HREF, 9, capture("A"), page(NEAR_0[1]!)), NO_COPY, "and not of what 32 bits leave");
    assert.equal(all.copyOf(huge + 1, HREF, 9, capture("A"), page(null)).duplicateOf, 1);
    assert.equal(all.copyOf(huge + 2, HREF, 9, capture("B"), page(NEAR_0[0]!)).nearDuplicateOf, 1);
  });
  it("are of the first that had the same body", async () => {
    const all = await Duplicates.of([]);
    assert.deepEqual(all.copyOf(1, HREF, 9, capture("A"), page(null)), NO_COPY);
    assert.deepEqual(all.copyOf(2, HREF, 9, capture("B"), page(null)), NO_COPY);
    for (const id of [3, 4])
      assert.deepEqual(all.copyOf(id, HREF, 9, capture("A"), page(null)), { duplicateOf: 1, nearDuplicateOf: null });
  });

  it("are not of themselves, when a visit is repeated", async () => {
    const all = await Duplicates.of([]);
    for (let visit = 0; visit < 3; visit++)
      assert.deepEqual(all.copyOf(1, HREF, 9, capture("A"), page(NEAR_0[0]!)), NO_COPY);
    assert.deepEqual(all.copyOf(1, HREF, 9, capture("B"), page(NEAR_0[1]!)), NO_COPY);
  });

  it("are near when three bits of the text's hash differ, and held against the first alone", async () => {
    const all = await Duplicates.of([]);
    assert.deepEqual(all.copyOf(1, HREF, 9, capture("A"), page(NEAR_0[0]!)), NO_COPY);
    assert.deepEqual(all.copyOf(2, HREF, 9, capture("B"), page(NEAR_0[1]!)), { duplicateOf: null, nearDuplicateOf: 1 });
    assert.deepEqual(all.copyOf(3, HREF, 9, capture("C"), page(NEAR_0[2]!)), NO_COPY); // near to 2, which is a copy
  });

  it("give way to the page that they name as canonical, when it comes with the same content", async () => {
    const naming = (simhash: string | null) => ({ ...page(simhash), canonical: "https://a.test/real" });
    for (const [hash, digests, how] of [
      [null, ["A", "A", "A", "A"], "duplicateOf"],
      [NEAR_0[0]!, ["B", "C", "D", "E"], "nearDuplicateOf"],
    ] as const) {
      const all = await Duplicates.of([]);
      assert.deepEqual(all.copyOf(1, "https://a.test/real?from=mail", 9, capture(digests[0]), naming(hash)), NO_COPY);
      assert.deepEqual(all.copyOf(2, "https://a.test/other", 9, capture(digests[1]), page(hash)), {
        ...NO_COPY,
        [how]: 1,
      });
      assert.deepEqual(all.copyOf(3, "https://a.test/real", 9, capture(digests[2]), naming(hash)), NO_COPY);
      assert.deepEqual(all.copyOf(4, "https://a.test/more", 9, capture(digests[3]), naming(hash)), {
        ...NO_COPY,
        [how]: 3,
      });
      assert.deepEqual(all.copyOf(3, "https://a.test/real", 9, capture(digests[2]), naming(hash)), NO_COPY);
    }
  });

  it("are not told of empty bodies, of cut ones, and of texts without a hash", async () => {
    const all = await Duplicates.of([]);
    for (const id of [1, 2]) {
      assert.deepEqual(all.copyOf(id, HREF, 0, capture("A"), page(NEAR_0[0]!)), NO_COPY);
      assert.deepEqual(all.copyOf(id, HREF, 9, capture("B", "length"), page(NEAR_0[0]!)), NO_COPY);
      assert.deepEqual(all.copyOf(id, HREF, 9, capture(`C${id}`), page(null)), NO_COPY);
    }
  });

  it("are known of earlier runs", async () => {
    const all = await Duplicates.of([
      { urlId: 1, digest: "sha1:A", simhash: NEAR_0[0]! },
      { urlId: 2, digest: "sha1:B", simhash: null },
    ]);
    assert.equal(all.copyOf(3, HREF, 9, capture("B"), page(null)).duplicateOf, 2);
    assert.equal(all.copyOf(4, HREF, 9, capture("C"), page(NEAR_0[1]!)).nearDuplicateOf, 1);
  });
});
