/**
 * The bytes of an archive file in pieces that say where they stand in the file: as they are in a plain file, one unit
 * (a gzip member, a zstd frame) a piece in a compressed one. Damage is a piece too: reading goes on behind it.
 */
import type { Packing } from "./packing.ts";
import { packingOf } from "./packings.ts";

export type Source = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Piece {
  /** Where it begins in the file. */
  readonly offset: number;
  /** How many bytes of the file it takes. */
  readonly length: number;
  /** Its content, unpacked; empty when there is damage. */
  readonly bytes: Buffer;
  readonly damage: string | null;
  /** Whether it is a unit; the same for all pieces of a file. */
  readonly compressed: boolean;
}

/** Content of a unit beyond this is not unpacked; such a unit is damage. */
const MOST_BYTES = 1 << 28;

const NOTHING = Buffer.alloc(0);

/** The pieces of a source, in order; whether it is compressed is found from its first bytes. */
export async function* piecesOf(source: Source): AsyncGenerator<Piece> {
  const window = new Window(source);
  await window.fill(4);
  const packing = packingOf(window.bytes);
  yield* packing === null ? chunks(window) : units(window, packing);
}

async function* chunks(window: Window): AsyncGenerator<Piece> {
  while (await window.fill(1)) {
    const bytes = window.bytes;
    yield { offset: window.offset, length: bytes.length, bytes, damage: null, compressed: false };
    window.skip(bytes.length);
  }
}

async function* units(window: Window, packing: Packing): AsyncGenerator<Piece> {
  const damaged = (length: number, damage: string): Piece => {
    const piece = { offset: window.offset, length, bytes: NOTHING, damage, compressed: true };
    window.skip(length);
    return piece;
  };
  while (await window.fill(1)) {
    let want = 1 << 16;
    for (;;) {
      const more = await window.fill(want);
      const found = packing.unpack(window.bytes, MOST_BYTES);
      if (found.kind === "unit") {
        yield { offset: window.offset, length: found.length, bytes: found.bytes, damage: null, compressed: true };
        window.skip(found.length);
      } else if (found.kind === "short" && more) {
        want = window.bytes.length * 2;
        continue;
      } else if (found.kind === "short") {
        yield damaged(window.bytes.length, `the file ends inside a ${packing.unit}`);
      } else {
        yield damaged(await nextUnit(window, packing), found.why);
      }
      break;
    }
  }
}

/** How far it is to the next place where a unit that can be unpacked, or is cut off by the end, begins. */
async function nextUnit(window: Window, { magic, unpack }: Packing): Promise<number> {
  let from = 1;
  for (;;) {
    const at = window.bytes.indexOf(magic, from);
    if (at < 0 || at + magic.length >= window.bytes.length) {
      const length = window.bytes.length;
      from = at < 0 ? Math.max(from, length - magic.length + 1) : at; // a beginning may stand across two reads
      if (await window.fill(length + (1 << 16))) continue;
      if (window.bytes.length > length) continue;
      return length;
    }
    if (unpack(window.bytes.subarray(at), MOST_BYTES).kind !== "bad") return at;
    from = at + 1;
  }
}

/** A view on a source that slides forward. */
class Window {
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
