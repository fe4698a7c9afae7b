/** What can be wrong with a directory's state. Each error has a stable `code` and says the mend. */

export type StateErrorCode =
  /** Another process has the crawl open. */
  | "locked"
  /** state.db is not Trawl's, or is damaged. */
  | "foreign"
  /** state.db was written by a newer Trawl. */
  | "state-newer"
  /** state.db was written by an older Trawl, whose tables this one does not read. */
  | "state-older"
  /** There is no state.db. */
  | "missing"
  /** The disk is full, or fails. */
  | "disk"
  /** The files may not be opened or written. */
  | "unwritable"
  /** A write failed before: memory and disk may differ, so nothing more is done until the crawl is opened again. */
  | "failed";

export class StateError extends Error {
  readonly code: StateErrorCode;

  constructor(code: StateErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StateError";
    this.code = code;
  }
}

/** SQLite's primary result codes that have a meaning here (sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const IO = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** An error of SQLite as a StateError about `file`; any other error as it is. */
export function stateErrorOf(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  const says = error instanceof Error ? error.message : String(error);
  switch (code) {
    case BUSY:
    case LOCKED:
      return new StateError("locked", `${file} is in use by another process; wait for it, or stop it`, error);
    case CORRUPT:
    case NOT_A_DATABASE:
      return new StateError(
        "foreign",
        `${file} is not a state of Trawl, or is damaged (${says}); choose another directory, or start again with --overwrite`,
        error,
      );
    case READ_ONLY:
    case CANNOT_OPEN:
      return new StateError(
        "unwritable",
        `${file} cannot be opened for writing (${says}); check that it is a file and its permissions, or name another directory with --dir`,
        error,
      );
    case IO:
    case FULL:
      return new StateError(
        "disk",
        `${file} cannot be read or written (${says}); free some space or mend the disk, then run the same command again`,
        error,
      );
    default:
      return error;
  }
}

function sqliteCode(error: unknown): number | null {
  const code = error instanceof Error && "errcode" in error ? error.errcode : null;
  return typeof code === "number" ? code & 0xff : null;
}
