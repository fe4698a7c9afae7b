/** Questions to the tables. The writer and a reader beside it ask the same ones; only what is pending they know differently. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { UrlName } from "../../model/link.ts";
import type { KnownContent, UrlRecord, VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import type { Due } from "../../ports/revisits.ts";
import { fingerprintOf } from "./journal.ts";
import { hostStateOf, type Row, requestOf, robotsOf, urlOf, visitOf } from "./rows.ts";

/** Rows read at a time: no cursor stays open while the crawl goes on. */
const PAGE = 500;

/** `comesBack`: it had ended, and is pending again. */
export type StateOf = (id: number, visit: VisitRecord | null, comesBack: boolean) => UrlRecord["state"];

const URL = `SELECT url.*, host.name AS host, due.at AS due_at, revisit.url_id IS NOT NULL AS comes_back FROM url
  JOIN host ON host.id = url.host_id
  LEFT JOIN due ON due.url_id = url.id
  LEFT JOIN revisit ON revisit.url_id = url.id`;
/** The ids of a URL's visits, the latest first. */
const LATEST = "SELECT visit_id FROM visit_of WHERE url_id = ? ORDER BY visit_id DESC";

export class Queries {
  readonly #stateOf: StateOf;
  readonly #host: StatementSync;
  readonly #robots: StatementSync;
  readonly #robotsReached: StatementSync;
  readonly #db: DatabaseSync;
  readonly #url: StatementSync;
  readonly #lastVisit: StatementSync;
  readonly #latest: StatementSync;
  readonly #visit: StatementSync;
  readonly #due: StatementSync;
  readonly #dueCount: StatementSync;
  readonly #nextDue: StatementSync;
  readonly #urlPage: StatementSync;
  readonly #visitPage: StatementSync;
  readonly #capturePage: StatementSync;
  readonly #contentPage: StatementSync;
  readonly #visits: StatementSync;
  readonly #robotsPage: StatementSync;
  readonly #requests: StatementSync;
  readonly #endedAs: StatementSync;
  readonly #marks: StatementSync;
  readonly #fact: StatementSync;
  readonly #topHosts: StatementSync;

  constructor(db: DatabaseSync, stateOf: StateOf) {
    this.#stateOf = stateOf;
    this.#db = db;
    this.#host = db.prepare("SELECT * FROM hosts WHERE name = ?");
    this.#robots = db.prepare(
      `SELECT robots.*, host.name AS host FROM robots JOIN host ON host.id = robots.host_id
       WHERE host.name = ? ORDER BY robots.id DESC LIMIT 1`,
    );
    this.#robotsReached = db.prepare(
      `SELECT robots.*, host.name AS host FROM robots JOIN host ON host.id = robots.host_id
       WHERE host.name = ? AND access <> 'unreachable' ORDER BY robots.id DESC LIMIT 1`,
    );
    this.#url = db.prepare(`${URL} WHERE url.id = ?`);
    this.#lastVisit = db.prepare(`SELECT * FROM visit WHERE id = (${LATEST} LIMIT 1)`);
    this.#latest = db.prepare(LATEST);
    this.#visit = db.prepare("SELECT * FROM visit WHERE id = ?");
    this.#due = db.prepare("SELECT url_id, at FROM due WHERE at <= ? ORDER BY at, url_id LIMIT ?");
    this.#dueCount = db.prepare("SELECT count(*) AS n FROM due WHERE at <= ?");
    this.#nextDue = db.prepare("SELECT min(at) AS at FROM due");
    this.#urlPage = db.prepare(`${URL} WHERE url.id > ? ORDER BY url.id LIMIT ${PAGE}`);
    this.#visitPage = db.prepare(
      "SELECT * FROM visit WHERE id IN (SELECT max(visit_id) FROM visit_of WHERE url_id BETWEEN ? AND ? GROUP BY url_id)",
    );
    this.#capturePage = db.prepare(`SELECT * FROM visit WHERE id > ? AND file IS NOT NULL ORDER BY id LIMIT ${PAGE}`);
    this.#contentPage = db.prepare(`SELECT id, url_id, digest, simhash, near_duplicate_of FROM visit
      WHERE id > ? AND end = 'fetched' AND media_type IS NOT NULL AND bytes > 0 AND file IS NOT NULL
        AND truncated IS NULL AND duplicate_of IS NULL AND (history IS NULL OR json_extract(history, '$.checks') = 0)
      ORDER BY id LIMIT ${PAGE}`);
    this.#visits = db.prepare(
      "SELECT * FROM visit WHERE id IN (SELECT visit_id FROM visit_of WHERE url_id = ?) ORDER BY id",
    );
    this.#robotsPage = db.prepare(
      `SELECT robots.*, host.name AS host FROM robots JOIN host ON host.id = robots.host_id
       WHERE robots.id > ? ORDER BY robots.id LIMIT ${PAGE}`,
    );
    this.#endedAs = db.prepare(`SELECT href, detail FROM visit WHERE end = ?
      AND id = (SELECT visit_id FROM visit_of WHERE url_id = visit.url_id ORDER BY visit_id DESC LIMIT 1)
      AND NOT EXISTS (SELECT 1 FROM revisit WHERE revisit.url_id = visit.url_id)
      ORDER BY id`);
    this.#requests = db.prepare(
      "SELECT requests.*, host.name AS host FROM requests JOIN host ON host.id = requests.host_id ORDER BY started_at",
    );
    this.#marks = db.prepare("SELECT file, bytes FROM mark");
    this.#fact = db.prepare("SELECT value FROM fact WHERE name = ?");
    this.#topHosts = db.prepare(
      "SELECT id, name AS host, coalesce(requests, 0) AS requests FROM hosts ORDER BY coalesce(requests, 0) DESC, id LIMIT ?",
    );
  }

  host(host: HostKey): HostState | null {
    const row = this.#host.get(host);
    return row === undefined ? null : hostStateOf(row);
  }

  robots(host: HostKey): RobotsCopy | null {
    const row = this.#robots.get(host);
    return row === undefined ? null : robotsOf(row);
  }

  robotsReached(host: HostKey): RobotsCopy | null {
    const row = this.#robotsReached.get(host);
    return row === undefined ? null : robotsOf(row);
  }

  byId(id: number): UrlRecord | null {
    const row = this.#url.get(id);
    if (row === undefined) return null;
    const last = this.#lastVisit.get(id);
    return this.#recordOf(row, last === undefined ? null : visitOf(last));
  }

  nameOf(id: number): UrlName | null {
    const row = this.#url.get(id);
    if (row === undefined) return null;
    const [fpHi, fpLo] = fingerprintOf(this.#db, id);
    return { host: row.host as HostKey, fpHi, fpLo };
  }

  /** The latest record with which a URL has ended. */
  lastEnd(id: number): VisitRecord | null {
    for (const { visit_id } of this.#latest.iterate(id)) {
      const visit = visitOf(this.#visit.get(visit_id as number)!);
      if (visit.end !== "retry" && visit.end !== "follow") return visit;
    }
    return null;
  }

  due(until: Instant, max: number): Due[] {
    return this.#due.all(until, max).map(({ url_id, at }) => ({ id: url_id as number, dueAt: at as Instant }));
  }

  dueCount(until: Instant): number {
    return this.#dueCount.get(until)!.n as number;
  }

  nextDueAt(): Instant | null {
    return this.#nextDue.get()!.at as Instant | null;
  }

  *urls({ endedOnly = false, afterId = 0 } = {}): IterableIterator<UrlRecord> {
    for (let after = afterId; ; ) {
      const rows = this.#urlPage.all(after);
      if (rows.length === 0) return;
      const last = rows.at(-1)!.id as number;
      const visits = new Map<number, VisitRecord>();
      for (const row of this.#visitPage.all(rows[0]!.id!, last)) visits.set(row.url_id as number, visitOf(row));
      for (const row of rows) {
        const record = this.#recordOf(row, visits.get(row.id as number) ?? null);
        if (record.state === "ended" || !endedOnly) yield record;
      }
      after = last;
    }
  }

  *captures(): IterableIterator<VisitRecord> {
    for (let after = 0; ; ) {
      const rows = this.#capturePage.all(after);
      if (rows.length === 0) return;
      for (const row of rows) yield visitOf(row);
      after = rows.at(-1)!.id as number;
    }
  }

  *contents(): IterableIterator<KnownContent> {
    for (let after = 0; ; ) {
      const rows = this.#contentPage.all(after);
      if (rows.length === 0) return;
      for (const { url_id, digest, simhash, near_duplicate_of } of rows)
        yield {
          urlId: url_id as number,
          digest: digest as string,
          simhash: near_duplicate_of === null ? (simhash as string | null) : null,
        };
      after = rows.at(-1)!.id as number;
    }
  }

  *endedAs(end: EndReason): IterableIterator<{ href: Href; detail: string | null }> {
    for (const { href, detail } of this.#endedAs.iterate(end))
      yield { href: href as Href, detail: detail as string | null };
  }

  visitsOf(urlId: number): VisitRecord[] {
    return this.#visits.all(urlId).map(visitOf);
  }

  *robotsCopies(): IterableIterator<RobotsCopy> {
    for (let after = 0; ; ) {
      const rows = this.#robotsPage.all(after);
      if (rows.length === 0) return;
      for (const row of rows) yield robotsOf(row);
      after = rows.at(-1)!.id as number;
    }
  }

  /** One cursor: what is committed meanwhile waits in the writer's log. */
  *requests(): IterableIterator<RequestRecord> {
    for (const row of this.#requests.iterate()) yield requestOf(row);
  }

  marks(): Map<string, number> {
    return new Map(this.#marks.all().map(({ file, bytes }) => [file as string, bytes as number]));
  }

  fact(name: string): string | null {
    return (this.#fact.get(name)?.value as string | undefined) ?? null;
  }

  topHosts(n: number): { id: number; host: HostKey; requests: number }[] {
    return this.#topHosts
      .all(n)
      .map(({ id, host, requests }) => ({ id: id as number, host: host as HostKey, requests: requests as number }));
  }

  #recordOf(row: Row, visit: VisitRecord | null): UrlRecord {
    return urlOf(row, this.#stateOf(row.id as number, visit, row.comes_back === 1), visit);
  }
}
