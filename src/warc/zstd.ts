/**
 * Records as zstd frames (RFC 8878), one a record and without a dictionary, as
 * https://iipc.github.io/warc-specs/specifications/warc-zstd/ has them.
 */
import { constants, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Packing, Taking, Unpacked } from "./packing.ts";
import { Unpacking } from "./unpacking.ts";

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Content size in 4 bytes, one segment, no check sum, no dictionary (section 3.1.1.1.1). */
const RAW_DESCRIPTOR = 0xa0;
const RAW_HEADER_BYTES = MAGIC.length + 1 + 4;
const BLOCK_HEADER_BYTES = 3;
/** The most that a block can hold (section 3.1.1.2.4). */
const BLOCK_MOST = 1 << 17;

/** Of the descriptor. */
const RESERVED = 8;
const CHECKSUM = 4;
const ONE_SEGMENT = 32;
const CHECKSUM_BYTES = 4;
/** Of blocks: one byte that is repeated, and one that may not be. */
const RUN_TYPE = 1;
const RESERVED_TYPE = 3;

/** Put together here, since setting up a compressor costs more than copying what it could not compress. */
function store(record: Buffer): Buffer {
  const blocks = Math.max(Math.ceil(record.length / BLOCK_MOST), 1);
  const frame = Buffer.allocUnsafe(RAW_HEADER_BYTES + record.length + blocks * BLOCK_HEADER_BYTES);
  frame.set(MAGIC, 0);
  frame[MAGIC.length] = RAW_DESCRIPTOR;
  frame.writeUInt32LE(record.length, MAGIC.length + 1);
  let at = RAW_HEADER_BYTES;
  for (let block = 0; block < blocks; block++) {
    const from = block * BLOCK_MOST;
    const length = Math.min(BLOCK_MOST, record.length - from);
    frame.writeUIntLE((length << 3) | (block === blocks - 1 ? 1 : 0), at, BLOCK_HEADER_BYTES);
    record.copy(frame, at + BLOCK_HEADER_BYTES, from, from + length);
    at += BLOCK_HEADER_BYTES + length;
  }
  return frame;
}

function pack(record: Buffer, level: number): Buffer {
  return zstdCompressSync(record, {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
    pledgedSrcSize: record.length, // so that the frame says its size
  });
}

function unpack(input: Buffer, most: number): Unpacked {
  const length = frameLength(input);
  if (length === null) return { kind: "bad", why: "not a zstd frame" };
  if (length > input.length) return input.length > most ? { kind: "long" } : { kind: "short" };
  try {
    return { kind: "unit", length, bytes: zstdDecompressSync(input.subarray(0, length), { maxOutputLength: most }) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return { kind: "long" };
    return { kind: "bad", why: `a zstd frame does not unpack: ${(cause as Error).message}` };
  }
}

/** What a frame's descriptor says (section 3.1.1.1); null when it is none. */
function headOf(input: Buffer): { readonly length: number; readonly hasChecksum: boolean } | null {
  const known = Math.min(input.length, MAGIC.length);
  if (input.compare(MAGIC, 0, known, 0, known) !== 0) return null;
  if (input.length <= MAGIC.length) return { length: Number.POSITIVE_INFINITY, hasChecksum: false };
  const descriptor = input[MAGIC.length]!;
  if (descriptor & RESERVED) return null;
  const isOneSegment = (descriptor & ONE_SEGMENT) !== 0;
  const sizeBytes = [isOneSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6]!;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const length = MAGIC.length + 1 + (isOneSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
  return { length, hasChecksum: (descriptor & CHECKSUM) !== 0 };
}

/** The block that begins at `at`, with its header (section 3.1.1.2); null when it is none. */
function blockAt(input: Buffer, at: number): { readonly length: number; readonly isLast: boolean } | null {
  const block = input.readUIntLE(at, BLOCK_HEADER_BYTES);
  const [type, size] = [(block >>> 1) & 3, block >>> 3];
  if (type === RESERVED_TYPE || size > BLOCK_MOST) return null;
  return { length: BLOCK_HEADER_BYTES + (type === RUN_TYPE ? 1 : size), isLast: (block & 1) !== 0 };
}

/**
 * The length of the frame at the start of `input`, by its headers (section 3.1.1): the decompressor does not always stop
 * behind one. More than there is when it is cut off; null when it is none.
 */
function frameLength(input: Buffer): number | null {
  const head = headOf(input);
  if (head === null) return null;
  let at = head.length;
  for (let isLast = false; !isLast; ) {
    if (at + BLOCK_HEADER_BYTES > input.length) return Number.POSITIVE_INFINITY;
    const block = blockAt(input, at);
    if (block === null) return null;
    at += block.length;
    isLast = block.isLast;
  }
  return at + (head.hasChecksum ? CHECKSUM_BYTES : 0);
}

async function* pieces(input: Taking): AsyncGenerator<Buffer> {
  using unpacking = new Unpacking(createZstdDecompress());
  const take = async (count: number): Promise<readonly Buffer[]> => {
    if (!(await input.fill(count))) throw new Error("the file ends inside a zstd frame");
    const piece = input.bytes.subarray(0, count);
    input.skip(count);
    return unpacking.take(piece);
  };
  await input.fill(MAGIC.length + 1);
  const head = headOf(input.bytes);
  if (head === null) throw new Error("not a zstd frame");
  yield* await take(head.length);
  for (let isLast = false; !isLast; ) {
    if (!(await input.fill(BLOCK_HEADER_BYTES))) throw new Error("the file ends inside a zstd frame");
    const block = blockAt(input.bytes, 0);
    if (block === null) throw new Error("not a zstd frame");
    yield* await take(block.length);
    isLast = block.isLast;
  }
  if (head.hasChecksum) yield* await take(CHECKSUM_BYTES);
}

export const ZSTD: Packing = { suffix: ".warc.zst", unit: "zstd frame", magic: MAGIC, store, pack, unpack, pieces };
