/** How much an export has written, for its last line. */
import type { Chunks } from "../../base/replace-file.ts";

/** What its parts are called. */
export type Part = "row" | "link" | "page" | "record" | "capture" | "URL";

export class Tally {
  readonly parts = new Map<Part, number>();
  bytes = 0;

  count(part: Part): void {
    this.parts.set(part, (this.parts.get(part) ?? 0) + 1);
  }

  async *each<T>(part: Part, items: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const item of items) {
      this.count(part);
      yield item;
    }
  }

  /** The same pieces; those that are at hand stay so. */
  weighed(chunks: Chunks): Chunks {
    return Symbol.iterator in chunks ? this.#weigh(chunks) : this.#weighLater(chunks);
  }

  *#weigh(chunks: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
    for (const chunk of chunks) {
      this.bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  }

  async *#weighLater(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
    for await (const chunk of chunks) {
      this.bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  }
}
