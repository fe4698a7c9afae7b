import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseWhere } from "../../../src/app/export/where.ts";
import type { VisitRecord } from "../../../src/model/record.ts";
import { visit } from "../records.ts";

const NOON = Date.UTC(2026, 10, 30, 12);

/** Whether what is said holds of a URL and its visit. */
function holds(
  said: readonly string[],
  changes: Partial<VisitRecord> | null = {},
  href = "https://a.test:8443/x",
): boolean {
  return parseWhere(said)!(href, changes === null ? null : visit(1, { startedAt: NOON, ...changes }));
}

describe("--where", () => {
  it("is nothing when nothing is said", () => assert.equal(parseWhere([]), null));
  it("takes a status, a hundred of them, or a range", () => {
    assert.ok(holds(["status=200"]));
    assert.ok(holds(["status=2xx"], { status: 299 }));
    assert.ok(holds(["status=400-404"], { status: 404 }));
    assert.ok(!holds(["status=400-404"], { status: 405 }));
    assert.ok(!holds(["status=200"], { status: null }));
    assert.ok(!holds(["status=200"], null));
  });
  it("takes a media type, as sniffed before as declared", () => {
    assert.ok(holds(["type=text/*"], { contentType: "Text/HTML; charset=x" }));
    assert.ok(!holds(["type=image/*"]));
    const sniffed = { mediaType: "application/pdf" } as VisitRecord["page"];
    assert.ok(holds(["type=application/pdf"], { contentType: "text/html", page: sniffed }));
    assert.ok(!holds(["type=text/html"], { contentType: "text/html", page: sniffed }));
  });
  it("takes a host with or without its port, or all below a name", () => {
    for (const host of ["a.test", "A.test", "a.test:8443", "*.test", "*.a.test"])
      assert.ok(holds([`host=${host}`]), host);
    for (const host of ["a.test:443", "b.a.test", "*.b.test", "test", "*.st"])
      assert.ok(!holds([`host=${host}`]), host);
  });
  it("takes an end", () => {
    assert.ok(holds(["end=fetched"]));
    assert.ok(!holds(["end=robots"]));
  });
  it("takes bounds of time, the first in and the last out, of what was asked for", () => {
    assert.ok(holds(["since=2026-11-30T12:00:00Z"]));
    assert.ok(!holds(["until=2026-11-30T12:00:00Z"]));
    assert.ok(holds(["since=2026-11-30", "until=2026-12-01"]));
    assert.ok(!holds(["since=2026-11-01", "since=2026-12-01"]), "both must hold");
    assert.ok(!holds(["since=2026-11-01"], { address: null }), "nothing was asked for");
  });
  it("wants any of one field and all of different ones", () => {
    assert.ok(holds(["status=404", "status=200", "host=a.test"]));
    assert.ok(!holds(["status=404", "status=200", "host=b.test"]));
  });
});
