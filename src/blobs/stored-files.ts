/** The files of an archive as they stand in a store, whole or in segments, for those who read many pieces of them. */
import { BlobError, type Blobs, type Range } from "../ports/blobs.ts";
import { archiveKey, bytesOf, type Segment, segmentsOf } from "./segments.ts";

/** Of all files together, so many segments are remembered: some 20 MB. */
const REMEMBERED = 1 << 18;

/**
 * Remembers which segments a file has: each is there for good, until the file has gone up whole and all of them go. So what
 * is remembered is right, or it is not there any more, or it ends too early; then the store is asked anew.
 */
export class StoredFiles {
  readonly blobs: Blobs;
  readonly #remembered: number;
  /** In order, without a gap from 0 on; of the files used last at the end. */
  readonly #segments = new Map<string, readonly Segment[]>();
  #count = 0;

  constructor(blobs: Blobs, remembered = REMEMBERED) {
    this.blobs = blobs;
    this.#remembered = remembered;
  }

  get name(): string {
    return this.blobs.name;
  }

  /**
   * The bytes of a file, also when it goes up whole, and its segments go, while they are read. Fewer where it ends before,
   * none where there is nothing of it. @throws BlobError when the store cannot be asked.
   */
  async *bytes(file: string, { offset, length }: Range): AsyncGenerator<Uint8Array> {
    const end = offset + length;
    let at = offset;
    const known = this.#lately(file);
    const remembered = (rest: Range) => bytesOf(this.blobs, known, rest);
    const listed = (rest: Range) => this.#bytesNow(file, rest);
    const whole = (rest: Range) => this.blobs.get(archiveKey(file), rest);
    for (const source of known.length > 0 ? [remembered, listed, whole, listed, whole] : [whole, listed, whole]) {
      try {
        for await (const piece of source({ offset: at, length: end - at })) {
          at += piece.length;
          yield piece;
        }
        if (source === whole || at >= end) return;
      } catch (cause) {
        if (!(cause instanceof BlobError && cause.code === "store-missing")) throw cause;
        if (source !== whole) this.#forget(file);
      }
    }
  }

  /** How far the segments of a file reach without a gap, as of now. */
  async lengthInSegments(file: string): Promise<number> {
    return endOf(await this.#look(file));
  }

  async *#bytesNow(file: string, range: Range): AsyncGenerator<Uint8Array> {
    yield* bytesOf(this.blobs, await this.#look(file), range);
  }

  /** Its segments by now: behind those that are remembered, of which the last may have been sent once more, and longer. */
  async #look(file: string): Promise<readonly Segment[]> {
    const segments = (this.#segments.get(file) ?? []).slice(0, -1);
    let reach = endOf(segments);
    for await (const segment of segmentsOf(this.blobs, file, segments.at(-1)?.key)) {
      if (segment.offset > reach) break;
      segments.push(segment);
      reach = Math.max(reach, segment.offset + segment.bytes);
    }
    this.#forget(file);
    if (segments.length > 0) this.#remember(file, segments);
    return segments;
  }

  /** What is remembered of it; this counts as a use. */
  #lately(file: string): readonly Segment[] {
    const known = this.#segments.get(file) ?? [];
    if (this.#segments.delete(file)) this.#segments.set(file, known);
    return known;
  }

  #remember(file: string, segments: readonly Segment[]): void {
    this.#segments.set(file, segments);
    this.#count += segments.length;
    for (const other of this.#segments.keys()) {
      if (this.#count <= this.#remembered || other === file) break;
      this.#forget(other);
    }
  }

  #forget(file: string): void {
    this.#count -= this.#segments.get(file)?.length ?? 0;
    this.#segments.delete(file);
  }
}

const endOf = (segments: readonly Segment[]): number => {
  const last = segments.at(-1);
  return last === undefined ? 0 : last.offset + last.bytes;
};
