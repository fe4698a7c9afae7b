/** Records as gzip members (RFC 1952), one a record: what all tools of web archives read. */
import { crc32, createInflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Packing, Taking, Unpacked } from "./packing.ts";
import { Unpacking } from "./unpacking.ts";

const MAGIC = Buffer.from([0x1f, 0x8b]);
/** Magic, deflate, no flags, no time, "fastest", unknown system. */
const HEADER = [...MAGIC, 8, 0, 0, 0, 0, 0, 4, 255];
const HEADER_BYTES = HEADER.length;
const TRAILER_BYTES = 8;
/** The most that a stored block of deflate can hold (RFC 1951 section 3.2.4), and what it adds. */
const STORED_MOST = 0xffff;
const STORED_EXTRA = 5;
/** Of a member that is unpacked in pieces, at once. */
const PIECE = 1 << 14;

function pack(record: Buffer, level: number): Buffer {
  const deflated = deflateRawSync(record, { level });
  const member = Buffer.allocUnsafe(HEADER_BYTES + deflated.length + TRAILER_BYTES);
  member.set(HEADER, 0);
  member.set(deflated, HEADER_BYTES);
  return withTrailer(member, record);
}

function store(record: Buffer): Buffer {
  const blocks = Math.ceil(record.length / STORED_MOST);
  const member = Buffer.allocUnsafe(HEADER_BYTES + record.length + blocks * STORED_EXTRA + TRAILER_BYTES);
  member.set(HEADER, 0);
  let at = HEADER_BYTES;
  for (let from = 0; from < record.length; from += STORED_MOST) {
    const length = Math.min(STORED_MOST, record.length - from);
    member[at] = from + length === record.length ? 1 : 0; // the last block is the final one
    member.writeUInt16LE(length, at + 1);
    member.writeUInt16LE(length ^ 0xffff, at + 3);
    record.copy(member, at + STORED_EXTRA, from, from + length);
    at += STORED_EXTRA + length;
  }
  return withTrailer(member, record);
}

function withTrailer(member: Buffer, record: Buffer): Buffer {
  member.writeUInt32LE(crc32(record), member.length - 8);
  member.writeUInt32LE(record.length >>> 0, member.length - 4);
  return member;
}

function unpack(input: Buffer, most: number): Unpacked {
  const start = memberHeaderLength(input);
  if (typeof start !== "number") return start;
  let bytes: Buffer;
  let end: number;
  try {
    const raw = inflateRawSync(input.subarray(start), { info: true, maxOutputLength: most });
    const { buffer, engine } = raw as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    bytes = buffer;
    end = start + engine.bytesWritten;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "Z_BUF_ERROR") return { kind: "short" };
    if (code === "ERR_BUFFER_TOO_LARGE") return { kind: "long" };
    return { kind: "bad", why: `a gzip member does not inflate: ${message}` };
  }
  if (end + 8 > input.length) return { kind: "short" };
  if (input.readUInt32LE(end) !== crc32(bytes)) return { kind: "bad", why: "a gzip member's check sum is wrong" };
  if (input.readUInt32LE(end + 4) !== bytes.length % 2 ** 32)
    return { kind: "bad", why: "a gzip member's length is wrong" };
  return { kind: "unit", length: end + 8, bytes };
}

async function* pieces(input: Taking): AsyncGenerator<Buffer> {
  let start = memberHeaderLength(input.bytes);
  while (typeof start !== "number" && start.kind === "short" && (await input.fill(input.bytes.length + 1)))
    start = memberHeaderLength(input.bytes);
  if (typeof start !== "number") throw new Error("not a gzip member");
  input.skip(start);
  const inflate = createInflateRaw();
  using unpacking = new Unpacking(inflate);
  let [crc, length, taken] = [0, 0, 0];
  while (!unpacking.hasEnded) {
    if (!(await input.fill(1))) throw new Error("the file ends inside a gzip member");
    const unpacked = await unpacking.take(input.bytes.subarray(0, PIECE));
    input.skip(inflate.bytesWritten - taken); // what is behind its end is left
    taken = inflate.bytesWritten;
    for (const bytes of unpacked) {
      crc = crc32(bytes, crc);
      length += bytes.length;
      yield bytes;
    }
  }
  if (!(await input.fill(TRAILER_BYTES))) throw new Error("the file ends inside a gzip member");
  if (input.bytes.readUInt32LE(0) !== crc) throw new Error("a gzip member's check sum is wrong");
  if (input.bytes.readUInt32LE(4) !== length % 2 ** 32) throw new Error("a gzip member's length is wrong");
  input.skip(TRAILER_BYTES);
}

const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;

function memberHeaderLength(input: Buffer): number | Unpacked {
  if (input.length < 10) return { kind: "short" };
  const flags = input[3]!;
  if (input.indexOf(MAGIC) !== 0 || input[2] !== 8 || (flags & RESERVED) !== 0)
    return { kind: "bad", why: "not a gzip member" };
  let at = 10;
  if (flags & FEXTRA) {
    if (input.length < at + 2) return { kind: "short" };
    at += 2 + input.readUInt16LE(at);
  }
  for (const text of [FNAME, FCOMMENT]) {
    if (!(flags & text)) continue;
    const end = input.indexOf(0, at);
    if (end < 0) return { kind: "short" };
    at = end + 1;
  }
  if (flags & FHCRC) at += 2;
  return at <= input.length ? at : { kind: "short" };
}

export const GZIP: Packing = { suffix: ".warc.gz", unit: "gzip member", magic: MAGIC, store, pack, unpack, pieces };
