/** Blobs as files of a directory: on another disk, or one that is mounted from another machine. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { crc32 } from "node:zlib";
import { type Blob, BlobError, type BlobKey, type Blobs, type PutOptions, type Range } from "../ports/blobs.ts";
import { checkKey } from "./key.ts";

/**
 * Where files grow; a part of no key's path, since keys do not begin with it. One name a writer and key: what a crash left is
 * written over, and nobody writes where another does.
 */
const INCOMING = ".trawl-incoming";

/** Blobs below `root`, which is made with the first of them. `writer`: tells apart those who may put one key at the same time. */
export function directoryBlobs(root: string, writer = ""): Blobs {
  return new DirectoryBlobs(root, writer);
}

class DirectoryBlobs implements Blobs {
  readonly name: string;

  readonly #incoming: string;

  constructor(root: string, writer: string) {
    this.name = root;
    this.#incoming = join(root, INCOMING, writer);
  }

  async put(key: BlobKey, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#keep(key, [bytes], signal);
  }

  async putFile(key: BlobKey, path: string, { signal, onPart }: PutOptions = {}): Promise<void> {
    await this.#keep(key, read(path), signal);
    onPart?.(1, 1);
  }

  async *get(key: BlobKey, range?: Range): AsyncGenerator<Uint8Array> {
    if (range?.length === 0) return;
    const bounds = range === undefined ? {} : { start: range.offset, end: range.offset + range.length - 1 };
    try {
      yield* createReadStream(this.#path(key), bounds);
    } catch (cause) {
      throw this.#error(cause, key);
    }
  }

  async head(key: BlobKey): Promise<Blob | null> {
    try {
      const entry = await stat(this.#path(key));
      return entry.isFile() ? { key, bytes: entry.size } : null;
    } catch (cause) {
      const error = this.#error(cause, key);
      if (error.code === "store-missing") return null;
      throw error;
    }
  }

  async *list(prefix: string, after = ""): AsyncGenerator<Blob> {
    const keys: string[] = [];
    try {
      // A prefix may end inside a name; the folder above it holds all that it can mean.
      const below = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      for (const entry of await readdir(join(this.name, below), { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const key = join(entry.parentPath, entry.name).slice(join(this.name, sep).length).replaceAll(sep, "/");
        if (key > after && key.startsWith(prefix) && !key.startsWith(`${INCOMING}/`)) keys.push(key);
      }
    } catch (cause) {
      const error = this.#error(cause, prefix);
      if (error.code !== "store-missing") throw error;
    }
    for (const key of keys.sort()) {
      const blob = await this.head(key);
      if (blob !== null) yield blob;
    }
  }

  async remove(keys: readonly BlobKey[]): Promise<void> {
    try {
      for (const key of keys) await rm(this.#path(key), { force: true });
    } catch (cause) {
      throw this.#error(cause, keys[0]!);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #path(key: BlobKey): string {
    return join(this.name, checkKey(key));
  }

  async #keep(
    key: BlobKey,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<void> {
    const path = this.#path(key);
    const beside = join(this.#incoming, encodeURIComponent(key));
    let source: unknown = null;
    try {
      await mkdir(dirname(beside), { recursive: true });
      await mkdir(dirname(path), { recursive: true });
      const file = await open(beside, "w");
      let given = 0;
      try {
        const watched = (async function* () {
          try {
            yield* pieces;
          } catch (cause) {
            source = cause; // the file that is read is at fault, not the store
            throw cause;
          }
        })();
        for await (const piece of watched) {
          signal?.throwIfAborted();
          given = crc32(piece, given);
          await file.writeFile(piece);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      if ((await crcOf(beside)) !== given)
        throw new BlobError("corrupt", `${path} does not read back as it was written: look at the disk`);
      await rename(beside, path);
      await syncFolder(dirname(path));
    } catch (cause) {
      await rm(beside, { force: true }).catch(() => {});
      if (source !== null || signal?.aborted) throw cause;
      throw this.#error(cause, key);
    }
  }

  #error(cause: unknown, key: string): BlobError {
    if (cause instanceof BlobError) return cause;
    const { code = "", message } = cause as NodeJS.ErrnoException;
    if (code === "") throw cause;
    const path = join(this.name, key);
    if (code === "ENOENT" || code === "ENOTDIR") return new BlobError("missing", `there is no ${path}`, cause);
    if (code === "ENOSPC" || code === "EDQUOT")
      return new BlobError("full", `no room left in ${this.name} (${code}): make room there`, cause);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS")
      return new BlobError("refused", `${path} cannot be written (${code}): change its permissions, or --store`, cause);
    return new BlobError("away", `${path} cannot be used (${message}): look at the disk`, cause);
  }
}

const CHUNK_BYTES = 1 << 20;

/** Opened when the first piece is asked for, so that somebody is there for its errors. */
async function* read(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

async function crcOf(path: string): Promise<number> {
  if ((await stat(path)).size <= CHUNK_BYTES) return crc32(await readFile(path));
  let crc = 0;
  for await (const piece of read(path)) crc = crc32(piece, crc);
  return crc;
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return; // directories cannot be opened there
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
