/**
 * What hosts become with their visits: appended first, and brought into the table of hosts many at a time.
 *
 * A row of `host` that is changed makes its page of the file be written, and visits that follow one another are on
 * other hosts, hence on other pages. Of sixteen thousand changed hosts, in order of ids, a run shares pages; appended rows
 * share them always. A run goes with each transaction, so that none of them is long.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { ActiveHost } from "./active-host.ts";
import { hostStateOf, hostValues, INSERT_HOST_CHANGE, UPDATE_HOST } from "./rows.ts";
import { HOST_COLUMNS } from "./views.ts";

/** Hosts. */
const MANY = 16_384;
const RUN = 1_024;
/** So long at most nothing is brought into the table of hosts, while anything is committed. */
const BEHIND_MS = 10_000;

const MOVE_ALL = `UPDATE host SET ${HOST_COLUMNS.map((name) => `${name} = changed.${name}`).join(", ")}
  FROM (SELECT max(id), host_id, ${HOST_COLUMNS.join(", ")} FROM host_change GROUP BY host_id) AS changed
  WHERE changed.host_id = host.id`;

export class HostChanges {
  readonly #read: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #moveAll: StatementSync;
  readonly #clear: StatementSync;
  readonly #clearUpTo: StatementSync;
  /** Whether there are rows of host_change. */
  #anyWaits: boolean;
  /** The last of them that this opening has written. */
  #lastRow = 0;
  /** Hosts with rows behind those that are being moved. */
  readonly #changed = new Set<ActiveHost>();
  /** Hosts that are being moved and are not in the table yet; the same in order of ids, the next one last; their last row. */
  readonly #moving = new Set<ActiveHost>();
  #order: ActiveHost[] = [];
  #upTo = 0;
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare("SELECT * FROM host WHERE name = ?");
    this.#insert = db.prepare(INSERT_HOST_CHANGE);
    this.#update = db.prepare(UPDATE_HOST);
    this.#moveAll = db.prepare(MOVE_ALL);
    this.#clear = db.prepare("DELETE FROM host_change");
    this.#clearUpTo = db.prepare("DELETE FROM host_change WHERE id <= ?");
    this.#anyWaits = db.prepare("SELECT 1 FROM host_change LIMIT 1").get() !== undefined;
  }

  /** The host's clock, and what politeness remembers of it. */
  write(host: ActiveHost): void {
    if (host.state === undefined) host.state = this.read(host.name);
    this.#lastRow = this.#insert.run(...valuesOf(host)).lastInsertRowid as number;
    this.#changed.add(host);
    this.#anyWaits = true;
  }

  /** The state of a host that is not in memory: nothing waits for it. */
  read(name: HostKey): HostState | null {
    const row = this.#read.get(name);
    return row === undefined ? null : hostStateOf(row);
  }

  /** Whether the table of hosts has all. */
  get allMoved(): boolean {
    return !this.#anyWaits;
  }

  /** Whether the table of hosts does not have what the host is now. */
  waits(host: ActiveHost): boolean {
    return this.#changed.has(host) || this.#moving.has(host);
  }

  /** At the end of a transaction: brings a run of what waits into the table of hosts, when it is time. True when the last of many has gone, or nothing waits. */
  move(now: Instant): boolean {
    if (!this.#anyWaits) return true;
    if (this.#order.length === 0) {
      const isTime = now - this.#movedAt >= BEHIND_MS || now < this.#movedAt;
      if (this.#changed.size < MANY && !isTime) return false;
      this.#begin(now);
    }
    for (const host of this.#order.splice(-RUN)) {
      this.#update.run(...valuesOf(host));
      this.#moving.delete(host);
    }
    if (this.#order.length > 0) return false;
    this.#clearUpTo.run(this.#upTo);
    this.#anyWaits = this.#changed.size > 0;
    return true;
  }

  #begin(now: Instant): void {
    this.#movedAt = now;
    this.#upTo = this.#lastRow;
    this.#order = [...this.#changed].sort((a, b) => b.id - a.id);
    for (const host of this.#order) this.#moving.add(host);
    this.#changed.clear();
  }

  moveAll(): void {
    if (!this.#anyWaits) return;
    this.#moveAll.run();
    this.#clear.run();
    this.#changed.clear();
    this.#moving.clear();
    this.#order = [];
    this.#anyWaits = false;
  }
}

function valuesOf({ id, readyAt, state }: ActiveHost): ReturnType<typeof hostValues> {
  // A host that was set aside is so for this opening alone; its clocks stand in its state.
  return hostValues(id, Number.isFinite(readyAt) ? readyAt : 0, state ?? null);
}
