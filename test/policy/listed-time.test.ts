import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { changeFrequencyOf, lastmodOf } from "../../src/policy/listed-time.ts";

const iso = (text: string): string | null => {
  const at = lastmodOf(text);
  return at === null ? null : new Date(at).toISOString();
};

describe("when a page changed, as sitemaps and feeds write it", () => {
  it("is a day, or a time in any zone", () => {
    assert.equal(iso("2026-11-30"), "2026-11-30T00:00:00.000Z");
    assert.equal(iso(" 2026-11-30T12:34Z\n"), "2026-11-30T12:34:00.000Z");
    assert.equal(iso("2026-11-30T12:34:56.789+01:00"), "2026-11-30T11:34:56.789Z");
    assert.equal(iso("2026-11-30t12:34:56-0530"), "2026-11-30T18:04:56.000Z");
  });
  it("is the date of a mail in RSS", () => {
    assert.equal(iso("Mon, 30 Nov 2026 12:00:00 GMT"), "2026-11-30T12:00:00.000Z");
    assert.equal(iso("30 Nov 2026 12:00 +0100"), "2026-11-30T11:00:00.000Z");
    assert.equal(iso("Mon, 30 Nov 26 12:00:00 EST"), "2026-11-30T17:00:00.000Z");
  });
  it("is UTC where no zone is named, whatever that of the machine", () => {
    const zone = process.env.TZ;
    process.env.TZ = "Asia/Tokyo";
    try {
      assert.equal(iso("2026-11-30 12:34:56"), "2026-11-30T12:34:56.000Z");
      assert.equal(iso("Mon, 30 Nov 2026 12:00:00"), "2026-11-30T12:00:00.000Z");
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
  it("is not known from a year, a month, a word, or a time that cannot be", () => {
    for (const text of ["2026", "2026-11", "", "yesterday", "2026-13-01", "1024-01-01", "2300-01-01", "30/11/2026"])
      assert.equal(lastmodOf(text), null, text);
  });
  it("is a whole time or nothing, whatever is written", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        ),
        (text) => {
          const at = lastmodOf(text);
          assert.ok(at === null || (Number.isInteger(at) && at > 0 && at / 1000 < 2 ** 32));
        },
      ),
    );
  });
});

describe("how often a page changes, as sitemaps say it", () => {
  it("is one of seven words", () => {
    assert.equal(changeFrequencyOf(" Daily\n"), "daily");
    assert.equal(changeFrequencyOf("sometimes"), null);
  });
});
