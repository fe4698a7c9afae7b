/** Records of a file as others wrote it, each a gzip member as ours are: so that any one can be read alone. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { GZIP } from "./gzip.ts";
import { piecesOf } from "./pieces.ts";
import { readRecords, type WarcRecord } from "./reader.ts";

const LEVEL = 1;
const TRAILER = "\r\n\r\n";

/**
 * The file at `path`, in pieces. What cannot be read is left out, and what `isTooLong`. Fields and blocks stay as they
 * were.
 */
export async function* repacked(path: string): AsyncGenerator<Buffer> {
  const { size: bytes } = await stat(path);
  for await (const record of readRecords(createReadStream(path), { bytes })) {
    if (record.kind === "damage" || isTooLong(record)) continue;
    if (record.checks === null) yield GZIP.pack(textOf(record), LEVEL);
    else yield* Readable.from(longText(path, record)).pipe(createGzip({ level: LEVEL })) as AsyncIterable<Buffer>;
  }
}

/** Whether a record is neither in memory as a whole nor stands alone, so that it could be read again. */
export function isTooLong({ checks, flaws }: WarcRecord): boolean {
  return checks !== null && flaws.includes("shared-member");
}

function textOf({ version, fields, block }: WarcRecord): Buffer {
  let head = `${version}\r\n`;
  for (let i = 0; i + 1 < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return Buffer.concat([Buffer.from(`${head}\r\n`, "utf8"), block, Buffer.from(TRAILER)]);
}

async function* longText(path: string, { offset, length, flaws }: WarcRecord): AsyncGenerator<Buffer> {
  const range = createReadStream(path, { start: offset, end: offset + length - 1 });
  for await (const { bytes } of piecesOf(range)) yield bytes;
  if (flaws.includes("trailer")) yield Buffer.from(TRAILER);
}
