/** Reads of files that give all that was asked for: a single one may give less, on network file systems above all. */
import type { FileHandle } from "node:fs/promises";

/** Fills `piece` from `position` on; the number of bytes read, fewer only where the file ends. */
export async function readFully(file: Pick<FileHandle, "read">, piece: Uint8Array, position: number): Promise<number> {
  let at = 0;
  while (at < piece.length) {
    const { bytesRead } = await file.read(piece, at, piece.length - at, position + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return at;
}
