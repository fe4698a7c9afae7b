/**
 * An archive file while it grows. Bytes wait in memory until `sync`; on disk the file is called `NAME.open` until it is
 * finished, and holds nothing that anyone may believe behind its durable length.
 */
import { open, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { archiveError } from "./error.ts";

export const OPEN_SUFFIX = ".open";

/** What is used of a file handle; a test puts a full disk in its place. */
export interface WritableFile {
  writev(buffers: readonly Uint8Array[], position: number): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Makes a new file for writing; fails with EEXIST when there is one. */
export type CreateFile = (path: string) => Promise<WritableFile>;

export const createFile: CreateFile = (path) => open(path, "wx", 0o644);

export class GrowingFile {
  /** The name it will have when finished. */
  readonly name: string;
  readonly #dir: string;
  readonly #create: CreateFile;
  #pending: Buffer[] = [];
  #length = 0;
  #durable = 0;
  #file: WritableFile | null = null;
  #finished = false;
  #closed = false;

  constructor(dir: string, name: string, create: CreateFile) {
    this.#dir = dir;
    this.name = name;
    this.#create = create;
  }

  /** With what waits in memory. */
  get length(): number {
    return this.#length;
  }

  get durable(): number {
    return this.#durable;
  }

  /** True once the file is whole, closed and under its final name. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Takes the buffer as its own; the offset at which it will stand. */
  append(bytes: Buffer): number {
    const offset = this.#length;
    this.#pending.push(bytes);
    this.#length += bytes.length;
    return offset;
  }

  /** Nothing more will come: the next `sync` closes and renames. */
  finish(): void {
    this.#finished = true;
  }

  /**
   * Makes durable all that was appended before the call. Throws an `ArchiveError`; then the file is as it was, the bytes
   * still wait, and the call can be made again.
   */
  async sync(): Promise<void> {
    const path = join(this.#dir, this.name + OPEN_SUFFIX);
    try {
      if (this.#pending.length > 0) await this.#write(path);
      if (this.#finished && this.#pending.length === 0) await this.#close(path);
    } catch (cause) {
      throw archiveError(cause, path);
    }
  }

  /** Closes without writing: what is not durable is dropped, a file with nothing durable is removed. */
  async abandon(): Promise<void> {
    this.#pending = [];
    this.#length = this.#durable;
    this.#finished = true;
    const path = join(this.#dir, this.name + OPEN_SUFFIX);
    try {
      await this.#file?.truncate(this.#durable);
      await this.#close(path);
    } catch (cause) {
      await this.#file?.close().catch(() => {}); // it stays `.open`: repair will cut it
      throw archiveError(cause, path);
    }
  }

  async #write(path: string): Promise<void> {
    const batch = this.#pending.slice();
    if (this.#file === null) {
      this.#file = await this.#create(path);
      await syncDirectory(this.#dir);
    }
    try {
      const end = await writeAll(this.#file, batch, this.#durable);
      await this.#file.datasync();
      this.#pending.splice(0, batch.length);
      this.#durable = end;
    } catch (cause) {
      await this.#file.truncate(this.#durable).catch(() => {}); // gives the room back; only a courtesy
      throw cause;
    }
  }

  async #close(path: string): Promise<void> {
    if (this.#closed) return;
    if (this.#file !== null) {
      const file = this.#file;
      this.#file = null;
      await file.close();
    } else if (this.#durable === 0) {
      this.#closed = true; // it was never made
      return;
    }
    if (this.#durable > 0) await rename(path, join(this.#dir, this.name));
    else await unlink(path);
    await syncDirectory(this.#dir);
    this.#closed = true;
  }
}

/** Writes all, though the system may take it in parts; the position behind the last byte. */
async function writeAll(file: WritableFile, buffers: readonly Uint8Array[], position: number): Promise<number> {
  let rest = buffers;
  let at = position;
  while (rest.length > 0) {
    let { bytesWritten } = await file.writev(rest, at);
    if (bytesWritten === 0) throw new Error("the system takes no more bytes and gives no reason");
    at += bytesWritten;
    let whole = 0;
    while (whole < rest.length && bytesWritten >= rest[whole]!.length) bytesWritten -= rest[whole++]!.length;
    rest = rest.slice(whole);
    if (bytesWritten > 0) rest = [rest[0]!.subarray(bytesWritten), ...rest.slice(1)];
  }
  return at;
}

/** Makes new and changed names in a directory durable, where the system can. */
export async function syncDirectory(dir: string): Promise<void> {
  if (process.platform === "win32") return; // directories cannot be opened there
  const handle = await open(dir, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
