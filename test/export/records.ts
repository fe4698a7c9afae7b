/** Rows for the export's tests. */
import type { HostKey } from "../../src/model/host.ts";
import type { UrlRecord, VisitRecord } from "../../src/model/record.ts";
import type { Href } from "../../src/model/url.ts";

const AT = Date.UTC(2026, 10, 30, 12);

export const queued: UrlRecord = {
  id: 2,
  href: "http://a.test/b" as Href,
  host: "http://a.test" as HostKey,
  depth: 1,
  hops: 0,
  via: 1,
  source: "link",
  priority: 3,
  admittedAt: AT,
  state: "queued",
  dueAt: null,
  visit: null,
};

const visit: VisitRecord = {
  urlId: 1,
  href: "http://a.test/" as Href,
  end: "fetched",
  detail: null,
  attempt: 1,
  startedAt: AT + 1000,
  endedAt: AT + 1024.6,
  status: 200,
  contentType: "text/html",
  bytes: 1234,
  address: "192.0.2.7",
  redirectTo: null,
  etag: '"abc"',
  lastModified: null,
  robotsId: 4,
  capture: {
    response: { file: "x.warc.gz", offset: 333, length: 1043 },
    at: AT + 1000,
    digest: "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
    truncated: null,
  },
  page: {
    mediaType: "text/html",
    charset: "UTF-8",
    title: "A",
    language: "en",
    description: null,
    canonical: null,
    noindex: false,
    nofollow: true,
    handler: "html",
    width: null,
    height: null,
    openGraph: null,
    jsonLd: null,
    linksFound: 12,
    readError: null,
    simhash: "0123456789abcdef",
  },
  duplicateOf: null,
  nearDuplicateOf: null,
  history: null,
};

export function fetched(title: string | null = "A"): UrlRecord {
  const page = { ...visit.page!, title };
  return {
    ...queued,
    id: 1,
    href: visit.href,
    depth: 0,
    via: 0,
    source: "seed",
    state: "ended",
    visit: { ...visit, page },
  };
}

/** Refused before any request. */
export function dropped(): UrlRecord {
  const none = { status: null, contentType: null, bytes: 0, address: null, capture: null, page: null, etag: null };
  return { ...queued, id: 3, state: "ended", visit: { ...visit, ...none, end: "robots", detail: "Disallow: /b" } };
}
