/**
 * The bytes of an archive file in pieces that say where they stand in the file: as they are in a plain file, one gzip
 * member a piece in a compressed one. Damage is a piece too: reading goes on behind it.
 */
import { crc32, inflateRawSync } from "node:zlib";

export type Source = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Piece {
  /** Where it begins in the file. */
  readonly offset: number;
  /** How many bytes of the file it takes. */
  readonly length: number;
  /** Its content, inflated; empty when there is damage. */
  readonly bytes: Buffer;
  readonly damage: string | null;
  /** Whether it is a gzip member; the same for all pieces of a file. */
  readonly compressed: boolean;
}

/** Content of a member beyond this is not inflated; such a member is damage. */
const MAX_MEMBER_BYTES = 1 << 28;

const NOTHING = Buffer.alloc(0);

/** The pieces of a source, in order; whether it is compressed is found from its first bytes. */
export async function* piecesOf(source: Source): AsyncGenerator<Piece> {
  const window = new Window(source);
  await window.fill(2);
  yield* isMagic(window.bytes, 0) ? members(window) : chunks(window);
}

async function* chunks(window: Window): AsyncGenerator<Piece> {
  while (await window.fill(1)) {
    const bytes = window.bytes;
    yield { offset: window.offset, length: bytes.length, bytes, damage: null, compressed: false };
    window.skip(bytes.length);
  }
}

async function* members(window: Window): AsyncGenerator<Piece> {
  const damaged = (length: number, damage: string): Piece => {
    const piece = { offset: window.offset, length, bytes: NOTHING, damage, compressed: true };
    window.skip(length);
    return piece;
  };
  while (await window.fill(1)) {
    let want = 1 << 16;
    for (;;) {
      const more = await window.fill(want);
      const tried = inflateMember(window.bytes);
      if (tried.kind === "member") {
        yield { offset: window.offset, length: tried.length, bytes: tried.bytes, damage: null, compressed: true };
        window.skip(tried.length);
      } else if (tried.kind === "short" && more) {
        want = window.bytes.length * 2;
        continue;
      } else if (tried.kind === "short") {
        yield damaged(window.bytes.length, "the file ends inside a gzip member");
      } else {
        yield damaged(await nextMember(window), tried.why);
      }
      break;
    }
  }
}

/** How far it is to the next place where a member that can be inflated, or is cut off by the end, begins. */
async function nextMember(window: Window): Promise<number> {
  let from = 1;
  for (;;) {
    const at = window.bytes.indexOf(0x1f, from);
    if (at < 0 || at + 2 >= window.bytes.length) {
      const length = window.bytes.length;
      if (await window.fill(length + (1 << 16))) continue;
      if (window.bytes.length > length) continue;
      if (at < 0 || at + 2 >= length) return length;
    }
    if (isMagic(window.bytes, at) && inflateMember(window.bytes.subarray(at)).kind !== "bad") return at;
    from = at + 1;
  }
}

function isMagic(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
}

type Tried =
  | { readonly kind: "member"; readonly length: number; readonly bytes: Buffer }
  | { readonly kind: "short" }
  | { readonly kind: "bad"; readonly why: string };

/** The member at the start of `input` (RFC 1952), at most `most` bytes when inflated, its check sum and length verified. */
export function inflateMember(input: Buffer, most = MAX_MEMBER_BYTES): Tried {
  const start = memberHeaderLength(input);
  if (typeof start !== "number") return start;
  let bytes: Buffer;
  let end: number;
  try {
    const raw = inflateRawSync(input.subarray(start), { info: true, maxOutputLength: most });
    const { buffer, engine } = raw as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    bytes = buffer;
    end = start + engine.bytesWritten;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "Z_BUF_ERROR") return { kind: "short" };
    return { kind: "bad", why: `a gzip member does not inflate: ${message}` };
  }
  if (end + 8 > input.length) return { kind: "short" };
  if (input.readUInt32LE(end) !== crc32(bytes)) return { kind: "bad", why: "a gzip member's check sum is wrong" };
  if (input.readUInt32LE(end + 4) !== bytes.length % 2 ** 32)
    return { kind: "bad", why: "a gzip member's length is wrong" };
  return { kind: "member", length: end + 8, bytes };
}

const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;

function memberHeaderLength(input: Buffer): number | Tried {
  if (input.length < 10) return { kind: "short" };
  const flags = input[3]!;
  if (!isMagic(input, 0) || input[2] !== 8 || (flags & RESERVED) !== 0)
    return { kind: "bad", why: "not a gzip member" };
  let at = 10;
  if (flags & FEXTRA) {
    if (input.length < at + 2) return { kind: "short" };
    at += 2 + input.readUInt16LE(at);
  }
  for (const text of [FNAME, FCOMMENT]) {
    if (!(flags & text)) continue;
    const end = input.indexOf(0, at);
    if (end < 0) return { kind: "short" };
    at = end + 1;
  }
  if (flags & FHCRC) at += 2;
  return at <= input.length ? at : { kind: "short" };
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
