/** The entry of the thread that `DiskThread` starts: one connection to the database, which never writes a row. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { FromDisk, ToDisk } from "./disk-thread.ts";
import { UrlReader } from "./url-reader.ts";

/** So many pages of the log are little. */
const LITTLE = 1024;
/** A writer that is as quick as this thread is not followed further. */
const ROUNDS = 8;

const port = parentPort;
if (port === null) throw new Error("disk-thread-entry.ts is started as a worker thread, not by itself");

const db = new DatabaseSync(workerData as string);
db.exec("PRAGMA synchronous = NORMAL"); // as the writer has it
const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
const urls = new UrlReader(db);

/** Goes after the writer of the log until little is left of it. */
function followLog(): void {
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const log = checkpoint.get()!.log as number;
    if (log - before <= LITTLE) return;
    before = log;
  }
}

function answer(what: ToDisk): FromDisk {
  switch (what.kind) {
    case "checkpoint":
      followLog();
      return { kind: "checkpointed" };
    case "read":
      return { kind: "rows", question: what.question, rows: urls.read(what.ids) };
  }
}

// What fails (a full disk, say) ends the thread; the writer meets it too, and says what there is to say.
port.on("message", (what: ToDisk) => port.postMessage(answer(what)));
