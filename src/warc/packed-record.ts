/**
 * A record as one packed unit: the bytes are put together in a scratch buffer that is used again and again, digested in
 * place, and then compressed, or stored when compressing would cost more than it saves.
 */
import type { Packing } from "./packing.ts";
import { sha1Digest } from "./record.ts";

/** Larger records get a buffer of their own, which is let go of. */
const SCRATCH_KEPT = 1 << 20;
let scratch = Buffer.allocUnsafeSlow(1 << 16);

export interface UnitRequest {
  /** The block's first part, Latin-1, one byte a character. */
  readonly head: string;
  /** The block's second part. It is copied. */
  readonly body: Uint8Array;
  /** The record's header, once the digest of the block is known; at most `headerRoom` characters, ASCII. */
  readonly header: (blockDigest: string, blockLength: number) => string;
  readonly headerRoom: number;
  /** 0 stores; 1 is fast, 9 is small. */
  readonly level: number;
  readonly packing: Packing;
}

/** The unit of header, block and the record's two line ends. */
export function packedRecord({ head, body, header, headerRoom, level, packing }: UnitRequest): Buffer {
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
  return level === 0 ? packing.store(record) : packing.pack(record, level);
}
