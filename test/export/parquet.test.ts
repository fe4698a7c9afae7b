/** Read back by two readers that are not ours: hyparquet, and DuckDB by SQL. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { replaceFile } from "../../src/base/replace-file.ts";
import { parquetChunks, parquetColumns } from "../../src/export/parquet.ts";
import type { HostKey } from "../../src/model/host.ts";
import type { UrlRecord } from "../../src/model/record.ts";
import type { Href } from "../../src/model/url.ts";
import { registrableDomain, registryDomain } from "../../src/policy/url-key.ts";
import { surt } from "../../src/warc/surt.ts";
import { dropped, fetched, queued } from "./records.ts";

const NAMES = { surt, registryDomain, privateDomain: registrableDomain };

const at = (href: string, record: UrlRecord): UrlRecord => ({
  ...record,
  href: href as Href,
  host: new URL(href).origin as HostKey,
});

const ROWS = [
  at("https://www.shop.example.co.uk:8443/a/b?x=1&y=2", fetched("Crème brûlée")),
  at("http://me.github.io/", fetched("two")),
  at("http://192.0.2.7/", dropped()),
  at("http://[2001:db8::1]/", queued),
];

describe("a Parquet export", () => {
  let dir: string;
  let path: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "trawl-parquet-"));
    path = join(dir, "pages.parquet");
    await replaceFile(path, parquetChunks(ROWS, NAMES, { rowsAGroup: 3 }));
  });
  after(() => rm(dir, { recursive: true }));

  it("has every column in every row, nulls where there is nothing to say", async () => {
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
    assert.equal(rows.length, 4);
    assert.deepEqual(
      Object.keys(rows[0]!),
      parquetColumns.map(({ name }) => name),
    );
    const [first, second, third, fourth] = rows as [Row, Row, Row, Row];
    const { visit } = ROWS[0]!;
    assert.equal(first.url, ROWS[0]!.href);
    assert.equal(first.url_surtkey, "uk,co,example,shop:8443)/a/b?x=1&y=2");
    assert.deepEqual(
      [first.url_host_name, first.url_host_tld, first.url_host_registered_domain, first.url_port],
      ["www.shop.example.co.uk", "uk", "example.co.uk", 8443],
    );
    assert.deepEqual([first.url_path, first.url_query, first.url_protocol], ["/a/b", "x=1&y=2", "https"]);
    assert.equal(first.title, "Crème brûlée");
    assert.deepEqual(first.fetch_time, new Date(Math.floor(visit!.startedAt)));
    assert.equal(first.fetch_status, visit!.status);
    assert.equal(first.content_digest, visit!.capture!.digest.slice("sha1:".length));
    assert.equal(first.warc_record_offset, BigInt(visit!.capture!.response.offset));
    assert.deepEqual(
      [second.url_host_registered_domain, second.url_host_private_domain],
      ["github.io", "me.github.io"],
    );
    assert.deepEqual([third.url_host_tld, third.url_host_registered_domain], [null, "192.0.2.7"]);
    assert.deepEqual([fourth.url_host_tld, fourth.fetch_time, fourth.fetch_status], [null, null, null]);
  });

  it("is in groups of rows, each of which can be skipped", async () => {
    const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    assert.deepEqual(
      row_groups.map(({ num_rows }) => Number(num_rows)),
      [3, 1],
    );
  });

  it("answers in DuckDB: pages by status by host", async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const sql = `SELECT url_host_name, fetch_status, count(*)::INT AS n, min(fetch_time)::VARCHAR AS first
      FROM '${path}' GROUP BY ALL ORDER BY url_host_name`;
    const answer = await connection.runAndReadAll(sql);
    const time = (record: UrlRecord) => new Date(Math.floor(record.visit!.startedAt)).toISOString().replace("T", " ");
    const shown = answer
      .getRows()
      .map((row) => [...row.slice(0, 3), row[3] === null ? null : String(row[3]).slice(0, 19)]);
    assert.deepEqual(shown, [
      ["192.0.2.7", null, 1, null],
      ["[2001:db8::1]", null, 1, null],
      ["me.github.io", 200, 1, time(ROWS[1]!).slice(0, 19)],
      ["www.shop.example.co.uk", 200, 1, time(ROWS[0]!).slice(0, 19)],
    ]);
    connection.closeSync();
    instance.closeSync();
  });

  it("is a file that readers open also when it has no row", async () => {
    const empty = join(dir, "empty.parquet");
    await replaceFile(empty, parquetChunks([], NAMES));
    assert.deepEqual(await parquetReadObjects({ file: await asyncBufferFromFile(empty) }), []);
  });
});

type Row = Record<string, unknown>;
