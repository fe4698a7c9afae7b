/** Opens DIR/state.db: whose file it is, which version, and by whom it is held. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StateError, stateErrorOf } from "./errors.ts";
import { APPLICATION_ID, MIGRATIONS, SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { CREATE_VIEWS, DROP_VIEWS } from "./views.ts";

/** Page cache of the writer, in KiB. */
const CACHE_KIB = 65_536;

const LOCK_FILE = "lock.db";

export interface OpenDatabase {
  readonly db: DatabaseSync;
  /** Closes the database, then lets the lock go. */
  close(): void;
}

/** The one writer of a directory: locked, made if it is missing. @throws StateError */
export function openForWriting(dir: string): OpenDatabase {
  mkdirSync(dir, { recursive: true });
  const lockFile = join(dir, LOCK_FILE);
  const lockIsNew = !existsSync(lockFile);
  const lock = takeLock(lockFile, dir);
  try {
    const db = openState(join(dir, "state.db"), false);
    return {
      db,
      close() {
        db.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    if (lockIsNew) rmSync(lockFile, { force: true });
    throw error;
  }
}

/** Keeps other processes from a directory that has no state of its own. @throws StateError */
export function holdDirectory(dir: string): Disposable {
  const lock = takeLock(join(dir, LOCK_FILE), dir);
  return { [Symbol.dispose]: () => lock.close() };
}

/** A reader beside the writer: takes no lock, writes nothing. @throws StateError */
export function openForReading(dir: string): OpenDatabase {
  const file = join(dir, "state.db");
  if (!existsSync(file)) throw new StateError("missing", `there is no crawl in ${dir}: ${file} does not exist`);
  const db = openState(file, true);
  return { db, close: () => db.close() };
}

/** Whether a writer holds the directory now. Writes nothing, and holds nobody up. */
export function isHeld(dir: string): boolean {
  const file = join(dir, LOCK_FILE);
  if (!existsSync(file)) return false;
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { readOnly: true });
    headerValue(lock, "user_version");
    return false;
  } catch (error) {
    const known = stateErrorOf(error, file);
    if (known instanceof StateError && known.code === "locked") return true;
    throw known;
  } finally {
    lock?.close();
  }
}

/**
 * An exclusive lock that the kernel drops when the process dies: an open transaction on an empty database. (A lock on
 * state.db itself would keep its readers out.)
 */
function takeLock(file: string, dir: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    const known = stateErrorOf(error, file);
    if (!(known instanceof StateError && known.code === "locked")) throw known;
    throw new StateError(
      "locked",
      `the crawl in ${dir} is being run by another process; stop it, or name another directory with --dir`,
      error,
    );
  }
}

function openState(file: string, readOnly: boolean): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly, timeout: 5_000 });
    const isNew = headerValue(db, "application_id") === 0 && headerValue(db, "schema_version") === 0;
    if (isNew && readOnly) throw new StateError("missing", `${file} is empty: no crawl has begun there`);
    if (!isNew) check(db, file, readOnly);
    if (!readOnly) {
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB};
        PRAGMA temp_store = MEMORY;`);
      if (isNew) create(db);
      else migrate(db);
    }
    return db;
  } catch (error) {
    db?.close();
    throw stateErrorOf(error, file);
  }
}

function check(db: DatabaseSync, file: string, readOnly: boolean): void {
  if (headerValue(db, "application_id") !== APPLICATION_ID)
    throw new StateError("foreign", `${file} is a database, but not a state of Trawl; choose another directory`);
  const version = headerValue(db, "user_version");
  if (version > SCHEMA_VERSION)
    throw new StateError(
      "state-newer",
      `${file} was written by a newer Trawl (state version ${version}, this one knows ${SCHEMA_VERSION}); update Trawl, or choose another directory`,
    );
  if (version === SCHEMA_VERSION) return;
  if (!MIGRATIONS.has(version))
    throw new StateError(
      "state-older",
      `${file} was written by an older Trawl (state version ${version}, this one knows ${SCHEMA_VERSION}); go on with that one, choose another directory, or begin again with --overwrite`,
    );
  if (readOnly)
    throw new StateError(
      "state-older",
      `${file} was written by an older Trawl (state version ${version}, this one knows ${SCHEMA_VERSION}); let this one go on with its crawl, which brings it up to date, or look at it with the older one`,
    );
}

/** Brings a state of an older version up to date, wholly or not at all. */
function migrate(db: DatabaseSync): void {
  const from = headerValue(db, "user_version");
  if (from === SCHEMA_VERSION) return;
  const steps = [...MIGRATIONS].filter(([version]) => version >= from).map(([, sql]) => sql);
  try {
    db.exec(`BEGIN IMMEDIATE; ${DROP_VIEWS} ${steps.join("\n")} ${CREATE_VIEWS}
      PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function create(db: DatabaseSync): void {
  db.exec(`BEGIN IMMEDIATE; ${SCHEMA}
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
}

function headerValue(db: DatabaseSync, name: "application_id" | "schema_version" | "user_version"): number {
  return db.prepare(`PRAGMA ${name}`).get()![name] as number;
}
