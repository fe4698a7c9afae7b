/**
 * What memory knows of every URL there ever was: under which id it was seen, whether it has ended, the level of its cash,
 * and how many ended for which reason. A snapshot of it is kept on disk, so that opening is quick; the journal can always rebuild it.
 */
import { rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { SeenChoice } from "../../dedup/seen-kinds.ts";
import type { EndReason } from "../../model/end.ts";
import type { NewUrl } from "../../model/link.ts";
import { BytesById } from "./bytes-by-id.ts";
import { type Ending, hasPosition, type Position } from "./journal.ts";
import { prepareDisk, readSeen, SOME_ID, seenNothing } from "./seen.ts";
import { type Known, readSnapshot, type SnapshotPace, SnapshotWriter } from "./snapshot.ts";
import { UrlStates } from "./url-states.ts";
import type { Fault } from "./writer.ts";

export class KnownUrls {
  /** True already of this row of the journal; what came later is to be told by the `recall` methods. */
  readonly from: Position;
  readonly #known: Known;
  readonly #snapshots: SnapshotWriter;

  /** As the snapshot in `file` has it, or empty. `nextId`: one more than all ids given. */
  constructor(
    file: string,
    db: DatabaseSync,
    nextId: number,
    choice: SeenChoice,
    fault: Fault,
    pace?: Partial<SnapshotPace>,
  ) {
    const prepared = prepareDisk(db, choice);
    const snapshot = !prepared
      ? null
      : readSnapshot(file, choice, {
          hasRow: (position) => hasPosition(db, position),
          readSeen: (fill) => readSeen(choice, db, fill),
        });
    // One that is of no use now must not be taken for a good one later.
    if (snapshot === null) rmSync(file, { force: true });
    this.#known = snapshot?.known ?? {
      seen: seenNothing(choice, db, nextId - 1),
      states: new UrlStates(),
      cash: new BytesById(),
      endCounts: new Map(),
    };
    this.from = snapshot?.from ?? { journal: 0, nextId: 1 };
    this.#snapshots = new SnapshotWriter(file, choice, this.from.nextId, fault, pace);
  }

  /** The id under which a fingerprint is known, `SOME_ID` when only that it is known is known, or 0. */
  find(fpHi: number, fpLo: number): number {
    return this.#known.seen.find(fpHi, fpLo);
  }

  /** The same; one that is not known is from now on, under `id`. */
  findOrInsert(url: NewUrl, id: number): number {
    return this.#known.seen.findOrInsert(url.fpHi, url.fpLo, id, url.drop !== undefined);
  }

  /** Whether a URL that is known under this id (0: not at all) has to be taken in: a drop is no admission. */
  isNew(url: NewUrl, known: number): boolean {
    return known === 0 || (url.drop === undefined && known !== SOME_ID && this.#known.states.wasDropped(known));
  }

  hasEnded(id: number): boolean {
    return this.#known.states.hasEnded(id);
  }

  get states(): UrlStates {
    return this.#known.states;
  }

  /** Levels of cash (`dedup/cash-levels`), by id; 0 where there is none. */
  get cash(): BytesById {
    return this.#known.cash;
  }

  end(id: number, reason: EndReason): void {
    this.#known.states.end(id);
    this.#count(reason, 1);
  }

  /** One that had ended for `reason` is pending again. */
  comeBack(id: number, reason: EndReason): void {
    this.#known.states.comeBack(id);
    this.#count(reason, -1);
  }

  /** One that was admitted before is dropped now. */
  dropLater(id: number, reason: EndReason): void {
    this.#known.seen.drop(id);
    this.drop(id, reason);
  }

  /** Ended on admission. */
  drop(id: number, reason: EndReason): void {
    this.#known.states.drop(id);
    this.#count(reason, 1);
  }

  /** A drop for `reason` was undone; the URL goes by `id` now, and the id that it had is no more. */
  undrop(url: NewUrl, reason: EndReason, id: number): void {
    this.#count(reason, -1);
    this.#known.seen.replace(url.fpHi, url.fpLo, id);
  }

  /** A copy. */
  endCounts(): Map<EndReason, number> {
    return new Map(this.#known.endCounts);
  }

  /** After each transaction. `at`: the last row of the journal. */
  keep(at: Position): void {
    this.#snapshots.step(this.#known, at);
  }

  close(at: Position): Promise<void> {
    return this.#snapshots.close(this.#known, at);
  }

  /** In place of `close`, when memory may know what the disk does not. */
  giveUp(): Promise<void> {
    return this.#snapshots.giveUp();
  }

  /** An admission that the journal tells of. */
  recallAdmitted(id: number, fpHi: number, fpLo: number, priority: number, level: number): void {
    this.#known.states.admit(id, priority);
    if (id < this.from.nextId) return;
    this.recallRaised(id, level);
    this.#known.seen.recall(fpHi, fpLo, id, this.#known.states.wasDropped(id));
  }

  /** An end that the journal tells of; those from row `from` on are to be told, and are counted by `recallCount`. */
  recallEnded(id: number, what: Ending): void {
    if (what === "dropped") this.#known.states.drop(id);
    else if (what === "ended") this.#known.states.end(id);
    else if (what === "returned") this.#known.states.comeBack(id);
  }

  /** Its cash has been of this level; from row `from` on, too. */
  recallRaised(id: number, level: number): void {
    const { cash } = this.#known;
    if (level > cash.get(id)) cash.set(id, level);
  }

  recallCount(reason: EndReason, count: number): void {
    this.#count(reason, count);
  }

  #count(reason: EndReason, by: number): void {
    const { endCounts } = this.#known;
    const count = (endCounts.get(reason) ?? 0) + by;
    if (count === 0) endCounts.delete(reason);
    else endCounts.set(reason, count);
  }
}
