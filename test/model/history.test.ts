/** The first visit's record is the beginning of a URL's history. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { historyOf } from "../../src/model/history.ts";
import type { VisitRecord } from "../../src/model/record.ts";
import { visit } from "../app/records.ts";

const seen: Partial<VisitRecord> = {
  startedAt: 1000,
  status: 200,
  etag: 'W/"7"',
  lastModified: "Mon, 30 Nov 2026 10:00:00 GMT",
  capture: { response: { file: "a.warc.gz", offset: 0, length: 9 }, at: 1000, digest: "sha1:A", truncated: null },
};

it("begins with the content, and what validates it", () => {
  const history = historyOf(visit(1, seen));
  assert.deepEqual([history.seenAt, history.changedAt, history.digest], [1000, 1000, "sha1:A"]);
  assert.deepEqual([history.etag, history.lastModified], [seen.etag, seen.lastModified]);
  assert.deepEqual([history.checks, history.changes, history.spans, history.unread], [0, 0, [], 0]);
});

it("has seen no content where the answer was an error, or there was none", () => {
  for (const one of [visit(1, { ...seen, status: 404 }), visit(1, { ...seen, status: null, capture: null })]) {
    const { seenAt, changedAt, digest, etag } = historyOf(one);
    assert.deepEqual([seenAt, changedAt, digest, etag], [null, null, null, null]);
  }
});

it("is what the record carries, where it carries one", () => {
  const history = { ...historyOf(visit(1, seen)), checks: 3, unread: 2 };
  assert.equal(historyOf(visit(1, { ...seen, history })), history);
});
