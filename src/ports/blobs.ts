/**
 * Where whole files are kept under names: a directory, or an object store that speaks S3.
 *
 * Promises, which `test/conformance/blobs.ts` proves on each:
 * 1. A key is there whole or not at all: until `put` or `putFile` has gone well, a reader finds what was there before.
 * 2. When they resolve, what is kept is durable, and has been held against what was given: size and check sum.
 * 3. `putFile` that was broken off, also by kill -9, can be called again; it goes on where it can, and leaves nothing behind.
 * 4. What goes wrong is a `BlobError`; when its code is "away", the same call may go well later.
 */

/** Names of blobs: parts of letters, digits and `-_.~`, joined by `/`; no part is empty, `.` or `..`. */
export type BlobKey = string;

export interface Blob {
  readonly key: BlobKey;
  readonly bytes: number;
}

export interface Range {
  readonly offset: number;
  readonly length: number;
}

export interface PutOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when a part of a large file is in place. */
  readonly onPart?: ((part: number, of: number) => void) | undefined;
}

export interface Blobs extends AsyncDisposable {
  /** How people know it: `s3://bucket/prefix`, or a path. */
  readonly name: string;
  /** Keeps bytes under `key`, in the place of what was there. */
  put(key: BlobKey, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** The same with a whole file, which must not change meanwhile; in parts, so that little of it is in memory. */
  putFile(key: BlobKey, path: string, options?: PutOptions): Promise<void>;
  /** All of a blob, or the range, in pieces. Fewer bytes where it ends before. Rejects with "missing" when it is not there. */
  get(key: BlobKey, range?: Range): AsyncIterable<Uint8Array>;
  /** Null when it is not there. */
  head(key: BlobKey): Promise<Blob | null>;
  /** All blobs whose keys begin with `prefix`, in order of key (by code unit); those behind the key `after`, if one is told. */
  list(prefix: string, after?: BlobKey): AsyncIterable<Blob>;
  /** What is not there is no error. */
  remove(keys: readonly BlobKey[]): Promise<void>;
}

/**
 * away: it cannot be reached, or fails, or is too slow. refused: it answers, and does not want us (credentials, rights, a
 * bucket that is not there). missing: no such key. corrupt: what is kept is not what was given. full: no room.
 */
export type BlobErrorCode = "away" | "refused" | "missing" | "corrupt" | "full";

export class BlobError extends Error {
  override readonly name = "BlobError";
  readonly code: `store-${BlobErrorCode}`;

  /** `message`: one sentence that names the store and says the mend. */
  constructor(code: BlobErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = `store-${code}`;
  }
}
