/**
 * Filters as bytes: a header of numbers with a checksum of its own, the arrays as they stand in memory, a checksum over
 * them. Written and read in pieces, because one buffer, one write and one read may each be limited to 2 GiB.
 */
import { hashBytes } from "../base/hash.ts";

/** Bytes in order, cut anywhere. */
export type Pieces = Iterable<Uint8Array>;

/** Fills the target with the bytes that follow; false when there are too few. */
export type Fill = (target: Uint8Array) => boolean;

const MAGIC = 0x53445754; // "TWDS" in memory order; reads otherwise on a machine of other endianness
const VERSION = 1;
const PREFIX_BYTES = 16;
const MAX_FIELDS = 1024;
/** Longest piece, and the stretch that a step of the checksum takes. */
const BLOCK_BYTES = 1 << 20;

/** `kind` tells one sort of content from another; `fields` are whatever is needed to make the arrays again. */
export function* writeSnapshot(
  kind: number,
  fields: readonly number[],
  arrays: readonly ArrayBufferView[],
): IterableIterator<Uint8Array> {
  const header = new Uint8Array(PREFIX_BYTES + 8 * fields.length);
  header.set(bytesOf(Uint32Array.of(MAGIC, VERSION, kind, fields.length)));
  header.set(bytesOf(Float64Array.from(fields)), PREFIX_BYTES);
  yield header;
  yield checksumBytes(hashBytes(header)[0]);
  let sum = 0;
  for (const array of arrays)
    for (const block of blocksOf(bytesOf(array))) {
      sum = hashBytes(block, block.length, sum)[0];
      yield block;
    }
  yield checksumBytes(sum);
}

/**
 * Reads what `writeSnapshot` wrote. `layout` makes of the fields, which are good, a thing and its empty arrays, which
 * are filled; null when it has no use for them. Null, too, when anything is missing or changed.
 */
export function readSnapshot<T>(
  fill: Fill,
  kind: number,
  layout: (fields: readonly number[]) => { readonly value: T; readonly arrays: readonly ArrayBufferView[] } | null,
): T | null {
  const fields = readFields(fill, kind);
  const made = fields === null ? null : layout(fields);
  if (made === null) return null;
  let sum = 0;
  for (const array of made.arrays)
    for (const block of blocksOf(bytesOf(array))) {
      if (!fill(block)) return null;
      sum = hashBytes(block, block.length, sum)[0];
    }
  return readWord(fill) === sum ? made.value : null;
}

/** What `read` makes of the pieces; null when they hold more. */
export function restored<T>(pieces: Pieces, read: (fill: Fill) => T | null): T | null {
  const source = new PieceReader(pieces);
  const value = read((target) => source.fill(target));
  return source.atEnd() ? value : null;
}

function readFields(fill: Fill, kind: number): number[] | null {
  const prefix = new Uint32Array(PREFIX_BYTES / 4);
  if (!fill(bytesOf(prefix))) return null;
  const [magic, version, kindThere, count] = prefix;
  if (magic !== MAGIC || version !== VERSION || kindThere !== kind || count! > MAX_FIELDS) return null;
  const header = new Uint8Array(PREFIX_BYTES + 8 * count!);
  header.set(bytesOf(prefix));
  if (!fill(header.subarray(PREFIX_BYTES))) return null;
  if (readWord(fill) !== hashBytes(header)[0]) return null;
  return [...new Float64Array(header.buffer, PREFIX_BYTES)];
}

/** The next unsigned 32-bit word; NaN at the end. */
function readWord(fill: Fill): number {
  const word = new Uint32Array(1);
  return fill(bytesOf(word)) ? word[0]! : Number.NaN;
}

class PieceReader {
  readonly #pieces: Iterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(pieces: Pieces) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  fill(target: Uint8Array): boolean {
    for (let filled = 0; filled < target.length; ) {
      if (this.atEnd()) return false;
      const part = this.#piece.subarray(this.#at, this.#at + target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.#at += part.length;
    }
    return true;
  }

  atEnd(): boolean {
    while (this.#at === this.#piece.length) {
      const next = this.#pieces.next();
      if (next.done === true) return true;
      this.#piece = next.value;
      this.#at = 0;
    }
    return false;
  }
}

function* blocksOf(bytes: Uint8Array): IterableIterator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES);
}

const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

const checksumBytes = (sum: number): Uint8Array => bytesOf(Uint32Array.of(sum));
