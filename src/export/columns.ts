/** What a row of an export says of a URL: the one table behind JSON lines, CSV and their documentation. */
import type { Instant } from "../base/clock.ts";
import type { UrlRecord } from "../model/record.ts";

export type Cell = string | number | boolean | null;

export interface Column {
  readonly name: string;
  readonly says: string;
  readonly of: (record: UrlRecord) => Cell;
}

const date = (at: Instant): string => new Date(at).toISOString();

export const columns = [
  { name: "id", says: "number of the URL in the crawl, in order of admission", of: (r) => r.id },
  { name: "url", says: "the URL as found, without fragment", of: (r) => r.href },
  { name: "host", says: "scheme://name:port", of: (r) => r.host },
  { name: "state", says: "queued, leased, delayed or ended", of: (r) => r.state },
  {
    name: "end",
    says: "how it ended; of one that has not, what its latest attempt came to (retry, follow)",
    of: (r) => r.visit?.end ?? null,
  },
  { name: "detail", says: "more about the end: the rule, the system's error code", of: (r) => r.visit?.detail ?? null },
  { name: "status", says: "HTTP status", of: (r) => r.visit?.status ?? null },
  { name: "content_type", says: "media type as declared", of: (r) => r.visit?.contentType || null },
  { name: "media_type", says: "media type after sniffing", of: (r) => r.visit?.page?.mediaType ?? null },
  { name: "charset", says: "encoding of the text (WHATWG name)", of: (r) => r.visit?.page?.charset ?? null },
  {
    name: "bytes",
    says: "length of the body as received",
    of: (r) => (r.visit?.status == null ? null : r.visit.bytes),
  },
  { name: "title", says: "title of the page", of: (r) => r.visit?.page?.title ?? null },
  {
    name: "language",
    says: "language that the page or its Content-Language declares",
    of: (r) => r.visit?.page?.language ?? null,
  },
  { name: "description", says: "meta description", of: (r) => r.visit?.page?.description ?? null },
  { name: "canonical", says: "rel=canonical, absolute", of: (r) => r.visit?.page?.canonical ?? null },
  { name: "noindex", says: "whether the page asks not to be indexed", of: (r) => r.visit?.page?.noindex ?? null },
  {
    name: "nofollow",
    says: "whether the page asks not to follow its links",
    of: (r) => r.visit?.page?.nofollow ?? null,
  },
  { name: "width", says: "of an image, in pixels", of: (r) => r.visit?.page?.width ?? null },
  { name: "height", says: "of an image, in pixels", of: (r) => r.visit?.page?.height ?? null },
  {
    name: "open_graph",
    says: "Open Graph and Twitter card properties as JSON: a list of texts for each",
    of: (r) => r.visit?.page?.openGraph ?? null,
  },
  {
    name: "json_ld",
    says: "JSON-LD blocks as a JSON list; one that is no JSON stands in it as a text",
    of: (r) => r.visit?.page?.jsonLd ?? null,
  },
  { name: "links", says: "links found in it, before any filter", of: (r) => r.visit?.page?.linksFound ?? null },
  {
    name: "read_error",
    says: "why its body could not be decoded, or read, to the end",
    of: (r) => r.visit?.page?.readError ?? null,
  },
  { name: "redirect_to", says: "where it redirects to", of: (r) => r.visit?.redirectTo ?? null },
  { name: "depth", says: "links from a seed", of: (r) => r.depth },
  {
    name: "source",
    says: "how it was found: seed, added, link, embed, redirect, sitemap, listed or imported",
    of: (r) => r.source,
  },
  { name: "via", says: "id of the URL where it was found", of: (r) => r.via || null },
  { name: "attempt", says: "number of the latest attempt", of: (r) => r.visit?.attempt ?? null },
  { name: "admitted_at", says: "when it was admitted to the crawl (ISO 8601, UTC)", of: (r) => date(r.admittedAt) },
  {
    name: "fetched_at",
    says: "when the latest request began; empty when none was made",
    of: (r) => (r.visit?.address == null ? null : date(r.visit.startedAt)),
  },
  {
    name: "fetch_ms",
    says: "how long that request took",
    of: (r) => (r.visit?.address == null ? null : Math.round(r.visit.endedAt - r.visit.startedAt)),
  },
  { name: "address", says: "IP address connected to; empty for a file", of: (r) => r.visit?.address ?? null },
  { name: "etag", says: "ETag as received", of: (r) => r.visit?.etag ?? null },
  { name: "last_modified", says: "Last-Modified as received", of: (r) => r.visit?.lastModified ?? null },
  { name: "robots_id", says: "number of the robots.txt copy in force", of: (r) => r.visit?.robotsId || null },
  {
    name: "duplicate_of",
    says: "id of the URL that had the same body before, to the byte",
    of: (r) => r.visit?.duplicateOf ?? null,
  },
  {
    name: "near_duplicate_of",
    says: "id of the URL that had nearly the same text before",
    of: (r) => r.visit?.nearDuplicateOf ?? null,
  },
  {
    name: "simhash",
    says: "SimHash of the visible text, hexadecimal; null where there is too little",
    of: (r) => r.visit?.page?.simhash ?? null,
  },
  { name: "digest", says: "sha1:BASE32 of the body as archived", of: (r) => r.visit?.capture?.digest ?? null },
  {
    name: "truncated",
    says: "why the archived body is cut: length, time, disconnect, unspecified",
    of: (r) => r.visit?.capture?.truncated ?? null,
  },
  { name: "warc_file", says: "file in archive/ that holds it", of: (r) => r.visit?.capture?.response.file ?? null },
  { name: "warc_offset", says: "offset of its response record", of: (r) => r.visit?.capture?.response.offset ?? null },
  { name: "warc_length", says: "bytes of that record", of: (r) => r.visit?.capture?.response.length ?? null },
  {
    name: "revisit_of",
    says: "id of the URL whose capture of the same digest holds the body; null when that record does",
    of: (r) => r.visit?.capture?.revisitOf ?? null,
  },
] as const satisfies readonly Column[];
