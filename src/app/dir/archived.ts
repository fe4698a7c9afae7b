/** Reads one record of a crawl's archive, on this disk or, where its file is no longer here, by a ranged read of the store. */
import { join } from "node:path";
import { archiveKey, segmentBytes } from "../../blobs/segments.ts";
import type { Locator } from "../../model/capture.ts";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import { ArchiveError } from "../../warc/error.ts";
import { type ArchivedResponse, readRecordAt, recordIn } from "../../warc/read-at.ts";
import { isHere, storeOf } from "./store.ts";

/** Throws an `ArchiveError` with code "damaged" when it is in neither, a `BlobError` when the store cannot be asked. */
export async function archivedAt(dir: string, locator: Locator): Promise<ArchivedResponse> {
  const folder = join(dir, "archive");
  try {
    if (await isHere(folder, locator.file)) return await readRecordAt(folder, locator);
  } catch (cause) {
    // It may have gone up, and away, between two looks.
    if (!(cause instanceof ArchiveError) || (await isHere(folder, locator.file))) throw cause;
  }
  await using blobs = await storeOf(dir);
  if (blobs === null) return readRecordAt(folder, locator);
  const place = `${blobs.name}/${archiveKey(locator.file)}`;
  return recordIn(await memberIn(blobs, locator), place, locator);
}

/**
 * The answer at `place` with the body that the record at `body` holds; null: an empty one. Where the answer was that
 * nothing had changed, the body's own fields say how it is to be read.
 */
export async function answerAt(dir: string, place: Locator, body: Locator | null): Promise<ArchivedResponse> {
  const answer = await archivedAt(dir, place);
  if (body === place) return answer;
  if (body === null) return { ...answer, body: Buffer.alloc(0) };
  const original = await archivedAt(dir, body);
  const { rawHeaders } = /^\S+ 304\b/.test(answer.statusLine) ? original : answer;
  return { ...answer, rawHeaders, body: original.body };
}

async function memberIn(blobs: Blobs, { file, offset, length }: Locator): Promise<Buffer> {
  try {
    return await collected(blobs.get(archiveKey(file), { offset, length }));
  } catch (cause) {
    if (!(cause instanceof BlobError) || cause.code !== "store-missing") throw cause;
    return collected(segmentBytes(blobs, file, { offset, length }));
  }
}

async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
