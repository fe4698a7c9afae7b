/** Records of URLs and visits for tests. */
import type { HostKey } from "../../src/model/host.ts";
import type { UrlRecord, VisitRecord } from "../../src/model/record.ts";
import type { Href } from "../../src/model/url.ts";
import { STARTED } from "./stats.ts";

export function visit(urlId: number, changes: Partial<VisitRecord> = {}): VisitRecord {
  return {
    urlId,
    href: `https://a.test/${urlId}` as Href,
    end: "fetched",
    detail: null,
    attempt: 1,
    startedAt: STARTED,
    endedAt: STARTED + 42,
    status: 200,
    contentType: "text/html",
    bytes: 5_600,
    address: "192.0.2.1",
    redirectTo: null,
    etag: null,
    lastModified: null,
    robotsId: 0,
    capture: null,
    page: null,
    duplicateOf: null,
    nearDuplicateOf: null,
    history: null,
    ...changes,
  };
}

export function record(id: number, changes: Partial<UrlRecord> = {}): UrlRecord {
  return {
    id,
    href: `https://a.test/${id}` as Href,
    host: "https://a.test" as HostKey,
    depth: 1,
    hops: 0,
    via: 0,
    source: "link",
    priority: 1,
    admittedAt: STARTED,
    state: "ended",
    dueAt: null,
    visit: visit(id),
    ...changes,
  };
}
