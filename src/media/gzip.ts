/** Inflates a gzipped body within limits, and gives what could be had of a broken one. */
import { createGunzip } from "node:zlib";

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;

export interface Inflated {
  readonly bytes: Uint8Array;
  /** The limit was reached, or the data was broken or cut: `bytes` is only the beginning. */
  readonly cut: boolean;
}

/** Beyond the first MiB more than this many bytes out for one in is a bomb, not a text. */
const MAX_RATIO = 200;
const FREE_BYTES = 1024 * 1024;
const STEP = 64 * 1024;

/** At most `maxBytes`. Ends when the input does: the data is all there, so nothing is waited for. */
export async function inflateGzip(body: Uint8Array, maxBytes: number): Promise<Inflated> {
  const gunzip = createGunzip({ chunkSize: STEP });
  const limit = Math.min(maxBytes, Math.max(FREE_BYTES, body.length * MAX_RATIO));
  const chunks: Uint8Array[] = [];
  let length = 0;
  let cut = false;
  gunzip.end(body);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) break; // leaving the loop destroys the stream
    }
  } catch {
    cut = true; // zlib's complaint about the data; what came before it is kept
  }
  const bytes = Buffer.concat(chunks, length);
  return length > limit ? { bytes: bytes.subarray(0, limit), cut: true } : { bytes, cut };
}
