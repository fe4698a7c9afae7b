/** A file on disk as the parts in which it goes up. */
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { readFully } from "../base/read-fully.ts";
import { type Expected, type Sums, sumsOf } from "./sums.ts";

/** S3 takes parts of 5 MiB or more (the last may be smaller), at most 10,000 of them. */
const PART_BYTES = 8 << 20;
const PARTS_MOST = 10_000;

export interface FileParts {
  readonly path: string;
  readonly bytes: number;
  /** One at least. */
  readonly count: number;
  /** `nth` from 0; its bytes and their sums. */
  part(nth: number): Promise<{ readonly bytes: Buffer; readonly sums: Sums }>;
  /** The sums of all parts; those not read yet are read. */
  expected(): Promise<Expected>;
  /** CRC32 of the whole. */
  crc(): Promise<number>;
  close(): Promise<void>;
}

/** The file must not change while it is open. */
export async function fileParts(path: string): Promise<FileParts> {
  const file = await open(path);
  const { size: bytes } = await file.stat();
  const partBytes = Math.max(PART_BYTES, Math.ceil(bytes / PARTS_MOST));
  const count = Math.max(Math.ceil(bytes / partBytes), 1);
  const known: Sums[] = [];
  const read = async (nth: number): Promise<Buffer> => {
    const piece = Buffer.allocUnsafe(Math.min(partBytes, bytes - nth * partBytes));
    if ((await readFully(file, piece, nth * partBytes)) < piece.length)
      throw new Error(`${path} became shorter while it was read`);
    return piece;
  };
  return {
    path,
    bytes,
    count,
    async part(nth) {
      const piece = await read(nth);
      known[nth] ??= sumsOf(piece);
      return { bytes: piece, sums: known[nth] };
    },
    async expected() {
      for (let nth = 0; nth < count; nth++) known[nth] ??= sumsOf(await read(nth));
      return { bytes, parts: known };
    },
    async crc() {
      let crc = 0;
      for (let nth = 0; nth < count; nth++) crc = crc32(await read(nth), crc);
      return crc;
    },
    close: () => file.close(),
  };
}
