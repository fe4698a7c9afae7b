/**
 * A record as one gzip member (RFC 1952): the bytes are put together in a scratch buffer that is used again and again,
 * digested in place, and then deflated, or stored when deflating would cost more than it saves.
 */
import { crc32, deflateRawSync } from "node:zlib";
import { sha1Digest } from "./record.ts";

/** Magic, deflate, no flags, no time, "fastest", unknown system. */
const GZIP_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
const HEADER_BYTES = GZIP_HEADER.length;
const TRAILER_BYTES = 8;
/** The most that a stored block of deflate can hold (RFC 1951 section 3.2.4), and what it adds. */
const STORED_MOST = 0xffff;
const STORED_EXTRA = 5;

/** Larger records get a buffer of their own, which is let go of. */
const SCRATCH_KEPT = 1 << 20;
let scratch = Buffer.allocUnsafeSlow(1 << 16);

export interface MemberRequest {
  /** The block's first part, Latin-1, one byte a character. */
  readonly head: string;
  /** The block's second part. It is copied. */
  readonly body: Uint8Array;
  /** The record's header, once the digest of the block is known; at most `headerRoom` characters, ASCII. */
  readonly header: (blockDigest: string, blockLength: number) => string;
  readonly headerRoom: number;
  /** 0 stores; 1 to 9 as zlib. */
  readonly level: number;
}

/** The member of header, block and the record's two line ends. */
export function gzipMember({ head, body, header, headerRoom, level }: MemberRequest): Buffer {
  const blockLength = head.length + body.length;
  const size = headerRoom + blockLength + 4;
  const room = size <= scratch.length ? scratch : Buffer.allocUnsafeSlow(size + (size >>> 2));
  if (room.length <= SCRATCH_KEPT) scratch = room;

  room.write(head, headerRoom, "latin1");
  room.set(body, headerRoom + head.length);
  room.write("\r\n\r\n", headerRoom + blockLength, "latin1");
  const block = room.subarray(headerRoom, headerRoom + blockLength);
  const text = header(sha1Digest(block), blockLength);
  const start = headerRoom - text.length;
  if (start < 0) throw new RangeError(`a record header of ${text.length} bytes was given room for ${headerRoom}`);
  room.write(text, start, "latin1");
  const record = room.subarray(start, size);
  return level === 0 ? storedMember(record) : deflatedMember(record, level);
}

function deflatedMember(record: Buffer, level: number): Buffer {
  const deflated = deflateRawSync(record, { level });
  const member = Buffer.allocUnsafe(HEADER_BYTES + deflated.length + TRAILER_BYTES);
  member.set(GZIP_HEADER, 0);
  member.set(deflated, HEADER_BYTES);
  return withTrailer(member, record);
}

function storedMember(record: Buffer): Buffer {
  const blocks = Math.ceil(record.length / STORED_MOST);
  const member = Buffer.allocUnsafe(HEADER_BYTES + record.length + blocks * STORED_EXTRA + TRAILER_BYTES);
  member.set(GZIP_HEADER, 0);
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
