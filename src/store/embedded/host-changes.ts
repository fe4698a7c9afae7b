/**
 * What hosts become with their visits: appended first, and brought into the table of hosts many at a time.
 *
 * A row of `host` that is changed makes its page of the file be written, and visits that follow one another are on
 * other hosts, hence on other pages. Sixteen thousand changes at once share pages; appended rows share them always.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { ActiveHost } from "./active-host.ts";
import { hostStateOf, hostValues, INSERT_HOST_CHANGE } from "./rows.ts";
import { HOST_COLUMNS } from "./views.ts";

const MANY = 16_384;
/** So long at most the table of hosts is behind, while anything is committed. */
const BEHIND_MS = 10_000;

const MOVE = `UPDATE host SET ${HOST_COLUMNS.map((name) => `${name} = changed.${name}`).join(", ")}
  FROM (SELECT max(id), host_id, ${HOST_COLUMNS.join(", ")} FROM host_change GROUP BY host_id) AS changed
  WHERE changed.host_id = host.id`;

export class HostChanges {
  readonly #read: StatementSync;
  readonly #insert: StatementSync;
  readonly #move: StatementSync;
  readonly #clear: StatementSync;
  #waiting: number;
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare("SELECT * FROM host WHERE name = ?");
    this.#insert = db.prepare(INSERT_HOST_CHANGE);
    this.#move = db.prepare(MOVE);
    this.#clear = db.prepare("DELETE FROM host_change");
    this.#waiting = db.prepare("SELECT count(*) AS n FROM host_change").get()!.n as number;
  }

  /** The host's clock, and what politeness remembers of it. */
  write(host: ActiveHost): void {
    if (host.state === undefined) host.state = this.read(host.name);
    // A host that was set aside is so for this opening alone; its clocks stand in its state.
    const dueAt = Number.isFinite(host.readyAt) ? host.readyAt : 0;
    this.#insert.run(...hostValues(host.id, dueAt, host.state));
    this.#waiting++;
  }

  /** The state of a host that is not in memory: nothing waits for it. */
  read(name: HostKey): HostState | null {
    const row = this.#read.get(name);
    return row === undefined ? null : hostStateOf(row);
  }

  /** Whether the table of hosts has all. */
  get allMoved(): boolean {
    return this.#waiting === 0;
  }

  /** At the end of a transaction: brings what waits into the table of hosts, when it is time. True when nothing waits. */
  move(now: Instant): boolean {
    if (this.#waiting === 0) return true;
    if (this.#waiting < MANY && now - this.#movedAt < BEHIND_MS && now >= this.#movedAt) return false;
    this.moveAll();
    this.#movedAt = now;
    return true;
  }

  moveAll(): void {
    if (this.#waiting === 0) return;
    this.#move.run();
    this.#clear.run();
    this.#waiting = 0;
  }
}
