/**
 * An archive whose bytes are in a store before anybody speaks of them. What each sync made durable on the disk goes up as
 * a segment, `segments/FILE/OFFSET`: the segments of a file, one behind the other, are the file as far as it is committed.
 * When the file is finished it goes up whole, as `archive/FILE`, and its segments go.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { readFully } from "../base/read-fully.ts";
import type { ArchiveMark, Capture } from "../model/capture.ts";
import type { FetchResponse } from "../model/fetch-result.ts";
import type { Archive, ArchiveNote } from "../ports/archive.ts";
import { type Blob, BlobError, type BlobKey, type Blobs, type Range } from "../ports/blobs.ts";
import type { Patience } from "./patience.ts";

/** Larger ones are in memory as a whole, and lost as a whole when the connection breaks. */
const SEGMENT_MOST = 8 << 20;

const OPEN_SUFFIX = ".open";
const folderOf = (file: string): string => `segments/${file}/`;
const segmentKey = (file: string, offset: number): BlobKey => folderOf(file) + String(offset).padStart(16, "0");

export const archiveKey = (file: string): BlobKey => `archive/${file}`;

export interface SegmentedParts {
  readonly archive: Archive;
  readonly blobs: Blobs;
  /** The folder of the archive's files. */
  readonly dir: string;
  readonly patience: Patience;
  /** Called when a segment is in place, before anything speaks of it. */
  readonly fault?: ((point: string) => void) | undefined;
}

/** Disposes of the archive; the store is the caller's. */
export function segmentedArchive({ archive, blobs, dir, patience, fault }: SegmentedParts): Archive {
  /** By file: how far its segments reach. */
  const sent = new Map<string, number>();

  async function send({ file, bytes }: ArchiveMark, signal?: AbortSignal): Promise<void> {
    let from = sent.get(file) ?? 0;
    const { handle, isOpen } = await opened(join(dir, file));
    try {
      while (from < bytes) {
        const piece = Buffer.allocUnsafe(Math.min(bytes - from, SEGMENT_MOST));
        await readWhole(handle, piece, from);
        const at = from;
        await patience(() => blobs.put(segmentKey(file, at), piece), signal);
        fault?.("segment");
        from += piece.length;
        sent.set(file, from);
      }
    } finally {
      await handle.close();
    }
    if (!isOpen) sent.delete(file); // nothing more comes of it
  }

  return {
    digest: (body) => archive.digest(body),
    append: (response: FetchResponse, note: ArchiveNote): Capture => archive.append(response, note),
    async sync(signal) {
      const marks = await archive.sync(signal);
      for (const mark of marks) await send(mark, signal);
      return marks;
    },
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}

type Handle = Awaited<ReturnType<typeof open>>;

/** The file, which may be finished, and so renamed, between two looks. */
async function opened(path: string): Promise<{ handle: Handle; isOpen: boolean }> {
  const absent = (cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    return null;
  };
  const growing = await open(path + OPEN_SUFFIX).catch(absent);
  return growing === null ? { handle: await open(path), isOpen: false } : { handle: growing, isOpen: true };
}

async function readWhole(handle: Handle, piece: Buffer, position: number): Promise<void> {
  if ((await readFully(handle, piece, position)) < piece.length)
    throw new Error("an archive file is shorter than what was synced of it");
}

/** In order. */
async function segmentsOf(blobs: Blobs, file: string): Promise<readonly (Blob & { readonly offset: number })[]> {
  const found: (Blob & { readonly offset: number })[] = [];
  for await (const blob of blobs.list(folderOf(file)))
    found.push({ ...blob, offset: Number(blob.key.slice(blob.key.lastIndexOf("/") + 1)) });
  return found;
}

/** The bytes of a file that has not gone up whole, as far as its segments reach without a gap. */
export async function* segmentBytes(
  blobs: Blobs,
  file: string,
  range: Range = { offset: 0, length: Number.MAX_SAFE_INTEGER },
): AsyncGenerator<Uint8Array> {
  let at = range.offset;
  const end = range.offset + range.length;
  for (const { key, offset, bytes } of await segmentsOf(blobs, file)) {
    if (offset + bytes <= at) continue;
    if (offset > at || at >= end) return;
    const length = Math.min(offset + bytes, end) - at;
    yield* blobs.get(key, { offset: at - offset, length });
    at += length;
  }
}

/**
 * The bytes of a file in a store, whole or in segments: also when it goes up whole, and its segments go, while they are read.
 * Fewer where it ends before, none where there is nothing of it.
 */
export async function* storedBytes(blobs: Blobs, file: string, { offset, length }: Range): AsyncGenerator<Uint8Array> {
  const end = offset + length;
  let at = offset;
  const whole = (rest: Range) => blobs.get(archiveKey(file), rest);
  const segments = (rest: Range) => segmentBytes(blobs, file, rest);
  for (const source of [whole, segments, whole]) {
    try {
      for await (const piece of source({ offset: at, length: end - at })) {
        at += piece.length;
        yield piece;
      }
      if (source === whole || at >= end) return;
    } catch (cause) {
      if (!(cause instanceof BlobError && cause.code === "store-missing")) throw cause;
    }
  }
}

/** How far its segments reach without a gap. */
export async function segmentedLength(blobs: Blobs, file: string): Promise<number> {
  let length = 0;
  for (const { offset, bytes } of await segmentsOf(blobs, file))
    if (offset <= length) length = Math.max(length, offset + bytes);
  return length;
}

/** The names of all files that have segments. */
export async function segmentedFiles(blobs: Blobs): Promise<readonly string[]> {
  const files = new Set<string>();
  for await (const { key } of blobs.list("segments/")) files.add(key.split("/")[1]!);
  return [...files];
}

export async function removeSegments(blobs: Blobs, file: string): Promise<void> {
  await blobs.remove((await segmentsOf(blobs, file)).map(({ key }) => key));
}
