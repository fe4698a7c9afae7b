/** The state of a crawl for those who only look: while it runs, or when it stands. */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Clock, type Instant, systemClock } from "../../base/clock.ts";
import { streamed } from "../../base/streamed.ts";
import { Bitmap } from "../../dedup/bitmap.ts";
import { cashOf } from "../../dedup/cash-levels.ts";
import { FingerprintTable } from "../../dedup/fingerprint-table.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { UrlName } from "../../model/link.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { Pending, Sought } from "../../ports/frontier.ts";
import type { DueCounting, ReadOnlyState } from "../../ports/read-only.ts";
import { type OpenDatabase, openForReading } from "./database.ts";
import { StateError, stateErrorOf } from "./errors.ts";
import {
  countOf,
  findAdmitted,
  lastCounts,
  lastPosition,
  Reasons,
  readAdmitted,
  readEnded,
  readRaised,
} from "./journal.ts";
import { Queries } from "./queries.ts";
import { Stored } from "./stored.ts";

export interface LookOptions {
  readonly clock?: Clock;
  /** Everything is answered as of one moment, whatever is committed meanwhile. Not for long looks: the writer's log grows. */
  readonly frozen?: boolean;
}

export interface EmbeddedState extends ReadOnlyState, DueCounting, Disposable {
  /** The ids of URLs: those of what was dropped, and admitted later under another, are between them. A bit an id. */
  idsInUse(): Promise<IdsInUse>;
  /** What SQLite finds wrong with its own file, a few lines at most; none when it is sound. Reads the whole file. */
  damage(): readonly string[];
}

export interface IdsInUse {
  readonly last: number;
  readonly count: number;
  has(id: number): boolean;
}

/** Opens the state in `dir` beside whoever writes it: takes no lock, loads no table. @throws StateError */
export function openState(dir: string, { clock = systemClock, frozen = false }: LookOptions = {}): EmbeddedState {
  const opened = openForReading(dir);
  try {
    if (frozen) opened.db.exec("BEGIN");
    return new State(opened, clock);
  } catch (error) {
    opened.close();
    throw stateErrorOf(error, join(dir, "state.db"));
  }
}

class State extends Stored implements EmbeddedState {
  readonly #opened: OpenDatabase;
  readonly #db: DatabaseSync;
  /** 16 bytes a URL, and a byte a URL: made of the journal when they are first asked for, as of then. */
  #ids: FingerprintTable | null = null;
  #levels: Uint8Array | null = null;

  constructor(opened: OpenDatabase, clock: Clock) {
    super();
    this.#opened = opened;
    this.#db = opened.db;
    const retryAt = this.#db.prepare("SELECT at FROM retry WHERE url_id = ?");
    this.queries = new Queries(this.#db, (id, visit, comesBack) => {
      if (visit === null) return "queued";
      if (visit.end === "follow") return "queued";
      if (visit.end !== "retry") return comesBack ? "queued" : "ended";
      return ((retryAt.get(id)?.at as number | undefined) ?? 0) > clock.now() ? "delayed" : "queued";
    });
  }

  async pending(): Promise<Pending> {
    return lastCounts(this.#db);
  }

  async dueCount(until: Instant): Promise<number> {
    return this.queries.dueCount(until);
  }

  async host(host: HostKey): Promise<HostState | null> {
    return this.queries.host(host);
  }

  async find({ fpHi, fpLo }: Sought): Promise<UrlRecord | null> {
    const id = findAdmitted(this.#db, fpHi, fpLo);
    return id === 0 ? null : this.byId(id);
  }

  #lastId(): number {
    return lastPosition(this.#db).nextId - 1;
  }

  async idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]> {
    this.#ids ??= this.#readIds();
    const ids = this.#ids;
    return urls.map(({ fpHi, fpLo }) => ids.find(fpHi, fpLo) || null);
  }

  #readIds(): FingerprintTable {
    const table = new FingerprintTable(this.#lastId());
    readAdmitted(this.#db, (id, hi, lo) => {
      // What was dropped, and admitted later, has a newer id.
      if (!table.insert(hi, lo, id)) table.replace(hi, lo, id);
      return true;
    });
    return table;
  }

  async idsInUse(): Promise<IdsInUse> {
    const last = this.#lastId();
    const ids = new Bitmap(new Uint8Array((last >>> 3) + 1));
    let count = 0;
    for (const { id } of this.#db.prepare("SELECT id FROM url WHERE id <= ?").iterate(last)) {
      ids.add(id as number);
      count++;
    }
    return { last, count, has: (id) => ids.has(id) };
  }

  async byId(id: number): Promise<UrlRecord | null> {
    return this.queries.byId(id);
  }

  urls(options?: { readonly endedOnly?: boolean; readonly afterId?: number }): AsyncIterable<UrlRecord> {
    return streamed(this.queries.urls(options));
  }

  async importance(id: number): Promise<number> {
    this.#levels ??= this.#readLevels();
    return cashOf(this.#levels[id] ?? 0);
  }

  #readLevels(): Uint8Array {
    const levels = new Uint8Array(this.#lastId() + 1);
    const rise = (id: number, level: number): void => {
      levels[id] = Math.max(levels[id]!, level);
    };
    readAdmitted(this.#db, (id, _hi, _lo, _host, _priority, level) => {
      rise(id, level);
      return true;
    });
    readRaised(this.#db, rise);
    return levels;
  }

  async endCounts(): Promise<ReadonlyMap<EndReason, number>> {
    const byCode = new Map<number, number>();
    readEnded(this.#db, (_, code, what) => byCode.set(code, (byCode.get(code) ?? 0) + countOf(what)));
    const names = new Reasons(this.#db, true).names();
    return new Map([...byCode].flatMap(([code, count]) => (count === 0 ? [] : [[names.get(code)!, count]])));
  }

  damage(): readonly string[] {
    try {
      const rows = this.#db.prepare("PRAGMA quick_check(5)").all();
      return rows.map(({ quick_check }) => String(quick_check)).filter((line) => line !== "ok");
    } catch (error) {
      if (!(stateErrorOf(error, "state.db") instanceof StateError)) throw error;
      return [(error as Error).message];
    }
  }

  /** Reads the journal once. */
  async topHosts(n: number): Promise<{ host: HostKey; requests: number; pending: number }[]> {
    const ended = new Bitmap();
    readEnded(this.#db, (id, _code, what) => (what === "returned" ? ended.delete(id) : ended.add(id)));
    const pending: number[] = [];
    readAdmitted(this.#db, (id, _hi, _lo, hostId) => {
      if (!ended.has(id)) pending[hostId] = (pending[hostId] ?? 0) + 1;
      return true;
    });
    return this.queries.topHosts(n).map(({ id, host, requests }) => ({ host, requests, pending: pending[id] ?? 0 }));
  }

  [Symbol.dispose](): void {
    this.#opened.close();
  }
}
