/** Looks at the head of each response on its way to the parser, which is stricter than the web and keeps one thing from us. */
import type { Socket } from "node:net";
import { headEnd, repairHead } from "./head-repair.ts";

export interface HeadWatch {
  /** The minor version of the last HTTP/1 status line. */
  minorVersion: number;
  /** Set when a request goes out; unset here when its status line has come. */
  awaitsHead: boolean;
}

/**
 * Notes the HTTP version of a response, which undici does not tell; drops "100 Continue", on which undici breaks the
 * connection although RFC 9110 section 15.2 has a client take it at any time; mends heads as browsers do. All only where
 * the whole head comes in one piece, as it does from every server that does not try to be a test.
 */
export function watchHead(socket: Socket, watch: HeadWatch): void {
  const read = socket.read;
  socket.read = (size?: number) => {
    let chunk: Buffer | null = read.call(socket, size);
    while (watch.awaitsHead && chunk !== null) {
      const rest: Buffer | null = chunk.toString("latin1", 0, 7) === "HTTP/1." ? afterContinue(chunk) : chunk;
      if (rest === chunk) {
        if (chunk.length > 7) watch.minorVersion = chunk[7]! - 0x30;
        watch.awaitsHead = false;
        return mended(chunk);
      }
      chunk = rest ?? read.call(socket, size);
    }
    return chunk;
  };
}

/** The chunk itself when it does not begin with a whole 100; what is behind it; null when that is nothing. */
function afterContinue(chunk: Buffer): Buffer | null {
  if (chunk.toString("latin1", 8, 12) !== " 100") return chunk;
  const end = headEnd(chunk);
  if (end < 0) return chunk;
  return end < chunk.length ? chunk.subarray(end) : null;
}

function mended(chunk: Buffer): Buffer {
  if (chunk.toString("latin1", 0, 7) !== "HTTP/1.") return chunk;
  const end = headEnd(chunk);
  const head = end < 0 ? null : repairHead(chunk.toString("latin1", 0, end));
  return head === null ? chunk : Buffer.concat([Buffer.from(head, "latin1"), chunk.subarray(end)]);
}
