/**
 * Where the visits of a URL are: an index that is kept by hand, in four tables.
 *
 * URLs are visited in another order than they were admitted in, so that each entry of one large index would change
 * another page of the file. Here entries go into a small table; of a table that is full a run of entries, in order of
 * URLs, goes into the next, where many of them then share a page; the next run begins where that one ended (a
 * log-structured merge with a rolling cursor: O'Neil et al. 1996). So no transaction moves more than a few thousand.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { VISIT_INDEX } from "./views.ts";

/** Entries of all tables but the last when some are moved on. */
const FULL = [4_096, 65_536, 1_048_576];
/** Entries of a run, more only if they are of one URL. */
const RUN = 4_096;

/** A table that passes entries on. */
interface Level {
  readonly full: number;
  readonly runEnd: StatementSync;
  readonly copy: StatementSync;
  readonly clear: StatementSync;
  count: number;
  /** The URL at which the next run begins. */
  next: number;
}

export class VisitIndex {
  readonly #add: StatementSync;
  readonly #lastVisit: StatementSync;
  readonly #find: StatementSync;
  readonly #levels: readonly Level[];
  readonly #deletes: readonly StatementSync[];
  /** Visits with larger ids are not in it yet. */
  #upTo: number;

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(`INSERT INTO ${VISIT_INDEX[0]} SELECT url_id, id FROM visit WHERE id > ?`);
    this.#lastVisit = db.prepare("SELECT coalesce(max(id), 0) AS id FROM visit");
    this.#find = db.prepare("SELECT visit_id FROM visit_of WHERE url_id = ?");
    this.#levels = FULL.map((full, level) => {
      const table = VISIT_INDEX[level]!;
      return {
        full,
        runEnd: db.prepare(`SELECT url_id FROM ${table} WHERE url_id >= ? ORDER BY url_id LIMIT 1 OFFSET ${RUN - 1}`),
        copy: db.prepare(
          `INSERT INTO ${VISIT_INDEX[level + 1]} SELECT url_id, visit_id FROM ${table} WHERE url_id BETWEEN ? AND ?`,
        ),
        clear: db.prepare(`DELETE FROM ${table} WHERE url_id BETWEEN ? AND ?`),
        count: db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n as number,
        next: 0,
      };
    });
    this.#deletes = VISIT_INDEX.map((table) => db.prepare(`DELETE FROM ${table} WHERE url_id = ?`));
    this.#upTo = this.#lastId();
  }

  /** At the end of a transaction: takes in the visits that it recorded. */
  update(): void {
    let added = this.#add.run(this.#upTo).changes as number;
    this.#upTo = this.#lastId();
    for (const level of this.#levels) {
      level.count += added;
      // A little more than came: a table that was far too full (of an older version's state) is not emptied at once.
      let moved = 0;
      while (level.count >= level.full && moved <= added) moved += moveRun(level);
      added = moved;
    }
  }

  /** The ids of the URL's visits, this transaction's too. */
  visitsOf(urlId: number): number[] {
    this.update();
    return this.#find.all(urlId).map(({ visit_id }) => visit_id as number);
  }

  /** Forgets the URL. Its visits must have been deleted: their ids may be given again. */
  forget(urlId: number): void {
    this.#deletes.forEach((statement, table) => {
      const { changes } = statement.run(urlId);
      if (table < this.#levels.length) this.#levels[table]!.count -= changes as number;
    });
    this.#upTo = this.#lastId();
  }

  #lastId(): number {
    return this.#lastVisit.get()!.id as number;
  }
}

/** So many entries have gone into the next table. */
function moveRun(level: Level): number {
  const end = level.runEnd.get(level.next)?.url_id as number | undefined;
  const run: [number, number] = [level.next, end ?? Number.MAX_SAFE_INTEGER];
  level.copy.run(...run);
  const moved = level.clear.run(...run).changes as number;
  level.count -= moved;
  level.next = end === undefined ? 0 : end + 1;
  return moved;
}
