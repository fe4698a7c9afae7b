/**
 * Parquet: a row a URL, for DuckDB, Spark, pandas. Columns that Common Crawl's index has too bear its names
 * (https://commoncrawl.org/columnar-index), so that queries written for it work here; those of our own follow.
 */
import type { Stream } from "../base/streamed.ts";
import type { UrlRecord, VisitRecord } from "../model/record.ts";
import { column, type ParquetColumn, type ParquetLimits, tableChunks } from "./parquet-table.ts";

/** What the names of hosts mean is not known here. */
export interface HostNames {
  /** The sort-friendly form by which archives are indexed. */
  surt(href: string): string;
  /** The registrable domain, by the registries' suffixes alone. */
  registryDomain(hostname: string): string;
  /** The registrable domain, private suffixes (github.io) counted too. */
  privateDomain(hostname: string): string;
}

interface Row {
  readonly record: UrlRecord;
  readonly visit: VisitRecord | null;
  readonly url: URL;
  readonly names: HostNames;
}

/** An address has no top-level domain. */
function topLevelDomain(hostname: string): string | null {
  const last = hostname.slice(hostname.lastIndexOf(".") + 1);
  return last === "" || last.endsWith("]") || /^\d+$/.test(last) ? null : last;
}

export const parquetColumns: readonly ParquetColumn<Row>[] = [
  column("url_surtkey", "text", ({ record, names }) => names.surt(record.href)),
  column("url", "text", ({ record }) => record.href),
  column("url_host_name", "text", ({ url }) => url.hostname),
  column("url_host_tld", "text", ({ url }) => topLevelDomain(url.hostname)),
  column("url_host_registered_domain", "text", ({ url, names }) => names.registryDomain(url.hostname)),
  column("url_host_private_domain", "text", ({ url, names }) => names.privateDomain(url.hostname)),
  column("url_protocol", "text", ({ url }) => url.protocol.slice(0, -1)),
  column("url_port", "int", ({ url }) => (url.port === "" ? null : Number(url.port))),
  column("url_path", "text", ({ url }) => url.pathname),
  column("url_query", "text", ({ url }) => (url.search === "" ? null : url.search.slice(1))),
  column("fetch_time", "time", ({ visit }) => (visit?.address == null ? null : visit.startedAt)),
  column("fetch_status", "int", ({ visit }) => visit?.status ?? null),
  column("fetch_redirect", "text", ({ visit }) => visit?.redirectTo ?? null),
  column("content_digest", "text", ({ visit }) => visit?.capture?.digest.replace(/^sha1:/, "") ?? null),
  column("content_mime_type", "text", ({ visit }) => visit?.contentType || null),
  column("content_mime_detected", "text", ({ visit }) => visit?.page?.mediaType ?? null),
  column("content_charset", "text", ({ visit }) => visit?.page?.charset ?? null),
  column("content_truncated", "text", ({ visit }) => visit?.capture?.truncated ?? null),
  column("warc_filename", "text", ({ visit }) => visit?.capture?.response.file ?? null),
  column("warc_record_offset", "long", ({ visit }) => visit?.capture?.response.offset ?? null),
  column("warc_record_length", "long", ({ visit }) => visit?.capture?.response.length ?? null),

  column("id", "long", ({ record }) => record.id),
  column("state", "text", ({ record }) => record.state),
  column("end", "text", ({ visit }) => visit?.end ?? null),
  column("detail", "text", ({ visit }) => visit?.detail ?? null),
  column("bytes", "long", ({ visit }) => (visit?.status == null ? null : visit.bytes)),
  column("title", "text", ({ visit }) => visit?.page?.title ?? null),
  column("language", "text", ({ visit }) => visit?.page?.language ?? null),
  column("description", "text", ({ visit }) => visit?.page?.description ?? null),
  column("canonical", "text", ({ visit }) => visit?.page?.canonical ?? null),
  column("noindex", "flag", ({ visit }) => visit?.page?.noindex ?? null),
  column("nofollow", "flag", ({ visit }) => visit?.page?.nofollow ?? null),
  column("width", "long", ({ visit }) => visit?.page?.width ?? null),
  column("height", "long", ({ visit }) => visit?.page?.height ?? null),
  column("open_graph", "text", ({ visit }) => visit?.page?.openGraph ?? null),
  column("json_ld", "text", ({ visit }) => visit?.page?.jsonLd ?? null),
  column("links", "int", ({ visit }) => visit?.page?.linksFound ?? null),
  column("read_error", "text", ({ visit }) => visit?.page?.readError ?? null),
  column("depth", "int", ({ record }) => record.depth),
  column("source", "text", ({ record }) => record.source),
  column("via", "long", ({ record }) => record.via || null),
  column("attempt", "int", ({ visit }) => visit?.attempt ?? null),
  column("admitted_at", "time", ({ record }) => record.admittedAt),
  column("fetch_ms", "int", ({ visit }) =>
    visit?.address == null ? null : Math.round(visit.endedAt - visit.startedAt),
  ),
  column("address", "text", ({ visit }) => visit?.address ?? null),
  column("etag", "text", ({ visit }) => visit?.etag ?? null),
  column("last_modified", "text", ({ visit }) => visit?.lastModified ?? null),
  column("robots_id", "int", ({ visit }) => visit?.robotsId || null),
  column("duplicate_of", "long", ({ visit }) => visit?.duplicateOf ?? null),
  column("near_duplicate_of", "long", ({ visit }) => visit?.nearDuplicateOf ?? null),
  column("revisit_of", "long", ({ visit }) => visit?.capture?.revisitOf ?? null),
];

/** The file in pieces, one for each group of rows and one for its end. */
export function parquetChunks(
  records: Stream<UrlRecord>,
  names: HostNames,
  limits?: ParquetLimits,
): AsyncGenerator<Uint8Array> {
  return tableChunks(parquetColumns, rowsOf(records, names), limits);
}

async function* rowsOf(records: Stream<UrlRecord>, names: HostNames): AsyncGenerator<Row> {
  for await (const record of records) yield { record, visit: record.visit, url: new URL(record.href), names };
}
