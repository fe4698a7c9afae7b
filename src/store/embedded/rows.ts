/** Records to rows and back. The order of values is that of the statements made here. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import type { Capture, Truncation } from "../../model/capture.ts";
import type { History } from "../../model/history.ts";
import type { HostAgain, HostDeath, HostKey, HostLessons, HostState } from "../../model/host.ts";
import type { UrlSource } from "../../model/link.ts";
import type { PageInfo } from "../../model/page.ts";
import type { UrlRecord, VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import { VISIT_COLUMNS } from "./schema.ts";
import { HOST_COLUMNS } from "./views.ts";

/** A row as node:sqlite gives it; the schema is STRICT, so that a column's type can be relied on. */
export type Row = Record<string, SQLOutputValue>;

const marks = (count: number): string => Array(count).fill("?").join(", ");

export const INSERT_VISIT = `INSERT INTO visit (${VISIT_COLUMNS.join(", ")}) VALUES (${marks(VISIT_COLUMNS.length)})`;
/** Values of a row of url. */
export const URL_WIDTH = 9;
/** FAIL: a row that cannot go in breaks off the whole transaction, so that no statement need keep an undo log of its own. */
export const insertUrls = (rows: number): string =>
  `INSERT OR FAIL INTO url VALUES ${Array(rows)
    .fill(`(${marks(URL_WIDTH)})`)
    .join(", ")}`;
export type LeasedRow = [
  id: number,
  href: Href,
  depth: number,
  hops: number,
  via: number,
  source: UrlSource,
  priority: number,
  admittedAt: Instant,
];
/** What a lease needs of a row of url: a `LeasedRow`. */
const SELECT_URL = "SELECT id, href, depth, hops, via, source, priority, admitted_at FROM url WHERE id = ?";
/** In the order asked for. (`IN` would make a table of its own of the ids, in a file in memory, each time.) */
export const selectUrls = (rows: number): string => Array(rows).fill(SELECT_URL).join(" UNION ALL ");
export const INSERT_HOST_CHANGE = `INSERT INTO host_change (host_id, ${HOST_COLUMNS.join(", ")})
  VALUES (${marks(HOST_COLUMNS.length + 1)})`;
/** Takes the same values. */
export const UPDATE_HOST = `UPDATE host SET ${HOST_COLUMNS.map((name, nth) => `${name} = ?${nth + 2}`).join(", ")}
  WHERE id = ?1`;
export const INSERT_ROBOTS = `INSERT INTO robots (host_id, fetched_at, expires_at, access, status, failure, body, href,
  file, offset, length, captured_at, digest, truncated) VALUES (${marks(14)})`;

export function visitValues(visit: VisitRecord): SQLInputValue[] {
  return [
    visit.urlId,
    visit.href,
    visit.end,
    visit.detail,
    visit.attempt,
    visit.startedAt,
    visit.endedAt,
    visit.status,
    visit.contentType,
    visit.bytes,
    visit.address,
    visit.redirectTo,
    visit.etag,
    visit.lastModified,
    visit.robotsId,
    ...captureValues(visit.capture),
    ...pageValues(visit.page),
    visit.duplicateOf,
    visit.nearDuplicateOf,
    visit.capture?.revisitOf ?? null,
    visit.history === null ? null : JSON.stringify(visit.history),
  ];
}

export function visitOf(row: Row): VisitRecord {
  return {
    urlId: row.url_id as number,
    href: row.href as Href,
    end: row.end as VisitRecord["end"],
    detail: row.detail as string | null,
    attempt: row.attempt as number,
    startedAt: row.started_at as Instant,
    endedAt: row.ended_at as Instant,
    status: row.status as number | null,
    contentType: row.content_type as string | null,
    bytes: row.bytes as number,
    address: row.address as string | null,
    redirectTo: row.redirect_to as Href | null,
    etag: row.etag as string | null,
    lastModified: row.last_modified as string | null,
    robotsId: row.robots_id as number,
    capture: captureOf(row),
    page: pageOf(row),
    duplicateOf: row.duplicate_of as number | null,
    nearDuplicateOf: row.near_duplicate_of as number | null,
    history: typeof row.history === "string" ? (JSON.parse(row.history) as History) : null,
  };
}

/** `row`: of table url, with the host's name as `host` and the time of table due as `due_at`. */
export function urlOf(row: Row, state: UrlRecord["state"], visit: VisitRecord | null): UrlRecord {
  return {
    id: row.id as number,
    href: row.href as Href,
    host: row.host as HostKey,
    depth: row.depth as number,
    hops: row.hops as number,
    via: row.via as number,
    source: row.source as UrlSource,
    priority: row.priority as number,
    admittedAt: row.admitted_at as Instant,
    state,
    dueAt: row.due_at as Instant | null,
    visit,
  };
}

export function hostValues(id: number, dueAt: Instant, state: HostState | null): SQLInputValue[] {
  if (state === null) return [id, dueAt, null, null, null, null, null, null, null, null, null, null, null];
  const { readyAt, delayUntil, backoffUntil, backoffSteps, slowed, smoothedMs, address, requests, dead } = state;
  const { again, lessons } = state;
  return [
    id,
    dueAt,
    readyAt,
    delayUntil,
    backoffUntil,
    backoffSteps,
    Number(slowed),
    smoothedMs,
    address,
    requests,
    dead,
    again === null ? null : JSON.stringify(again),
    lessons === null ? null : JSON.stringify(lessons),
  ];
}

/** `row`: of view hosts, or of table host when nothing waits in host_change. */
export function hostStateOf(row: Row): HostState | null {
  if (row.ready_at === null) return null;
  return {
    host: row.name as HostKey,
    readyAt: row.ready_at as Instant,
    delayUntil: row.delay_until as Instant,
    backoffUntil: row.backoff_until as Instant,
    backoffSteps: row.backoff_steps as number,
    slowed: row.slowed === 1,
    smoothedMs: row.smoothed_ms as number,
    address: row.address as string | null,
    requests: row.requests as number,
    dead: row.dead as HostDeath | null,
    again: typeof row.again === "string" ? (JSON.parse(row.again) as HostAgain) : null,
    lessons: typeof row.lessons === "string" ? (JSON.parse(row.lessons) as HostLessons) : null,
  };
}

export function robotsValues(hostId: number, copy: RobotsCopy): SQLInputValue[] {
  const { fetchedAt, expiresAt, access, status, failure, body, href, capture } = copy;
  return [hostId, fetchedAt, expiresAt, access, status, failure, body, href, ...captureValues(capture)];
}

/** `row`: of table robots, with the host's name as `host`. */
export function robotsOf(row: Row): RobotsCopy {
  return {
    id: row.id as number,
    host: row.host as HostKey,
    fetchedAt: row.fetched_at as Instant,
    expiresAt: row.expires_at as Instant,
    access: row.access as RobotsCopy["access"],
    status: row.status as number,
    failure: row.failure as string | null,
    body: row.body as string,
    href: row.href as Href,
    capture: captureOf(row),
  };
}

export const INSERT_REQUEST = `INSERT INTO request (host_id, href, address, started_at, ended_at, status)
  VALUES (${marks(6)})`;

export function requestValues(hostId: number, request: RequestRecord): SQLInputValue[] {
  const { href, address, startedAt, endedAt, status } = request;
  return [hostId, href, address, startedAt, endedAt, status];
}

/** `row`: of view requests, with the host's name as `host`. */
export function requestOf(row: Row): RequestRecord {
  return {
    host: row.host as HostKey,
    href: row.href as Href,
    address: row.address as string,
    startedAt: row.started_at as Instant,
    endedAt: row.ended_at as Instant,
    status: row.status as number | null,
  };
}

/** Columns file, offset, length, captured_at, digest, truncated. */
function captureValues(capture: Capture | null): SQLInputValue[] {
  if (capture === null) return [null, null, null, null, null, null];
  const { response, at, digest, truncated } = capture;
  return [response.file, response.offset, response.length, at, digest, truncated];
}

function captureOf(row: Row): Capture | null {
  if (row.file === null) return null;
  return {
    response: { file: row.file as string, offset: row.offset as number, length: row.length as number },
    at: row.captured_at as Instant,
    digest: row.digest as string,
    truncated: row.truncated as Truncation | null,
    ...(typeof row.revisit_of === "number" ? { revisitOf: row.revisit_of } : {}),
  };
}

const NO_PAGE: null[] = Array(VISIT_COLUMNS.indexOf("duplicate_of") - VISIT_COLUMNS.indexOf("media_type")).fill(null);

/** Columns media_type to simhash. */
function pageValues(page: PageInfo | null): SQLInputValue[] {
  if (page === null) return NO_PAGE;
  const { mediaType, charset, title, language, description, canonical, noindex, nofollow, handler } = page;
  return [
    mediaType,
    charset,
    title,
    language,
    description,
    canonical,
    Number(noindex),
    Number(nofollow),
    handler,
    page.width,
    page.height,
    page.openGraph,
    page.jsonLd,
    page.linksFound,
    page.readError,
    page.simhash,
  ];
}

function pageOf(row: Row): PageInfo | null {
  if (row.media_type === null) return null;
  return {
    mediaType: row.media_type as string,
    charset: row.charset as string | null,
    title: row.title as string | null,
    language: row.language as string | null,
    description: row.description as string | null,
    canonical: row.canonical as string | null,
    noindex: row.noindex === 1,
    nofollow: row.nofollow === 1,
    handler: row.handler as string | null,
    width: row.width as number | null,
    height: row.height as number | null,
    openGraph: row.open_graph as string | null,
    jsonLd: row.json_ld as string | null,
    linksFound: row.links_found as number,
    readError: row.read_error as string | null,
    simhash: row.simhash as string | null,
  };
}
