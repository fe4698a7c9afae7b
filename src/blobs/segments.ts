/**
 * An archive whose bytes are in a store before anybody speaks of them. What each sync made durable on the disk goes up as
 * a segment, `segments/FILE/OFFSET`: the segments of a file, one behind the other, are the file as far as it is committed.
 * When the file is finished it goes up whole, as `archive/FILE`, and its segments go.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { ahead } from "../base/in-step.ts";
import { readFully } from "../base/read-fully.ts";
import type { ArchiveMark, Capture } from "../model/capture.ts";
import type { FetchResponse } from "../model/fetch-result.ts";
import type { Archive, ArchiveNote } from "../ports/archive.ts";
import type { Blob, BlobKey, Blobs, Range } from "../ports/blobs.ts";
import type { Patience } from "./patience.ts";

/** Larger ones are in memory as a whole, and lost as a whole when the connection breaks. */
const SEGMENT_MOST = 8 << 20;

/** Segments that are on their way while one is read. */
const AT_ONCE = 4;

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

/** A piece of a file. */
export interface Segment extends Blob {
  /** In the file. */
  readonly offset: number;
}

/** In order; those behind the one with the key `after`. */
export async function* segmentsOf(blobs: Blobs, file: string, after?: BlobKey): AsyncGenerator<Segment> {
  for await (const blob of blobs.list(folderOf(file), after))
    yield { ...blob, offset: Number(blob.key.slice(blob.key.lastIndexOf("/") + 1)) };
}

/**
 * The bytes of a file as far as its segments reach without a gap. Throws a `BlobError` with code "store-missing" when one of
 * them is there no more.
 */
export async function* bytesOf(
  blobs: Pick<Blobs, "get">,
  segments: readonly Segment[],
  { offset: from, length }: Range,
): AsyncGenerator<Uint8Array> {
  const parts: { readonly key: BlobKey; readonly range: Range }[] = [];
  let at = from;
  for (const { key, offset, bytes } of segments) {
    if (offset + bytes <= at) continue;
    if (offset > at || at >= from + length) break;
    const to = Math.min(offset + bytes, from + length);
    parts.push({ key, range: { offset: at - offset, length: to - at } });
    at = to;
  }
  const pieces = ahead(parts, AT_ONCE, async ({ key, range }) => {
    const piece = Buffer.concat(await Array.fromAsync(blobs.get(key, range)));
    return { piece, isWhole: piece.length === range.length };
  });
  for await (const { piece, isWhole } of pieces) {
    yield piece;
    if (!isWhole) return;
  }
}

/** The names of all files that have segments. */
export async function segmentedFiles(blobs: Blobs): Promise<readonly string[]> {
  const files = new Set<string>();
  for await (const { key } of blobs.list("segments/")) files.add(key.split("/")[1]!);
  return [...files];
}

export async function removeSegments(blobs: Blobs, file: string): Promise<void> {
  await blobs.remove((await Array.fromAsync(segmentsOf(blobs, file))).map(({ key }) => key));
}
