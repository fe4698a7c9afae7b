/** Looks at the head of each response on its way to the parser, which is stricter than the web and keeps things from us. */
import type { Socket } from "node:net";
import { headEnd, repairHead } from "./head-repair.ts";

export interface HeadWatch {
  /** The minor version of the last HTTP/1 status line. */
  minorVersion: number;
  /** Set when a request goes out; unset here when the head of its answer has come. */
  awaitsHead: boolean;
  /** That head as received (Latin-1), with its empty line. */
  head: string | null;
}

/**
 * Notes the head of a response to the byte, and its HTTP version, which undici does not tell; drops "100 Continue", on
 * which undici breaks the connection although RFC 9110 section 15.2 has a client take it at any time; mends heads as
 * browsers do. The last two only where the whole head comes in one piece, as it does from every server that does not try
 * to be a test.
 */
export function watchHead(socket: Socket, watch: HeadWatch): void {
  const read = socket.read;
  const begun = new BegunHead();
  socket.read = (size?: number) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null || !watch.awaitsHead) return chunk;
      const passed = passedOn(chunk, watch, begun);
      if (passed.length > 0) return passed;
    }
  };
}

/** What the parser gets for the chunk. */
function passedOn(chunk: Buffer, watch: HeadWatch, begun: BegunHead): Buffer {
  const parts: Buffer[] = [];
  let [from, copied] = [0, 0];
  while (watch.awaitsHead && from < chunk.length) {
    const isWhole = begun.isEmpty;
    if (isWhole && !"HTTP/1.".startsWith(chunk.toString("latin1", from, from + 7))) {
      watch.awaitsHead = false;
      break;
    }
    const end = begun.endIn(chunk, from);
    if (end < 0) break;
    const head = begun.take(chunk.toString("latin1", from, end));
    // Interim answers come before the one that counts.
    if (head.charCodeAt(9) !== 0x31) {
      watch.head = head;
      watch.minorVersion = head.charCodeAt(7) - 0x30;
      watch.awaitsHead = false;
    }
    const mended = !isWhole ? null : head.startsWith(" 100", 8) ? "" : repairHead(head);
    if (mended !== null) {
      parts.push(chunk.subarray(copied, from), Buffer.from(mended, "latin1"));
      copied = end;
    }
    from = end;
  }
  return copied === 0 ? chunk : Buffer.concat([...parts, chunk.subarray(copied)]);
}

/** A head that comes in pieces, as far as it has come. */
class BegunHead {
  readonly #pieces: string[] = []; // texts and no bytes, which would keep whole read buffers alive
  /** The last characters: an empty line may stand across two pieces. */
  #tail = "";

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Where in the chunk the head ends (behind its empty line) that begins or goes on at `from`; -1, and it is kept, when it does not. */
  endIn(chunk: Buffer, from: number): number {
    const end = headEnd(this.isEmpty ? chunk : Buffer.concat([Buffer.from(this.#tail), chunk]), from);
    if (end >= 0) return end - this.#tail.length;
    const piece = chunk.toString("latin1", from);
    this.#pieces.push(piece);
    this.#tail = (this.#tail + piece).slice(-2).replace(/[^\r\n]/g, " ");
    return -1;
  }

  /** All of it, with its last piece. */
  take(last: string): string {
    const head = this.#pieces.splice(0).join("") + last;
    this.#tail = "";
    return head;
  }
}
