/**
 * What commits record, in the object store: a commit is a segment, one object that is never written again. It is one zstd
 * frame of JSON lines, so that `zstd -dc` shows it: what it is, then a line an entry.
 */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { inStep } from "../../../base/in-step.ts";
import { BlobError, type BlobKey, type Blobs } from "../../../ports/blobs.ts";
import type { Entry, Pointer } from "./entry.ts";

export interface Segment {
  readonly ordinal: number;
  readonly entries: readonly Entry[];
}

/** Tries again while the store is away, or what it gives arrives spoilt. */
export type Patience = <T>(work: () => Promise<T>) => Promise<T>;

export interface SegmentsOptions {
  /** At once and once only unless told. */
  readonly patience?: Patience;
}

/** The first line. */
interface Head {
  readonly trawl: "records";
  readonly version: number;
  readonly ordinal: number;
  readonly entries: number;
}

/** What this version writes, and the newest that it reads. */
const VERSION = 1;
const LEVEL = 3;
/** Text of segments that were read lately, in characters. */
const KEPT = 16 << 20;
/** Objects asked for at the same time: while they are on their way, reading what has come keeps a thread busy. */
const AT_ONCE = 16;
/** So many stand in one folder: 10 to the power of this. */
const FOLDER_DIGITS = 3;
const ORDINAL_DIGITS = 16;

/** Of a first line that is not as it should be, so much is quoted. */
const SAID = 80;
const MEND = "put the object back from a copy or an earlier version of the store";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const digitsOf = (ordinal: number): string => String(ordinal).padStart(ORDINAL_DIGITS, "0");
const folderOf = (ordinal: number): string => `records/${digitsOf(ordinal).slice(0, -FOLDER_DIGITS)}/`;

export function segmentKey(ordinal: number): BlobKey {
  return `${folderOf(ordinal)}${digitsOf(ordinal)}.jsonl.zst`;
}

export class Segments {
  readonly #blobs: Blobs;
  readonly #patience: Patience;
  /** Entries of segments as written, by ordinal, those used last at the end. */
  readonly #kept = new Map<number, { readonly lines: readonly string[]; readonly size: number }>();
  #keptSize = 0;

  constructor(blobs: Blobs, { patience = (work) => work() }: SegmentsOptions = {}) {
    this.#blobs = blobs;
    this.#patience = patience;
  }

  /** Resolves when it is durable. The same again changes nothing. */
  async write(ordinal: number, entries: readonly Entry[]): Promise<void> {
    const head: Head = { trawl: "records", version: VERSION, ordinal, entries: entries.length };
    const text = Buffer.from([head, ...entries].map((line) => JSON.stringify(line)).join("\n"));
    const bytes = await compress(text, {
      params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
      pledgedSrcSize: text.length,
    });
    await this.#patience(() => this.#blobs.put(segmentKey(ordinal), bytes));
  }

  /** @throws BlobError when its segment is missing or damaged. */
  async read(pointer: Pointer): Promise<Entry> {
    return this.#entryIn(await this.#linesLately(pointer.ordinal), pointer);
  }

  /** In the order of `pointers`; each segment is asked for once. @throws BlobError when one is missing or damaged. */
  async readMany(pointers: readonly Pointer[]): Promise<Entry[]> {
    const read = new Map<number, readonly string[]>();
    await inStep(new Set(pointers.map(({ ordinal }) => ordinal)), AT_ONCE, async (ordinal) => {
      read.set(ordinal, await this.#linesLately(ordinal));
    });
    return pointers.map((pointer) => this.#entryIn(read.get(pointer.ordinal)!, pointer));
  }

  /**
   * Those that are there, in order, a few read ahead. What is missing among them is passed over: an ordinal is taken before
   * its segment is written (`Manifest` knows which must be there). @throws BlobError when one is damaged.
   */
  async *all(from: number, to: number): AsyncGenerator<Segment> {
    const ahead: { readonly ordinal: number; readonly lines: Promise<readonly string[]> }[] = [];
    const next = async (): Promise<Segment> => {
      const { ordinal, lines } = ahead.shift()!;
      return { ordinal, entries: (await lines).map((line) => JSON.parse(line) as Entry) };
    };
    for await (const ordinal of this.#ordinals(from, to)) {
      const lines = this.#lines(ordinal);
      lines.catch(() => {}); // who waits for it says so, if anybody still does
      ahead.push({ ordinal, lines });
      if (ahead.length === AT_ONCE) yield await next();
    }
    while (ahead.length > 0) yield await next();
  }

  /** The ordinals of those that are there behind one. */
  async behind(ordinal: number): Promise<number[]> {
    const there: number[] = [];
    for (let from = ordinal + 1, before = -1; there.length > before; from += 10 ** FOLDER_DIGITS) {
      before = there.length;
      there.push(...(await Array.fromAsync(this.#ordinals(from, from + 10 ** FOLDER_DIGITS - 1))));
    }
    return there;
  }

  missing(ordinal: number, cause?: unknown): BlobError {
    return new BlobError("missing", `the records ${this.#nameOf(ordinal)} are not there; ${MEND}`, cause);
  }

  async *#ordinals(from: number, to: number): AsyncGenerator<number> {
    const step = 10 ** FOLDER_DIGITS;
    for (let first = from - (from % step); first <= to; first += step) {
      const there = await this.#patience(() => Array.fromAsync(this.#blobs.list(folderOf(first))));
      for (const { key } of there) {
        const ordinal = Number.parseInt(key.slice(key.lastIndexOf("/") + 1), 10);
        if (ordinal >= from && ordinal <= to) yield ordinal;
      }
    }
  }

  async #linesLately(ordinal: number): Promise<readonly string[]> {
    const known = this.#kept.get(ordinal);
    if (known !== undefined) {
      this.#kept.delete(ordinal);
      this.#kept.set(ordinal, known);
      return known.lines;
    }
    const lines = await this.#lines(ordinal);
    if (!this.#kept.has(ordinal)) {
      const size = lines.reduce((sum, line) => sum + line.length, 0);
      this.#kept.set(ordinal, { lines, size });
      this.#keptSize += size;
    }
    for (const [oldest, { size }] of this.#kept) {
      if (this.#keptSize <= KEPT) break;
      this.#kept.delete(oldest);
      this.#keptSize -= size;
    }
    return lines;
  }

  /** Its entries, as written. */
  #lines(ordinal: number): Promise<readonly string[]> {
    return this.#patience(async () => {
      const [head, ...lines] = (await this.#text(ordinal)).split("\n");
      const said = head!.slice(0, SAID);
      const { trawl, version, ordinal: is, entries } = parsed(head!);
      if (trawl !== "records") throw this.#damaged(ordinal, `it begins ${said}`);
      if (version !== VERSION)
        throw new BlobError(
          "refused",
          `${this.#nameOf(ordinal)} is of version ${version} of records, and this Trawl reads version ${VERSION}; read it with one that is as new`,
        );
      if (is !== ordinal || entries !== lines.length)
        throw this.#damaged(ordinal, `it begins ${said} and has ${lines.length} entries`);
      return lines;
    });
  }

  async #text(ordinal: number): Promise<string> {
    const pieces = await Array.fromAsync(this.#blobs.get(segmentKey(ordinal))).catch((cause) => {
      if (!(cause instanceof BlobError) || cause.code !== "store-missing") throw cause;
      throw this.missing(ordinal, cause);
    });
    try {
      return (await decompress(Buffer.concat(pieces), { rejectGarbageAfterEnd: true })).toString();
    } catch (cause) {
      throw this.#damaged(ordinal, (cause as Error).message, cause);
    }
  }

  #entryIn(lines: readonly string[], { ordinal, index }: Pointer): Entry {
    const line = lines[index];
    if (line === undefined) throw this.#damaged(ordinal, `entry ${index} is asked for, and it has ${lines.length}`);
    return JSON.parse(line) as Entry;
  }

  #nameOf(ordinal: number): string {
    return `${this.#blobs.name}/${segmentKey(ordinal)}`;
  }

  #damaged(ordinal: number, why: string, cause?: unknown): BlobError {
    return new BlobError("corrupt", `the records ${this.#nameOf(ordinal)} are damaged (${why}); ${MEND}`, cause);
  }
}

/** What no other program writes there by chance, and what it says when one has. */
function parsed(line: string): Partial<Head> {
  try {
    return (JSON.parse(line) ?? {}) as Partial<Head>;
  } catch {
    return {};
  }
}
