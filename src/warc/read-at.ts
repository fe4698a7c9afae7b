/** Reads one record whose place in the archive is known, by one read. */
import { constants } from "node:buffer";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { readFully } from "../base/read-fully.ts";
import type { Locator } from "../model/capture.ts";
import { header, type RawHeaders } from "../model/fetch-result.ts";
import { ArchiveError } from "./error.ts";
import { parseFields } from "./fields.ts";
import { OPEN_SUFFIX } from "./growing-file.ts";
import { answerIn } from "./http.ts";
import type { Unpacked } from "./packing.ts";
import { packingOf } from "./packings.ts";
import { HELD_BYTES } from "./pieces.ts";
import { readRecords, type WarcRecord } from "./reader.ts";

export interface ArchivedResponse {
  /** The record's own fields: [name, value, ...]. */
  readonly warcHeaders: RawHeaders;
  readonly statusLine: string;
  /** The response's fields as archived. */
  readonly rawHeaders: RawHeaders;
  /** As archived: content-encoding kept, chunks (which others archive) taken off. */
  readonly body: Buffer;
}

/**
 * The answer (of a response, revisit or resource) that stands at `locator` in the folder `dir`, by one read; also while
 * its file is still being written. Throws an `ArchiveError` with code "damaged" when it is not there.
 */
export async function readRecordAt(dir: string, locator: Locator): Promise<ArchivedResponse> {
  const path = join(dir, locator.file);
  return archivedIn(unpacked(await readRange(path, locator), path, locator));
}

function archivedIn({ fields, block }: WarcRecord): ArchivedResponse {
  const { startLine, rawHeaders, body } = answerIn(fields, block);
  return { warcHeaders: fields, statusLine: startLine, rawHeaders, body };
}

/** The record itself; of a long one, as `readRecords` gives it. Throws as `readRecordAt` does. */
export async function recordAt(dir: string, locator: Locator): Promise<WarcRecord> {
  const path = join(dir, locator.file);
  const { offset, length } = locator;
  if (length <= HELD_BYTES) {
    const member = await readRange(path, locator);
    const tried = packingOf(member)?.unpack(member, HELD_BYTES);
    if (tried?.kind !== "long") return recordOf(tried, path, locator);
  }
  for await (const record of readRecords(createReadStream(path, { start: offset, end: offset + length - 1 })))
    if (record.kind === "record") return { ...record, offset };
  throw notThere(path, locator, "it is no WARC record");
}

/** The answer in the bytes that were read at `locator` of the file `path`. Throws as `readRecordAt` does. */
export function recordIn(member: Buffer, path: string, locator: Locator): ArchivedResponse {
  return archivedIn(unpacked(member, path, locator));
}

const unpacked = (member: Buffer, path: string, locator: Locator): WarcRecord =>
  recordOf(packingOf(member)?.unpack(member, constants.MAX_LENGTH), path, locator);

function recordOf(tried: Unpacked | undefined, path: string, locator: Locator): WarcRecord {
  if (tried?.kind !== "unit") {
    const why = tried === undefined ? "it is not packed as records are" : "it is cut off";
    throw notThere(path, locator, tried?.kind === "bad" ? tried.why : why);
  }
  const { firstLine, fields, end } = parseFields(tried.bytes, 0, "utf8");
  const total = end + Number(header(fields, "content-length") ?? Number.NaN);
  if (!(total <= tried.bytes.length)) throw notThere(path, locator, "it is no WARC record");
  const { offset, length } = locator;
  const type = (header(fields, "warc-type") ?? "").toLowerCase();
  const block = tried.bytes.subarray(end, total);
  return {
    ...{ kind: "record", offset, length, version: firstLine.trim(), type, fields, block, flaws: [] },
    ...{ blockLength: block.length, checks: null },
  };
}

/** The file may be finished and renamed between two looks: so the final name is tried again. */
async function readRange(path: string, { offset, length }: Locator): Promise<Buffer> {
  for (const name of [path, path + OPEN_SUFFIX, path]) {
    const handle = await open(name, "r").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return null;
      throw cause;
    });
    if (handle === null) continue;
    try {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, await readFully(handle, buffer, offset));
    } finally {
      await handle.close();
    }
  }
  throw new ArchiveError("damaged", path, `archive file ${path} is gone`);
}

function notThere(path: string, { offset }: Locator, why: string): ArchiveError {
  return new ArchiveError("damaged", path, `no record can be read at ${offset} of ${path}: ${why}`);
}
