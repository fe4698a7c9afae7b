/** The journal: what each transaction admitted and ended, packed. Written row by row, read whole when a crawl is opened. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import type { EndReason } from "../../model/end.ts";
import type { Pending } from "../../ports/frontier.ts";
import { WordBuffer, wordsOf } from "./words.ts";

/** A row of the journal: its id, and the id that the next URL admitted after it gets. */
export interface Position {
  readonly journal: number;
  readonly nextId: number;
}

/** Codes of end reasons, given out as they are met, so that the journal holds whatever reasons a later version has. */
export class Reasons {
  readonly #codes = new Map<string, number>();
  readonly #insert: StatementSync | null;

  constructor(db: DatabaseSync, readOnly = false) {
    this.#insert = readOnly ? null : db.prepare("INSERT INTO reason (code, name) VALUES (?, ?)");
    for (const { code, name } of db.prepare("SELECT code, name FROM reason").all())
      this.#codes.set(name as string, code as number);
  }

  /** Within a transaction. */
  codeOf(reason: EndReason): number {
    let code = this.#codes.get(reason);
    if (code === undefined) {
      code = this.#codes.size + 1;
      this.#insert!.run(code, reason);
      this.#codes.set(reason, code);
    }
    return code;
  }

  /** Names by code. */
  names(): Map<number, EndReason> {
    return new Map([...this.#codes].map(([name, code]) => [code, name as EndReason]));
  }
}

export class JournalWriter {
  readonly #insert: StatementSync;
  readonly #admitted = new WordBuffer();
  readonly #ended = new WordBuffer();
  readonly #raised = new WordBuffer();

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      "INSERT INTO journal (at, pending, leased, delayed, hosts, ended, raised, first_id, admitted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
  }

  admitted(fpHi: number, fpLo: number, hostId: number, priority: number, level: number): void {
    this.#admitted.push4(fpHi, fpLo, hostId, priority | (level << LEVEL_AT));
  }

  ended(id: number, reasonCode: number): void {
    this.#ended.push2(id, reasonCode);
  }

  /** Ended by never having been queued. */
  dropped(id: number, reasonCode: number): void {
    this.#ended.push2(id, reasonCode | DROPPED);
  }

  /** A drop is undone: the id is no more. */
  undropped(id: number, reasonCode: number): void {
    this.#ended.push2(id, reasonCode | UNDROPPED);
  }

  /** It had ended for that reason, and is pending again. */
  returned(id: number, reasonCode: number): void {
    this.#ended.push2(id, reasonCode | RETURNED);
  }

  /** Its cash has risen to this level. */
  raised(id: number, level: number): void {
    this.#raised.push2(id, level);
  }

  /** Writes the row of a transaction and answers its id. `nextId`: the id after the last one admitted. */
  write(at: Instant, counts: Pending, nextId: number): number {
    const { queued, leased, delayed, hosts } = counts;
    const firstId = nextId - this.#admitted.length / 4;
    const pending = queued + leased + delayed;
    const ended = this.#ended.bytes();
    const { lastInsertRowid } = this.#insert.run(
      at,
      pending,
      leased,
      delayed,
      hosts,
      ended,
      this.#raised.bytes(),
      firstId,
      this.#admitted.bytes(),
    );
    this.#admitted.clear();
    this.#ended.clear();
    this.#raised.clear();
    return lastInsertRowid as number;
  }
}

/** What an entry of `ended` says besides the reason. */
const DROPPED = 1 << 16;
const UNDROPPED = 1 << 17;
const RETURNED = 1 << 18;
const REASON = DROPPED - 1;

/** In the word of an admission, above the class. */
const LEVEL_AT = 8;
const CLASS = (1 << LEVEL_AT) - 1;

/** "undropped" and "returned" undo what was told before, with its reason. */
export type Ending = "ended" | "dropped" | "undropped" | "returned";

const endingOf = (word: number): Ending => {
  if ((word & RETURNED) !== 0) return "returned";
  if ((word & UNDROPPED) !== 0) return "undropped";
  return (word & DROPPED) !== 0 ? "dropped" : "ended";
};

/** What an entry adds to the number of URLs that have ended for its reason. */
export const countOf = (what: Ending): 1 | -1 => (what === "undropped" || what === "returned" ? -1 : 1);

/** All ends, in order; those only that were written after row `after`, if it is given. */
export function readEnded(
  db: DatabaseSync,
  visit: (id: number, reasonCode: number, what: Ending) => void,
  after = 0,
): void {
  for (const row of db.prepare("SELECT ended FROM journal WHERE id > ? ORDER BY id").iterate(after)) {
    const words = wordsOf(row.ended as Uint8Array);
    for (let i = 0; i < words.length; i += 2) {
      const word = words[i + 1]!;
      visit(words[i]!, word & REASON, endingOf(word));
    }
  }
}

/** All that has risen in cash, each time that it did; those only that were written after row `after`. */
export function readRaised(db: DatabaseSync, visit: (id: number, level: number) => void, after = 0): void {
  for (const row of db
    .prepare("SELECT raised FROM journal WHERE id > ? AND length(raised) > 0 ORDER BY id")
    .iterate(after)) {
    const words = wordsOf(row.raised as Uint8Array);
    for (let i = 0; i < words.length; i += 2) visit(words[i]!, words[i + 1]!);
  }
}

/** All admissions, in order of ids; stops when `visit` answers false. */
export function readAdmitted(
  db: DatabaseSync,
  visit: (id: number, fpHi: number, fpLo: number, hostId: number, priority: number, level: number) => boolean,
): void {
  for (const row of db.prepare("SELECT first_id, admitted FROM journal ORDER BY id").iterate()) {
    const words = wordsOf(row.admitted as Uint8Array);
    let id = row.first_id as number;
    for (let i = 0; i < words.length; i += 4, id++) {
      const last = words[i + 3]!;
      if (!visit(id, words[i]!, words[i + 1]!, words[i + 2]!, last & CLASS, last >>> LEVEL_AT)) return;
    }
  }
}

/** The id under which a fingerprint was admitted last, or 0: reads the journal from its beginning, 16 bytes a URL. */
export function findAdmitted(db: DatabaseSync, fpHi: number, fpLo: number): number {
  let found = 0;
  readAdmitted(db, (id, hi, lo) => {
    if (hi === fpHi && lo === fpLo) found = id; // the last: an earlier one was a drop that was undone
    return true;
  });
  return found;
}

/** The fingerprint that an id was admitted with, in a transaction that is done: some twenty rows of the journal are looked at. */
export function fingerprintOf(db: DatabaseSync, id: number): readonly [hi: number, lo: number] {
  // Ids of rows and of URLs grow together: the last row that begins at the id or before.
  const firstOf = db.prepare("SELECT first_id FROM journal WHERE id = ?");
  let row = 1;
  for (let end = lastPosition(db).journal + 1; end - row > 1; ) {
    const middle = Math.floor((row + end) / 2);
    if ((firstOf.get(middle)!.first_id as number) <= id) row = middle;
    else end = middle;
  }
  const { first_id, admitted } = db.prepare("SELECT first_id, admitted FROM journal WHERE id = ?").get(row)!;
  const words = wordsOf(admitted as Uint8Array);
  const at = (id - (first_id as number)) * 4;
  return [words[at]!, words[at + 1]!];
}

/** The id of the last URL admitted; 0 when there is none. */
function lastId(db: DatabaseSync): number {
  return db.prepare("SELECT coalesce(max(id), 0) AS id FROM url").get()!.id as number;
}

/** The last row of the journal. */
export function lastPosition(db: DatabaseSync): Position {
  const row = db.prepare("SELECT coalesce(max(id), 0) AS id FROM journal").get()!;
  return { journal: row.id as number, nextId: lastId(db) + 1 };
}

/** Whether the journal has this row, and it ends where it says. */
export function hasPosition(db: DatabaseSync, { journal, nextId }: Position): boolean {
  const row = db.prepare("SELECT first_id + length(admitted) / 16 AS next FROM journal WHERE id = ?").get(journal);
  return row !== undefined && row.next === nextId;
}

/** The counts after the last transaction. */
export function lastCounts(db: DatabaseSync): Pending {
  const row = db.prepare("SELECT pending, leased, delayed, hosts FROM journal ORDER BY id DESC LIMIT 1").get();
  if (row === undefined) return { queued: 0, leased: 0, delayed: 0, hosts: 0 };
  const { pending, leased, delayed, hosts } = row as Record<string, number>;
  return { queued: pending! - leased! - delayed!, leased: leased!, delayed: delayed!, hosts: hosts! };
}
