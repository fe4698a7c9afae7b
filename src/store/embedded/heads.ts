/**
 * What is leased next on hosts, read ahead by the thread that reads: in a large crawl each row is on a page of the file
 * that was not looked at for hours. What is not here yet when it is leased is read then.
 */
import type { LeasedUrl } from "../../model/lease.ts";
import type { ActiveHost } from "./active-host.ts";
import type { DiskPace, DiskThread } from "./disk-thread.ts";
import type { LeasedRow } from "./rows.ts";
import type { Next } from "./schedule.ts";
import type { UrlReader } from "./url-reader.ts";
import type { UrlStates } from "./url-states.ts";

/** Rows held or asked for at most. */
const MOST = 131_072;

export class Heads {
  readonly #thread: DiskThread;
  readonly #reader: UrlReader;
  readonly #newest: number;
  /** A number: asked for in that question. */
  readonly #rows = new Map<number, LeasedRow | number>();
  #questions = 0;

  constructor(thread: DiskThread, reader: UrlReader, { newest }: DiskPace) {
    this.#newest = newest;
    this.#thread = thread;
    this.#reader = reader;
    thread.hear((answer) => {
      if (answer.kind !== "rows") return;
      // What has been leased or changed in the meantime is not waited for any more, or in a later answer.
      for (const row of answer.rows) if (this.#rows.get(row[0]) === answer.question) this.#rows.set(row[0], row);
    });
  }

  /** After a transaction: asks for what comes next on these hosts. `nextId`: one more than all ids given. */
  readAhead(hosts: Iterable<ActiveHost>, nextId: number, states: UrlStates): void {
    if (!this.#thread.isStarted) return;
    const question = ++this.#questions;
    const ids: number[] = [];
    for (const host of hosts) {
      const id = host.peek(states);
      if (id === 0 || id + this.#newest > nextId || this.#rows.size >= MOST || this.#rows.has(id)) continue;
      this.#rows.set(id, question);
      ids.push(id);
    }
    if (ids.length > 0) this.#thread.ask({ kind: "read", question, ids });
  }

  /** The row has changed. */
  forget(id: number): void {
    this.#rows.delete(id);
  }

  /** What is leased now, in the order given. */
  take(next: readonly Next[]): LeasedUrl[] {
    const missing = next.flatMap(({ id }) => (typeof this.#rows.get(id) === "object" ? [] : id));
    for (const row of this.#reader.read(missing)) this.#rows.set(row[0], row);
    return next.map(({ id, host }) => {
      const [, href, depth, hops, via, source, priority, admittedAt] = this.#rows.get(id) as LeasedRow;
      this.#rows.delete(id);
      return { id, href, host: host.name, depth, hops, via, source, priority, admittedAt };
    });
  }
}
