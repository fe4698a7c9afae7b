import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { columns } from "../../src/export/columns.ts";
import { pageLine } from "../../src/export/jsonl.ts";
import { dropped, fetched, queued } from "./records.ts";

describe("a page's JSON line", () => {
  it("says what was fetched, when, and where it is kept", () => {
    assert.deepEqual(JSON.parse(pageLine(fetched())), {
      id: 1,
      url: "http://a.test/",
      host: "http://a.test",
      state: "ended",
      end: "fetched",
      detail: null,
      status: 200,
      content_type: "text/html",
      media_type: "text/html",
      charset: "UTF-8",
      bytes: 1234,
      title: "A",
      language: "en",
      description: null,
      canonical: null,
      noindex: false,
      nofollow: true,
      width: null,
      height: null,
      open_graph: null,
      json_ld: null,
      links: 12,
      read_error: null,
      redirect_to: null,
      depth: 0,
      source: "seed",
      via: null,
      attempt: 1,
      admitted_at: "2026-11-30T12:00:00.000Z",
      fetched_at: "2026-11-30T12:00:01.000Z",
      fetch_ms: 25,
      address: "192.0.2.7",
      etag: '"abc"',
      last_modified: null,
      robots_id: 4,
      duplicate_of: null,
      near_duplicate_of: null,
      simhash: "0123456789abcdef",
      digest: "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
      truncated: null,
      warc_file: "x.warc.gz",
      warc_offset: 333,
      warc_length: 1043,
      revisit_of: null,
    });
  });

  it("claims no request where none was made", () => {
    for (const record of [queued, dropped()]) {
      const row = JSON.parse(pageLine(record));
      assert.deepEqual(
        [row.status, row.bytes, row.fetched_at, row.fetch_ms, row.warc_file],
        [null, null, null, null, null],
      );
    }
    assert.equal(JSON.parse(pageLine(dropped())).end, "robots");
    assert.equal(JSON.parse(pageLine(queued)).end, null);
  });

  it("has every column, whatever the state", () => {
    const names = columns.map(({ name }) => name);
    for (const record of [queued, dropped(), fetched()]) {
      assert.deepEqual(Object.keys(JSON.parse(pageLine(record))), names);
    }
  });

  it("is one line that gives any title back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (title) => {
        const line = pageLine(fetched(title));
        assert.equal(line.indexOf("\n"), line.length - 1);
        assert.equal(JSON.parse(line).title, title);
      }),
    );
  });
});
