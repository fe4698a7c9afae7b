/** Records of a file as others wrote it, each packed by itself as ours are: so that any one can be read alone. */
import type { Packing } from "./packing.ts";
import type { Source } from "./pieces.ts";
import { readRecords, type WarcRecord } from "./reader.ts";

const LEVEL = 1;

/** What cannot be read is left out. Fields and blocks stay as they were. */
export async function* repacked(source: Source, packing: Packing): AsyncGenerator<Buffer> {
  for await (const record of readRecords(source))
    if (record.kind === "record") yield packing.pack(textOf(record), LEVEL);
}

function textOf({ version, fields, block }: WarcRecord): Buffer {
  let head = `${version}\r\n`;
  for (let i = 0; i + 1 < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return Buffer.concat([Buffer.from(`${head}\r\n`, "utf8"), block, Buffer.from("\r\n\r\n")]);
}
