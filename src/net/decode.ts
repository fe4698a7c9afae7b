/** Takes content-encoding off a body, within exact limits, and makes the best of what is broken. */
import zlib from "node:zlib";
import { headers, type RawHeaders } from "../model/fetch-result.ts";

export interface DecodeLimits {
  /** No more bytes than this come out. */
  readonly maxBytes: number;
  /** Nor more than this many times what went in, once past the first MiB. */
  readonly maxRatio: number;
}

export interface Decoded {
  /** The same array as the body when no coding was declared, or when it turned out not to be coded at all. */
  readonly bytes: Uint8Array;
  /** Why `bytes` is not the whole, or not decoded: "gzip: incorrect data check", "cut at 1048576 bytes decoded"... */
  readonly error: string | null;
}

const FREE_OF_RATIO = 1024 * 1024;
/** Decoding smaller bodies on the spot costs less than a trip through the thread pool; longer ones would hold up the loop. */
const SYNC_MOST = 256 * 1024;
const SYNC_OUTPUT_MOST = 4 * 1024 * 1024;
/** RFC 9110 sets no limit; nobody in good faith needs more. */
const CODINGS_MOST = 4;

/** The codings of a response in the order they were applied, lower case; "identity" and empty ones left out. */
export function contentCodings(raw: RawHeaders): readonly string[] {
  const values = headers(raw, "content-encoding");
  if (values.length === 0) return NONE;
  const names = values.join(",").toLowerCase().split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity" && name !== "none");
}

const NONE: readonly string[] = [];

/**
 * The body without its codings. `whole` is false when the body is known to be only a beginning: then an early end is
 * no error. Never rejects; takes memory and time in proportion to the limits, whatever went in.
 */
export async function decodeBody(
  body: Uint8Array,
  codings: readonly string[],
  whole: boolean,
  limits: DecodeLimits,
): Promise<Decoded> {
  if (codings.length === 0 || body.length === 0) return { bytes: body, error: null };
  if (codings.length > CODINGS_MOST) return { bytes: body, error: `${codings.length} content-codings` };
  const limit = Math.min(limits.maxBytes, Math.max(FREE_OF_RATIO, limits.maxRatio * body.length));
  let bytes = body;
  for (const name of codings.toReversed()) {
    const coding = CODINGS.get(name);
    if (coding === undefined) return { bytes, error: `unknown content-coding "${name.slice(0, 40)}"` };
    const step = decodeSync(coding, bytes, whole, limit);
    const { bytes: out, error } = typeof step === "string" ? await salvage(coding, bytes, whole, limit, step) : step;
    bytes = out;
    if (error !== null) return { bytes, error };
  }
  return { bytes, error: null };
}

/** The way of nearly every body. A string is why it must be gone about with more care. */
function decodeSync(coding: Coding, input: Uint8Array, whole: boolean, limit: number): Decoded | Care {
  if (!whole) return "cut";
  if (!coding.recognises(input)) return { bytes: input, error: `${coding.name}: not so coded` };
  if (input.length > SYNC_MOST) return "long";
  try {
    const maxOutputLength = Math.min(limit, SYNC_OUTPUT_MOST);
    return { bytes: coding.sync(input, { maxOutputLength, chunkSize: coding.chunkSize(input) }), error: null };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    return code === "ERR_BUFFER_TOO_LARGE" ? "long" : code === "Z_BUF_ERROR" ? "short" : "broken";
  }
}

/** "cut": known to be a beginning; "long": more than is decoded on the spot; "short": ends early; "broken": does not decode. */
type Care = "cut" | "long" | "short" | "broken";

async function salvage(coding: Coding, input: Uint8Array, whole: boolean, limit: number, care: Care): Promise<Decoded> {
  if (!coding.recognises(input)) return { bytes: input, error: `${coding.name}: not so coded` };
  // An error throws away the output chunk under way, so chunks are small where something is known to be wrong.
  const chunkSize = care === "long" ? 65_536 : input.length < 65_536 ? 1_024 : 16_384;
  const out = await drain(coding.stream(input, { chunkSize }, care), limit);
  if (out.cut) return { bytes: out.bytes, error: `cut at ${limit} bytes decoded` };
  if (care === "long") {
    // Something is wrong with a long body after all: the second pass is the one that keeps what can be had.
    if (out.code !== null) return salvage(coding, input, whole, limit, out.code === "Z_BUF_ERROR" ? "short" : "broken");
    return { bytes: out.bytes, error: null };
  }
  if (care === "cut" && (out.code === null || out.code === "Z_BUF_ERROR")) return { bytes: out.bytes, error: null };
  if (isText(input) || (whole && out.bytes.length === 0 && !coding.hasMagic)) {
    return { bytes: input, error: `${coding.name}: not so coded` };
  }
  const words = care === "short" ? "unexpected end" : (out.words ?? "bytes after the end, or a wrong checksum");
  return { bytes: out.bytes, error: `${coding.name}: ${words}` };
}

interface Drained {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
  readonly code: string | null;
  readonly words: string | null;
}

/** All that comes out of a decoder, up to `limit` bytes. */
function drain({ decoder, input }: Decoding, limit: number): Promise<Drained> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const finish = (cut: boolean, error: NodeJS.ErrnoException | null) => {
      decoder.destroy();
      resolve({
        bytes: Buffer.concat(chunks, size),
        cut,
        code: error === null ? null : (error.code ?? error.name),
        words: error?.message ?? null,
      });
    };
    decoder.on("data", (chunk: Uint8Array) => {
      const room = limit - size;
      const taken = chunk.length > room ? chunk.subarray(0, room) : chunk;
      chunks.push(taken);
      size += taken.length;
      if (taken !== chunk) finish(true, null);
    });
    decoder.on("end", () => finish(false, null));
    decoder.on("error", (error) => finish(false, error));
    decoder.end(input);
  });
}

interface SyncOptions {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}

interface Decoding {
  readonly decoder: NodeJS.ReadWriteStream & { destroy(): void };
  readonly input: Uint8Array;
}

interface Coding {
  readonly name: string;
  /** Whether `recognises` can tell: the format begins with a signature. */
  readonly hasMagic: boolean;
  recognises(input: Uint8Array): boolean;
  /** A guess at the size of the output, so that it comes in one piece. */
  chunkSize(input: Uint8Array): number;
  sync(input: Uint8Array, options: SyncOptions): Uint8Array;
  stream(input: Uint8Array, options: { readonly chunkSize: number }, care: Care): Decoding;
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
const begins = (input: Uint8Array, ...magic: number[]): boolean =>
  magic.every((byte, i) => i >= input.length || input[i] === byte);

const { Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;
/** With a flush in the place of the finish, an early end gives what there is. */
const zlibFinish = (care: Care): number => (care === "long" ? Z_FINISH : Z_SYNC_FLUSH);

const gzip: Coding = {
  name: "gzip",
  hasMagic: true,
  recognises: (input) => begins(input, 0x1f, 0x8b),
  chunkSize(input) {
    if (input.length < 18) return 1_024;
    const end = input.length;
    // ISIZE, RFC 1952 section 2.3.1. A lie costs memory that is never touched, within the clamp.
    const size = (input[end - 4]! | (input[end - 3]! << 8) | (input[end - 2]! << 16) | (input[end - 1]! << 24)) >>> 0;
    return size > SYNC_OUTPUT_MOST ? 65_536 : clamp(size + 1, 1_024, SYNC_OUTPUT_MOST);
  },
  sync: (input, options) => zlib.gunzipSync(input, options),
  stream(input, options, care) {
    const settings = { ...options, finishFlush: zlibFinish(care) };
    const start = care === "broken" ? gzipHeaderLength(input) : null;
    // Without the frame around it, a wrong checksum or bytes behind the end hurt nothing.
    return start === null
      ? { decoder: zlib.createGunzip(settings), input }
      : { decoder: zlib.createInflateRaw(settings), input: input.subarray(start) };
  },
};

/** RFC 1952 section 2.3; null when the header is not whole. */
function gzipHeaderLength(input: Uint8Array): number | null {
  if (input.length < 10 || input[2] !== 8) return null;
  const flags = input[3]!;
  let at = 10;
  if (flags & 4) at += 2 + ((input[at] ?? 0) | ((input[at + 1] ?? 0) << 8));
  for (const flag of [8, 16]) if (flags & flag) at = input.indexOf(0, at) + 1 || input.length + 1;
  if (flags & 2) at += 2;
  return at <= input.length ? at : null;
}

/** "deflate" is the zlib format (RFC 9110 section 8.4.1.2), but some servers send bare deflate data: RFC 1950 tells them apart. */
const isZlib = (input: Uint8Array): boolean =>
  input.length > 1 && (input[0]! & 0x0f) === 8 && ((input[0]! << 8) | input[1]!) % 31 === 0;

const deflate: Coding = {
  name: "deflate",
  hasMagic: false,
  recognises: () => true,
  chunkSize: (input) => clamp(input.length * 8, 4_096, 262_144),
  sync: (input, options) => (isZlib(input) ? zlib.inflateSync(input, options) : zlib.inflateRawSync(input, options)),
  stream(input, options, care) {
    const settings = { ...options, finishFlush: zlibFinish(care) };
    if (!isZlib(input)) return { decoder: zlib.createInflateRaw(settings), input };
    return care === "broken"
      ? { decoder: zlib.createInflateRaw(settings), input: input.subarray(2) }
      : { decoder: zlib.createInflate(settings), input };
  },
};

const { BROTLI_OPERATION_FINISH, BROTLI_OPERATION_FLUSH, ZSTD_d_windowLogMax, ZSTD_e_end, ZSTD_e_flush } =
  zlib.constants;

const br: Coding = {
  name: "br",
  hasMagic: false,
  recognises: () => true,
  chunkSize: (input) => clamp(input.length * 8, 4_096, 262_144),
  sync: (input, options) => zlib.brotliDecompressSync(input, options),
  stream: (input, options, care) => ({
    decoder: zlib.createBrotliDecompress({
      ...options,
      finishFlush: care === "long" ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH,
    }),
    input,
  }),
};

/** RFC 9659: as a content-coding, zstd uses windows of 8 MiB at most. */
const ZSTD_WINDOW = { [ZSTD_d_windowLogMax]: 23 };

const zstd: Coding = {
  name: "zstd",
  hasMagic: true,
  // A frame, or one to be skipped (RFC 8878 section 3.1).
  recognises: (input) =>
    begins(input, 0x28, 0xb5, 0x2f, 0xfd) ||
    ((input[0]! & 0xf0) === 0x50 && begins(input, input[0]!, 0x2a, 0x4d, 0x18)),
  chunkSize: (input) => clamp(input.length * 8, 4_096, 262_144),
  sync: (input, options) => zlib.zstdDecompressSync(input, { ...options, params: ZSTD_WINDOW }),
  stream: (input, options, care) => ({
    decoder: zlib.createZstdDecompress({
      ...options,
      params: ZSTD_WINDOW,
      finishFlush: care === "long" ? ZSTD_e_end : ZSTD_e_flush,
    }),
    input,
  }),
};

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", deflate],
  ["br", br],
  ["zstd", zstd],
]);

/** No byte among the first 512 that WHATWG mimesniff (section 3) calls a binary data byte: compressed data has some. */
function isText(input: Uint8Array): boolean {
  const end = Math.min(input.length, 512);
  for (let i = 0; i < end; i++) {
    const byte = input[i]!;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) return false;
  }
  return true;
}
