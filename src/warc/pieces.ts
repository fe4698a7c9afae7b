/**
 * The bytes of an archive file in pieces that say where they stand in the file: as they are in a plain file, one unit
 * (a gzip member, a zstd frame) a piece in a compressed one. Damage is a piece too: reading goes on behind it.
 */
import type { Packing, Taking } from "./packing.ts";
import { PACKINGS, packingOf } from "./packings.ts";

export type Source = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Piece {
  /** Where it begins in the file; of a unit, where that begins. */
  readonly offset: number;
  /** How many bytes of the file it takes. A unit that comes in several pieces is told with the last; the others have 0. */
  readonly length: number;
  /** Its content, unpacked; empty when there is damage. */
  readonly bytes: Buffer;
  readonly damage: string | null;
  /** Whether it is of a unit; the same for all pieces of a file. */
  readonly compressed: boolean;
  /** Whether it is the first of its unit. */
  readonly begins: boolean;
}

/** So much of a unit, unpacked, or of a record's block is in memory; what is longer comes in pieces. */
export const HELD_BYTES = 1 << 26;

const NOTHING = Buffer.alloc(0);

/** The pieces of a source, in order; whether it is compressed is found from the first record of it that can be read. */
export async function* piecesOf(source: Source, most = HELD_BYTES): AsyncGenerator<Piece> {
  const window = new Window(source);
  while ((await window.fill(1)) && isLineEnd(window.bytes[0]!)) window.skip(1);
  const { offset } = window;
  const why = await whyNot(window, 0, most, true);
  if (why !== null) {
    const length = (await beginningIn(window, most)) - offset;
    if (length > 0) yield { ...damage(offset, length, why), compressed: false };
  }
  const packing = packingOf(window.bytes);
  yield* packing === null ? chunks(window) : units(window, packing, most);
}

const damage = (offset: number, length: number, words: string) =>
  ({ offset, length, bytes: NOTHING, damage: words, compressed: true, begins: true }) satisfies Piece;

const PLAIN = "WARC/";
const START_BYTES = PLAIN.length;

const isPlainStart = (bytes: Buffer, at: number): boolean => bytes.toString("latin1", at, at + START_BYTES) === PLAIN;

/**
 * Passes over what stands before the first record: a unit that can be unpacked and begins like one, or a line that does.
 * Where it begins in the source; the end of the source when there is none.
 */
async function beginningIn(window: Window, most: number): Promise<number> {
  const marks = [...Object.values(PACKINGS).map(({ magic }) => magic), Buffer.from(PLAIN)];
  for (;;) {
    const isMore = await window.fill(SEARCHED_BYTES);
    const last = window.bytes.length - (isMore ? START_BYTES : 0);
    for (let at = nextOf(marks, window.bytes, 0); at >= 0 && at < last; at = nextOf(marks, window.bytes, at + 1))
      if ((await whyNot(window, at, most)) === null) {
        window.skip(at);
        return window.offset;
      }
    window.skip(isMore ? last - 1 : last); // whether a line begins is told by the byte before
    if (!isMore) return window.offset;
  }
}

const SEARCHED_BYTES = 1 << 16;

/** Where the first of the marks stands at `from` or behind it; -1 where none does. */
function nextOf(marks: readonly Buffer[], bytes: Buffer, from: number): number {
  const places = marks.map((mark) => bytes.indexOf(mark, from)).filter((at) => at >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** Null when a unit, or a plain record, begins at `at`; else what there is to say. */
async function whyNot(window: Window, at: number, most: number, isFirst = false): Promise<string | null> {
  await window.fill(at + START_BYTES);
  const packing = packingOf(window.bytes.subarray(at, at + START_BYTES));
  if (packing === null) {
    const isLine = isFirst || (at > 0 && isLineEnd(window.bytes[at - 1]!));
    return isLine && isPlainStart(window.bytes, at) ? null : "not a WARC record";
  }
  for (let want = SEARCHED_BYTES; ; want *= 2) {
    const isMore = await window.fill(at + want);
    const found = packing.unpack(window.bytes.subarray(at), most);
    if (found.kind === "bad") return found.why;
    if (found.kind === "unit") return isFirst || isPlainStart(found.bytes, 0) ? null : "not a WARC record";
    if (found.kind === "long" || (isFirst && !isMore)) return null;
    if (!isMore) return `the file ends inside a ${packing.unit}`;
  }
}

const LF = 10;
const CR = 13;
const isLineEnd = (byte: number): boolean => byte === LF || byte === CR;

async function* chunks(window: Window): AsyncGenerator<Piece> {
  while (await window.fill(1)) {
    const bytes = window.bytes;
    yield { offset: window.offset, length: bytes.length, bytes, damage: null, compressed: false, begins: true };
    window.skip(bytes.length);
  }
}

async function* units(window: Window, packing: Packing, most: number): AsyncGenerator<Piece> {
  while (await window.fill(1)) {
    let want = 1 << 16;
    for (;;) {
      const isMore = await window.fill(want);
      const found = packing.unpack(window.bytes, most);
      const { offset } = window;
      if (found.kind === "unit") {
        const { length, bytes } = found;
        yield { offset, length, bytes, damage: null, compressed: true, begins: true };
        window.skip(length);
      } else if (found.kind === "short" && isMore) {
        want = window.bytes.length * 2;
        continue;
      } else if (found.kind === "short") {
        const length = window.bytes.length;
        yield damage(offset, length, `the file ends inside a ${packing.unit}`);
        window.skip(length);
      } else if (found.kind === "long") {
        yield* longUnit(window, packing, most);
      } else {
        yield damage(offset, await toNextUnit(window, packing, most), found.why);
      }
      break;
    }
  }
}

/** One piece is kept back, so that the last can be told. */
async function* longUnit(window: Window, packing: Packing, most: number): AsyncGenerator<Piece> {
  const { offset } = window;
  let begins = true;
  let held: Buffer | null = null;
  const piece = (bytes: Buffer, length: number): Piece => {
    const one = { offset, length, bytes, damage: null, compressed: true, begins };
    begins = false;
    return one;
  };
  try {
    for await (const bytes of packing.pieces(window)) {
      if (held !== null) yield piece(held, 0);
      held = bytes;
    }
  } catch (cause) {
    const taken = window.offset - offset;
    const more = await toNextUnit(window, packing, most, taken > 0 ? 0 : 1);
    yield damage(offset, taken + more, (cause as Error).message);
    return;
  }
  yield piece(held ?? NOTHING, window.offset - offset);
}

/** Passes over all that is before the next place where a unit that can be unpacked, or is cut off by the end, begins; how many bytes that were. */
async function toNextUnit(window: Window, { magic, unpack }: Packing, most: number, first = 1): Promise<number> {
  const { offset } = window;
  let from = first;
  for (;;) {
    const at = window.bytes.indexOf(magic, from);
    if (at >= 0 && at + magic.length < window.bytes.length) {
      if (unpack(window.bytes.subarray(at), most).kind !== "bad") {
        window.skip(at);
        return window.offset - offset;
      }
      from = at + 1;
      continue;
    }
    const length = window.bytes.length;
    const kept = at < 0 ? Math.min(magic.length - 1, length) : length - at; // a beginning may stand across two reads
    const isRest = !(await window.fill(length + 1));
    window.skip(isRest ? length : length - kept);
    if (isRest) return window.offset - offset;
    await window.fill(1 << 16);
    from = 0;
  }
}

/** A view on a source that slides forward. */
class Window implements Taking {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #bytes: Buffer = NOTHING;
  /** Of the first byte of `bytes` in the source. */
  offset = 0;
  #ended = false;

  constructor(source: Source) {
    this.#chunks =
      Symbol.asyncIterator in source
        ? source[Symbol.asyncIterator]()
        : (source as Iterable<Uint8Array>)[Symbol.iterator]();
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Takes in until there are `least` bytes; false when the source has fewer. */
  async fill(least: number): Promise<boolean> {
    if (this.#bytes.length >= least) return true;
    const parts: Uint8Array[] = [this.#bytes];
    let length = this.#bytes.length;
    while (length < least && !this.#ended) {
      const next = await this.#chunks.next();
      if (next.done) {
        this.#ended = true;
      } else {
        parts.push(next.value);
        length += next.value.length;
      }
    }
    if (parts.length > 1) this.#bytes = Buffer.concat(parts, length);
    return length >= least;
  }

  skip(count: number): void {
    this.#bytes = this.#bytes.subarray(count);
    this.offset += count;
  }
}
