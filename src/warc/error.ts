/** What can go wrong with the archive on disk, as an error with a stable code and a sentence with the mend. */

export type ArchiveErrorCode =
  | "disk-full" // nothing was lost: what was appended is still in memory, and `sync` may be called again
  | "damaged" // the files hold less than what was committed
  | "io";

export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly code: ArchiveErrorCode;
  /** The path of the file in question. */
  readonly path: string;

  constructor(code: ArchiveErrorCode, path: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** A failed system call on `path`, in our words. */
export function archiveError(cause: unknown, path: string): ArchiveError {
  if (cause instanceof ArchiveError) return cause;
  const code = (cause as NodeJS.ErrnoException)?.code ?? "";
  if (NO_ROOM.has(code)) {
    const words = `no room left to write ${path} (${code}): make room, then run the same command again`;
    return new ArchiveError("disk-full", path, words, cause);
  }
  return new ArchiveError("io", path, `cannot write ${path} (${code || String(cause)})`, cause);
}
