/** The statements that change the tables, prepared once, and the transaction around them. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import type { ArchiveMark } from "../../model/capture.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey } from "../../model/host.ts";
import type { NewUrl } from "../../model/link.ts";
import type { VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import type { ChunkStore } from "./queues.ts";
import type { Return } from "./returns.ts";
import {
  INSERT_REQUEST,
  INSERT_ROBOTS,
  INSERT_VISIT,
  insertUrls,
  requestValues,
  robotsValues,
  URL_WIDTH,
  visitValues,
} from "./rows.ts";
import { VisitIndex } from "./visit-index.ts";
import { bytesOf, wordsOf } from "./words.ts";

/** Called with the name of each step between two writes; a test throws or kills there. */
export type Fault = (point: string) => void;

/** One statement for so many rows costs a third less than one for each. */
const URLS_AT_ONCE = 16;

export class Writer implements ChunkStore {
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #findHost: StatementSync;
  readonly #insertHost: StatementSync;
  readonly #insertUrl: StatementSync;
  readonly #insertUrls: StatementSync;
  readonly #updateHref: StatementSync;
  readonly #insertVisit: StatementSync;
  readonly #insertRobots: StatementSync;
  readonly #insertRequest: StatementSync;
  readonly #upsertRetry: StatementSync;
  readonly #deleteRetry: StatementSync;
  readonly #upsertDue: StatementSync;
  readonly #deleteDue: StatementSync;
  readonly #insertReturn: StatementSync;
  readonly #deleteReturn: StatementSync;
  readonly #readReturns: StatementSync;
  readonly #ended: StatementSync;
  readonly #upsertMark: StatementSync;
  readonly #upsertFact: StatementSync;
  readonly #insertChunk: StatementSync;
  readonly #deleteVisit: StatementSync;
  readonly #deleteUrl: StatementSync;
  readonly #readChunk: StatementSync;
  readonly #deleteChunk: StatementSync;
  /** Chunks read into memory since the last transaction: host, priority, seq. Removed in the next. */
  readonly #taken: [number, number, number][] = [];
  /** Rows of url that wait to be many, one value after another; the array is never emptied, only written over. */
  readonly #urlValues: SQLInputValue[] = new Array<SQLInputValue>(URLS_AT_ONCE * URL_WIDTH).fill(0);
  #urlsWaiting = 0;
  readonly #visits: VisitIndex;
  readonly #fault: Fault;

  constructor(db: DatabaseSync, fault: Fault) {
    this.#fault = fault;
    this.#visits = new VisitIndex(db);
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#rollback = db.prepare("ROLLBACK");
    this.#findHost = db.prepare("SELECT id, due_at FROM host WHERE name = ?");
    this.#insertHost = db.prepare("INSERT INTO host (name) VALUES (?)");
    this.#insertUrl = db.prepare(insertUrls(1));
    this.#insertUrls = db.prepare(insertUrls(URLS_AT_ONCE));
    this.#updateHref = db.prepare("UPDATE url SET href = ?, hops = ? WHERE id = ?");
    this.#insertVisit = db.prepare(INSERT_VISIT);
    this.#deleteVisit = db.prepare("DELETE FROM visit WHERE id = ? RETURNING end");
    this.#deleteUrl = db.prepare("DELETE FROM url WHERE id = ?");
    this.#insertRobots = db.prepare(INSERT_ROBOTS);
    this.#insertRequest = db.prepare(INSERT_REQUEST);
    this.#upsertRetry = db.prepare("INSERT OR REPLACE INTO retry (url_id, attempt, at) VALUES (?, ?, ?)");
    this.#deleteRetry = db.prepare("DELETE FROM retry WHERE url_id = ?");
    this.#upsertDue = db.prepare("INSERT OR REPLACE INTO due (url_id, at) VALUES (?, ?)");
    this.#deleteDue = db.prepare("DELETE FROM due WHERE url_id = ?");
    this.#insertReturn = db.prepare(
      "INSERT INTO revisit (url_id, host_id, priority, seq, behind) VALUES (?, ?, ?, ?, ?)",
    );
    this.#deleteReturn = db.prepare("DELETE FROM revisit WHERE url_id = ?");
    this.#readReturns = db.prepare(`SELECT url_id, seq, behind FROM revisit
      WHERE host_id = ? AND priority = ? AND seq > ? AND NOT EXISTS (SELECT 1 FROM retry WHERE retry.url_id = revisit.url_id)
      ORDER BY seq LIMIT ?`);
    this.#ended = db.prepare(`SELECT host.name, visit.end FROM url JOIN host ON host.id = url.host_id
      JOIN visit ON visit.id = (SELECT visit_id FROM visit_of WHERE url_id = url.id ORDER BY visit_id DESC LIMIT 1)
      WHERE url.id = ?`);
    this.#upsertMark = db.prepare("INSERT OR REPLACE INTO mark (file, bytes) VALUES (?, ?)");
    this.#upsertFact = db.prepare("INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)");
    this.#insertChunk = db.prepare("INSERT INTO chunk (host_id, priority, seq, ids) VALUES (?, ?, ?, ?)");
    this.#readChunk = db.prepare("SELECT ids FROM chunk WHERE host_id = ? AND priority = ? AND seq = ?");
    this.#deleteChunk = db.prepare("DELETE FROM chunk WHERE host_id = ? AND priority = ? AND seq = ?");
  }

  /** All that `work` writes, or nothing of it. */
  transaction<T>(work: () => T): T {
    this.#begin.run();
    let open = true;
    try {
      this.#fault("begin");
      // First: a queue that has begun anew may write chunks of the same numbers.
      for (const key of this.#taken) this.#deleteChunk.run(...key);
      this.#taken.length = 0;
      const result = work();
      this.#insertLastUrls();
      this.#visits.update();
      this.#fault("visit index");
      this.#fault("before commit");
      this.#commit.run();
      open = false;
      this.#fault("after commit");
      return result;
    } catch (error) {
      if (open) this.#undo();
      throw error;
    }
  }

  /** The host's id and clock, as they are on disk; made if it is not there. */
  host(name: HostKey): { readonly id: number; readonly dueAt: Instant; readonly isNew: boolean } {
    const row = this.#findHost.get(name);
    if (row !== undefined) return { id: row.id as number, dueAt: row.due_at as number, isNew: false };
    return { id: this.#insertHost.run(name).lastInsertRowid as number, dueAt: 0, isNew: true };
  }

  insertUrl(id: number, hostId: number, url: NewUrl, now: Instant): void {
    const { href, depth, hops, via, source, priority } = url;
    const values = this.#urlValues;
    let at = this.#urlsWaiting++ * URL_WIDTH;
    values[at++] = id;
    values[at++] = hostId;
    values[at++] = href;
    values[at++] = depth;
    values[at++] = hops;
    values[at++] = via;
    values[at++] = source;
    values[at++] = priority;
    values[at] = now;
    if (this.#urlsWaiting < URLS_AT_ONCE) return;
    this.#insertUrls.run(...values);
    this.#urlsWaiting = 0;
  }

  /** Removes the row of a URL that was dropped, and of the decision; gives the reason. */
  undrop(id: number): EndReason {
    this.#insertLastUrls();
    const ends = this.#visits.visitsOf(id).map((visit) => this.#deleteVisit.get(visit)!.end as EndReason);
    this.#visits.forget(id);
    this.#deleteUrl.run(id);
    return ends.at(-1)!;
  }

  follow(id: number, href: Href, hops: number): void {
    this.#updateHref.run(href, hops, id);
  }

  insertVisit(visit: VisitRecord): void {
    this.#insertVisit.run(...visitValues(visit));
  }

  insertRobots(hostId: number, copy: RobotsCopy): number {
    return this.#insertRobots.run(...robotsValues(hostId, copy)).lastInsertRowid as number;
  }

  insertRequest(hostId: number, request: RequestRecord): void {
    this.#insertRequest.run(...requestValues(hostId, request));
  }

  saveRetry(id: number, attempt: number, at: Instant): void {
    this.#upsertRetry.run(id, attempt, at);
  }

  deleteRetry(id: number): void {
    this.#deleteRetry.run(id);
  }

  /** Null: it is not scheduled. */
  saveDue(id: number, at: Instant | null): void {
    if (at === null) this.#deleteDue.run(id);
    else this.#upsertDue.run(id, at);
  }

  /** The host of a URL that has ended, and why it has. */
  ended(id: number): { readonly host: HostKey; readonly end: EndReason } {
    const { name, end } = this.#ended.get(id)!;
    return { host: name as HostKey, end: end as EndReason };
  }

  /** It is pending again. */
  insertReturn({ id, seq, behind }: Return, hostId: number, priority: number): void {
    this.#insertReturn.run(id, hostId, priority, seq, behind);
    this.#deleteDue.run(id);
  }

  deleteReturn(id: number): void {
    this.#deleteReturn.run(id);
  }

  returnsAfter(hostId: number, priority: number, seq: number, max: number): Return[] {
    return this.#readReturns
      .all(hostId, priority, seq, max)
      .map(({ url_id, seq, behind }) => ({ id: url_id as number, seq: seq as number, behind: behind as number }));
  }

  saveMark({ file, bytes }: ArchiveMark): void {
    this.#upsertMark.run(file, bytes);
  }

  saveFact(name: string, value: string): void {
    this.#upsertFact.run(name, value);
  }

  take(hostId: number, priority: number, seq: number): ArrayLike<number> {
    const row = this.#readChunk.get(hostId, priority, seq);
    this.#taken.push([hostId, priority, seq]);
    return wordsOf(row!.ids as Uint8Array);
  }

  write(hostId: number, priority: number, seq: number, ids: Uint32Array): void {
    this.#insertChunk.run(hostId, priority, seq, bytesOf(ids));
  }

  #insertLastUrls(): void {
    for (let i = 0; i < this.#urlsWaiting; i++)
      this.#insertUrl.run(...this.#urlValues.slice(i * URL_WIDTH, (i + 1) * URL_WIDTH));
    this.#urlsWaiting = 0;
  }

  #undo(): void {
    try {
      this.#rollback.run();
    } catch {
      // SQLite has rolled back by itself (disk full, I/O error); the first error says more.
    }
  }
}
