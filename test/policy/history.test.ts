import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type History, NO_HISTORY, SPANS_KEPT } from "../../src/model/history.ts";
import { afterLook, awayBy, historyOf, type Look } from "../../src/policy/history.ts";
import { visit } from "../app/records.ts";

const HOUR = 3_600_000;
const body = { urlId: 1, href: "http://a.test/" as never, at: 0 };
const content = (change: "first" | "same" | "changed", digest: string, simhash: string | null = null): Look => ({
  kind: "content",
  change: { kind: change, distance: null },
  digest,
  body,
  simhash,
  etag: `"${digest}"`,
  lastModified: null,
});
const notModified: Look = { kind: "not-modified", body };
const gone: Look = { kind: "away", why: "gone" };

/** Looks an hour apart. */
const after = (...looks: readonly Look[]): History =>
  looks.reduce((history, look, n) => afterLook(history, n * HOUR, look), NO_HISTORY);

describe("a history", () => {
  it("begins with the first look, which is no check", () => {
    const { checks, spans, seenAt, changedAt, digest, etag } = after(content("first", "A"));
    assert.deepEqual([checks, spans, seenAt, changedAt, digest, etag], [0, [], 0, 0, "A", '"A"']);
  });

  it("counts what could tell, with the time since the content was seen before", () => {
    const history = after(content("first", "A"), notModified, content("changed", "B"), content("same", "C"));
    assert.deepEqual([history.checks, history.changes, history.spans], [3, 1, [-3_600, 3_600, -3_600]]);
    assert.deepEqual([history.seenAt, history.changedAt], [3 * HOUR, 2 * HOUR]);
  });

  it("counts the answers without a body since the last whole one", () => {
    assert.equal(after(content("first", "A"), notModified, notModified).unread, 2);
    assert.equal(after(content("first", "A"), notModified, content("same", "A"), notModified).unread, 1);
  });

  it("takes what cannot be reached for no look", () => {
    const history = after(content("first", "A"), { kind: "nothing" }, notModified);
    assert.deepEqual([history.checks, history.spans], [1, [-7_200]]);
  });

  it("keeps all of a page that is gone, and counts the looks for it apart", () => {
    const history = after(content("first", "A"), gone, gone);
    assert.deepEqual(history.away, { why: "gone", since: HOUR, looks: 2 });
    assert.deepEqual([history.digest, history.seenAt, history.checks], ["A", 0, 0]);
    const back = afterLook(history, 5 * HOUR, content("same", "A"));
    assert.deepEqual([back.away, back.checks, back.spans], [null, 1, [-18_000]]);
  });

  it("begins the count anew when a page is away for another reason", () => {
    const history = after(content("first", "A"), gone, { kind: "away", why: "moved" });
    assert.deepEqual(history.away, { why: "moved", since: 2 * HOUR, looks: 1 });
  });

  it("keeps the last looks one by one and folds the others into a pool, losing none", () => {
    const looks = Array.from({ length: 40 }, (_, n) => (n % 4 === 0 ? content("changed", `${n}`) : notModified));
    const history = after(content("first", "A"), ...looks);
    assert.equal(history.spans.length, SPANS_KEPT);
    assert.equal(history.checks, 40);
    const { changes, changedMs, unchangedMs } = history.olderPool!;
    assert.deepEqual([changes, changedMs, unchangedMs], [6, 6 * HOUR, 18 * HOUR]);
    assert.equal(changes + history.spans.filter((span) => span > 0).length, history.changes);
  });

  it("holds a text against what it was when it changed last, that a drift adds up", () => {
    const drifted = after(content("first", "A", "00"), content("same", "B", "01"), content("same", "C", "03"));
    assert.deepEqual([drifted.simhash, drifted.digest], ["00", "C"]);
    assert.equal(afterLook(drifted, 9 * HOUR, content("changed", "D", "0f")).simhash, "0f");
  });

  it("of a URL visited once is in its record", () => {
    const capture = { response: { file: "f", offset: 0, length: 1 }, at: 7, digest: "sha1:A", truncated: null };
    const record = visit(1, { startedAt: 7, capture, etag: '"x"' });
    const { seenAt, digest, etag, body } = historyOf(record);
    assert.deepEqual([seenAt, digest, etag, body], [7, "sha1:A", '"x"', { urlId: 1, href: record.href, at: 7 }]);
    assert.equal(historyOf({ ...record, capture: { ...capture, truncated: "length" } }).body, null);
    assert.equal(historyOf({ ...record, capture: { ...capture, revisitOf: 2 } }).body, null);
    const missing = historyOf({ ...record, end: "http-4xx", status: 404 });
    assert.deepEqual([missing.away?.why, missing.seenAt], ["gone", null]);
  });
});

describe("why a page is away", () => {
  it("is told by what cannot be taken for a passing fault", () => {
    assert.equal(awayBy("http-4xx", 404), "gone");
    assert.equal(awayBy("http-4xx", 410), "gone");
    assert.equal(awayBy("soft-404", 200), "gone");
    assert.equal(awayBy("redirected", 301), "moved");
    assert.equal(awayBy("robots", null), "denied");
    for (const [end, status] of [
      ["http-4xx", 403],
      ["http-5xx", 500],
      ["timeout", null],
      ["dns", null],
      ["fetched", 200],
    ] as const)
      assert.equal(awayBy(end, status), null);
  });
});
