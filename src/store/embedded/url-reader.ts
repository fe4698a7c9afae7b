/** Rows of URLs that are about to be leased. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type LeasedRow, selectUrls } from "./rows.ts";

const AT_ONCE = 16;

export class UrlReader {
  readonly #one: StatementSync;
  readonly #many: StatementSync;

  constructor(db: DatabaseSync) {
    this.#one = db.prepare(selectUrls(1));
    this.#many = db.prepare(selectUrls(AT_ONCE));
    this.#one.setReturnArrays(true);
    this.#many.setReturnArrays(true);
  }

  /** In order of ids, many in one statement: they may be anywhere in the largest table, and come nearest so. */
  read(ids: readonly number[]): LeasedRow[] {
    const sorted = ids.toSorted((a, b) => a - b);
    const rows: LeasedRow[] = [];
    let at = 0;
    const read = (statement: StatementSync, count: number): void => {
      rows.push(...(statement.all(...sorted.slice(at, at + count)) as unknown as LeasedRow[]));
      at += count;
    };
    while (at + AT_ONCE <= sorted.length) read(this.#many, AT_ONCE);
    while (at < sorted.length) read(this.#one, 1);
    return rows;
  }
}
