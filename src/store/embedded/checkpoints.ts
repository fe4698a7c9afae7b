/**
 * SQLite's log is brought into the database file by another thread: tens of megabytes are copied and synced.
 *
 * The log begins anew only when all of it is in the file, which never happens while the writer goes on. So the thread
 * goes after the writer until little is left, and that little is done here, between two transactions. Where there is no
 * turn for that, or no thread, SQLite does it all by itself when the log has grown to `LONGEST` times its measure.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { DiskPace, DiskThread } from "./disk-thread.ts";

/** Times `logPages`. */
const LONGEST = 4;
/** Transactions between two looks at the length of the log. */
const LOOK_EVERY = 16;

const WAIT_MS = 5;
/** Nobody wakes who waits here. */
const NOBODY = new Int32Array(new SharedArrayBuffer(4));

export class Checkpoints {
  readonly #thread: DiskThread;
  readonly #pages: number;
  readonly #look: StatementSync;
  readonly #rest: StatementSync;
  #transactions = 0;
  #state: "idle" | "working" | "nearly done" = "idle";

  constructor(db: DatabaseSync, thread: DiskThread, { logPages }: DiskPace) {
    this.#thread = thread;
    this.#pages = logPages;
    thread.hear(({ kind }) => {
      if (kind === "checkpointed") this.#state = "nearly done";
    });
    // NOOP only tells the length; before SQLite 3.51 it is taken for PASSIVE, which is more than asked for and does no harm.
    this.#look = db.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#rest = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    db.exec(`PRAGMA wal_autocheckpoint = ${logPages * LONGEST}`);
  }

  /** Between two transactions. */
  step(): void {
    if (this.#state === "nearly done") {
      this.#state = "idle";
      try {
        this.now();
      } catch {
        // A full disk. Nothing is lost while the log stands; the next transaction says what there is to say.
      }
    }
    if (this.#state === "working" || ++this.#transactions % LOOK_EVERY !== 0) return;
    if ((this.#look.get()!.log as number) < this.#pages) return;
    this.#state = "working";
    this.#thread.ask({ kind: "checkpoint" });
  }

  /** All of the log goes into the file, and to the disk, up to what a reader needs as it is; false when that is left. */
  now(): boolean {
    for (;;) {
      const { busy, log, checkpointed } = this.#rest.get()!;
      if (busy === 0) return log === checkpointed;
      Atomics.wait(NOBODY, 0, 0, WAIT_MS); // only one can do it at a time, and the other thread does
    }
  }
}
