/**
 * Where the visits of a URL are: an index that is kept by hand, in three tables.
 *
 * URLs are visited in another order than they were admitted in, so that each entry of one large index would change
 * another page of the file. Here entries go into a small table; a table that is full is moved into the next, in order,
 * where many then share a page (a log-structured merge: O'Neil et al. 1996).
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Entries of the first two tables when they are moved on. */
const FULL = [4_096, 65_536];
const LEVELS = [0, 1, 2] as const;

export class VisitIndex {
  readonly #add: StatementSync;
  readonly #lastVisit: StatementSync;
  readonly #find: StatementSync;
  readonly #moves: readonly (readonly [insert: StatementSync, clear: StatementSync])[];
  readonly #deletes: readonly StatementSync[];
  readonly #counts: number[];
  /** Visits with larger ids are not in it yet. */
  #upTo: number;

  constructor(db: DatabaseSync) {
    this.#add = db.prepare("INSERT INTO visit_of_0 SELECT url_id, id FROM visit WHERE id > ?");
    this.#lastVisit = db.prepare("SELECT coalesce(max(id), 0) AS id FROM visit");
    this.#find = db.prepare("SELECT visit_id FROM visit_of WHERE url_id = ?");
    this.#moves = FULL.map((_, level) => [
      db.prepare(`INSERT INTO visit_of_${level + 1} SELECT url_id, visit_id FROM visit_of_${level}`),
      db.prepare(`DELETE FROM visit_of_${level}`),
    ]);
    this.#deletes = LEVELS.map((level) => db.prepare(`DELETE FROM visit_of_${level} WHERE url_id = ?`));
    this.#counts = FULL.map((_, level) => db.prepare(`SELECT count(*) AS n FROM visit_of_${level}`).get()!.n as number);
    this.#upTo = this.#lastId();
  }

  /** At the end of a transaction: takes in the visits that it recorded. */
  update(): void {
    this.#counts[0]! += this.#add.run(this.#upTo).changes as number;
    this.#upTo = this.#lastId();
    for (let level = 0; level < FULL.length && this.#counts[level]! >= FULL[level]!; level++) {
      const [insert, clear] = this.#moves[level]!;
      insert.run();
      clear.run();
      if (level + 1 < FULL.length) this.#counts[level + 1]! += this.#counts[level]!;
      this.#counts[level] = 0;
    }
  }

  /** The ids of the URL's visits, this transaction's too. */
  visitsOf(urlId: number): number[] {
    this.update();
    return this.#find.all(urlId).map(({ visit_id }) => visit_id as number);
  }

  /** Forgets the URL. Its visits must have been deleted: their ids may be given again. */
  forget(urlId: number): void {
    for (const statement of this.#deletes) statement.run(urlId);
    this.#upTo = this.#lastId();
  }

  #lastId(): number {
    return this.#lastVisit.get()!.id as number;
  }
}
