/**
 * Which URLs were seen, and under which id, in the ways of `--seen`: with all fingerprints in memory, with a filter in
 * memory before fingerprints on disk, or with a filter alone, which knows no ids.
 *
 * What was dropped on admission may come in later, so it must be told from what was admitted, and its row be found. So a
 * filter alone has another beside it for drops, and their fingerprints (few, and needed seldom) are on disk.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Bitmap } from "../../dedup/bitmap.ts";
import { FingerprintTable } from "../../dedup/fingerprint-table.ts";
import { ScalableBloom } from "../../dedup/scalable-bloom.ts";
import { filterOf, readFilter, type SeenChoice } from "../../dedup/seen-kinds.ts";
import type { SeenSet } from "../../dedup/seen-set.ts";
import type { Fill } from "../../dedup/snapshot.ts";
import { fingerprintOf, readAdmitted, readEnded } from "./journal.ts";

/** Stands for an id that memory does not have: of a URL that was admitted. No id is so large. */
export const SOME_ID = 2 ** 32;

export interface SeenIds {
  /** The id of a fingerprint, `SOME_ID`, or 0 when it was not seen. */
  find(hi: number, lo: number): number;
  /** The same; what was not seen is from now on, under `id`. `isDrop`: it comes with a reason against it. */
  findOrInsert(hi: number, lo: number, id: number, isDrop: boolean): number;
  /** The URL of an id, admitted in an earlier transaction, is a drop now. */
  drop(id: number): void;
  /** What was a drop goes by another id, and is one no more. */
  replace(hi: number, lo: number, id: number): void;
  /** What the journal tells of, in order; it may be known already, under an earlier id. */
  recall(hi: number, lo: number, id: number, isDrop: boolean): void;
  /** As bytes, in pieces, to be written one after another; what is inserted between two of them may be in it or not. */
  snapshot(): Iterable<Uint8Array>;
}

/** Nothing seen yet. `expected`: how many URLs are about to become known. */
export function seenNothing(choice: SeenChoice, db: DatabaseSync, expected: number): SeenIds {
  if (choice.kind === "exact") return new InMemory(new FingerprintTable(expected));
  const filter = filterOf(choice);
  if (choice.kind === "bloom+exact") return new Filtered(filter, new DiskIds(db));
  return new FilterAlone(filter, new ScalableBloom(FIRST_DROPS, choice.error), db);
}

/** From the snapshot whose bytes come next; null when they are damaged, or of another kind. */
export function readSeen(choice: SeenChoice, db: DatabaseSync, fill: Fill): SeenIds | null {
  if (choice.kind === "exact") {
    const table = FingerprintTable.read(fill);
    return table === null ? null : new InMemory(table);
  }
  const filter = readFilter(choice, fill);
  if (filter === null) return null;
  if (choice.kind === "bloom+exact") return new Filtered(filter, new DiskIds(db));
  const drops = ScalableBloom.read(fill);
  return drops === null ? null : new FilterAlone(filter, drops, db);
}

/** Drops that their filter begins with. */
const FIRST_DROPS = 10_000;

class InMemory implements SeenIds {
  readonly #table: FingerprintTable;

  constructor(table: FingerprintTable) {
    this.#table = table;
  }

  find(hi: number, lo: number): number {
    return this.#table.find(hi, lo);
  }

  findOrInsert(hi: number, lo: number, id: number): number {
    return this.#table.findOrInsert(hi, lo, id);
  }

  drop(): void {
    // Known under its id, as before.
  }

  replace(hi: number, lo: number, id: number): void {
    this.#table.replace(hi, lo, id);
  }

  recall(hi: number, lo: number, id: number): void {
    if (!this.#table.insert(hi, lo, id)) this.#table.replace(hi, lo, id);
  }

  snapshot(): Iterable<Uint8Array> {
    return this.#table.snapshot();
  }
}

/** What seems to have been seen is looked up on disk: nothing is lost, and most new URLs cost no look-up. */
class Filtered implements SeenIds {
  readonly #filter: SeenSet;
  readonly #disk: DiskIds;

  constructor(filter: SeenSet, disk: DiskIds) {
    this.#filter = filter;
    this.#disk = disk;
  }

  find(hi: number, lo: number): number {
    return this.#filter.has(hi, lo) ? this.#disk.find(hi, lo) : 0;
  }

  findOrInsert(hi: number, lo: number, id: number): number {
    const known = this.find(hi, lo);
    if (known !== 0) return known;
    this.#filter.add(hi, lo);
    this.#disk.save(hi, lo, id);
    return 0;
  }

  drop(): void {
    // Known under its id, as before.
  }

  replace(hi: number, lo: number, id: number): void {
    this.#disk.save(hi, lo, id);
  }

  recall(hi: number, lo: number): void {
    this.#filter.add(hi, lo);
  }

  snapshot(): Iterable<Uint8Array> {
    return this.#filter.snapshot();
  }
}

class FilterAlone implements SeenIds {
  readonly #admitted: SeenSet;
  /** May seem to hold what the disk does not: then it says nothing. */
  readonly #drops: ScalableBloom;
  /** Drops that were not undone. */
  readonly #disk: DiskIds;
  readonly #db: DatabaseSync;

  constructor(admitted: SeenSet, drops: ScalableBloom, db: DatabaseSync) {
    this.#admitted = admitted;
    this.#drops = drops;
    this.#disk = new DiskIds(db);
    this.#db = db;
  }

  find(hi: number, lo: number): number {
    const drop = this.#drops.has(hi, lo) ? this.#disk.find(hi, lo) : 0;
    if (drop !== 0) return drop;
    return this.#admitted.has(hi, lo) ? SOME_ID : 0;
  }

  findOrInsert(hi: number, lo: number, id: number, isDrop: boolean): number {
    const known = this.find(hi, lo);
    if (known === SOME_ID) return known;
    if (!isDrop) this.#admitted.add(hi, lo);
    else if (known === 0) this.#saveDrop(hi, lo, id);
    return known;
  }

  drop(id: number): void {
    const [hi, lo] = fingerprintOf(this.#db, id);
    this.#saveDrop(hi, lo, id);
  }

  replace(hi: number, lo: number): void {
    this.#disk.delete(hi, lo);
  }

  recall(hi: number, lo: number, _id: number, isDrop: boolean): void {
    if (isDrop && this.#disk.find(hi, lo) !== 0) this.#drops.add(hi, lo);
    else this.#admitted.add(hi, lo);
  }

  *snapshot(): Iterable<Uint8Array> {
    yield* this.#admitted.snapshot();
    yield* this.#drops.snapshot();
  }

  #saveDrop(hi: number, lo: number, id: number): void {
    this.#drops.add(hi, lo);
    this.#disk.save(hi, lo, id);
  }
}

/** The table `seen`, by fingerprint. */
class DiskIds {
  readonly #find: StatementSync;
  readonly #save: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare("SELECT id FROM seen WHERE hi = ? AND lo = ?");
    this.#save = db.prepare("INSERT OR REPLACE INTO seen (hi, lo, id) VALUES (?, ?, ?)");
    this.#delete = db.prepare("DELETE FROM seen WHERE hi = ? AND lo = ?");
  }

  /** 0 when it is not there. */
  find(hi: number, lo: number): number {
    return (this.#find.get(hi, lo)?.id as number | undefined) ?? 0;
  }

  save(hi: number, lo: number, id: number): void {
    this.#save.run(hi, lo, id);
  }

  delete(hi: number, lo: number): void {
    this.#delete.run(hi, lo);
  }
}

/** Which fingerprints the table holds. */
const FACT = "seenOnDisk";
type OnDisk = "none" | "drops" | "all";

/** Makes the table hold what the choice needs, from the journal where it was another's before. False when it did. */
export function prepareDisk(db: DatabaseSync, { kind }: SeenChoice): boolean {
  const needed: OnDisk = kind === "exact" ? "none" : kind === "bloom+exact" ? "all" : "drops";
  const there = db.prepare("SELECT value FROM fact WHERE name = ?").get(FACT)?.value ?? "none";
  if (there === needed) return true;
  db.exec("BEGIN IMMEDIATE");
  try {
    db.exec("DELETE FROM seen");
    if (needed !== "none") fill(db, needed);
    db.prepare("INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)").run(FACT, needed);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
  return false;
}

function fill(db: DatabaseSync, needed: OnDisk): void {
  const disk = new DiskIds(db);
  const drops = new Bitmap();
  readEnded(db, (id, _code, what) => {
    if (what === "dropped") drops.add(id);
  });
  // In order: the last admission of a fingerprint stands.
  readAdmitted(db, (id, hi, lo) => {
    if (needed === "all" || drops.has(id)) disk.save(hi, lo, id);
    else disk.delete(hi, lo);
    return true;
  });
}
