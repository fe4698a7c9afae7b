/** Writes a file whole or not at all: beside its target, made durable, then put in its place. */
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { besidePath } from "./beside.ts";

/** What a file is made of, in order: texts (UTF-8) and bytes. */
export type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const BATCH_CHARACTERS = 1 << 16;

/**
 * Replaces the file at `path` by texts and bytes in order. Readers see the old file or the new one, never a part. Where a
 * link leads to a file, that one is replaced; what is there and is no file (a device, a pipe) is written to. At most one
 * batch is in memory. `mode` is that of a new file. Throws what the texts or the file system throw; then the old file stands and nothing is left beside it.
 */
export async function replaceFile(path: string, texts: Chunks, mode = 0o644): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there !== null && !there.isFile() && !there.isDirectory()) {
    await using device = await open(path, "w");
    return await naming(path, () => writeTexts(device, texts));
  }
  const target = there === null ? path : await realpath(path);
  const beside = besidePath(target);
  try {
    await naming(target, async () => {
      const file = await open(beside, "w", mode);
      try {
        await writeTexts(file, texts);
        await file.datasync();
      } finally {
        await file.close();
      }
    });
    await rename(beside, target);
  } catch (cause) {
    await rm(beside, { force: true });
    throw cause;
  }
}

/** What the system says of a file that is open (that its disk is full) does not name it: such errors of `work` name `path`. */
export async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error && "errno" in cause && !("path" in cause)) Object.assign(cause, { path });
    throw cause;
  }
}

/** Appends texts and bytes in order, in batches. */
export async function writeTexts(file: FileHandle, texts: Chunks): Promise<void> {
  let batch = "";
  const flush = async () => {
    await file.appendFile(batch);
    batch = "";
  };
  const takeBytes = async (bytes: Uint8Array) => {
    if (batch !== "") await flush();
    await file.appendFile(bytes);
  };
  if (Symbol.iterator in texts) {
    for (const text of texts) {
      if (typeof text === "string") batch += text;
      else await takeBytes(text);
      if (batch.length >= BATCH_CHARACTERS) await flush(); // waits for the disk only, not once a text
    }
  } else {
    for await (const text of texts) {
      if (typeof text === "string") batch += text;
      else await takeBytes(text);
      if (batch.length >= BATCH_CHARACTERS) await flush();
    }
  }
  if (batch !== "") await flush();
}
