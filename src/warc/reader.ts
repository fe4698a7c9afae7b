/** Reads archives: every record with its place in the file, and damage as a value, never as an exception. */
import { constants } from "node:buffer";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { readFully } from "../base/read-fully.ts";
import type { Locator } from "../model/capture.ts";
import { header, type RawHeaders } from "../model/fetch-result.ts";
import { ArchiveError } from "./error.ts";
import { parseFields } from "./fields.ts";
import { OPEN_SUFFIX } from "./growing-file.ts";
import { answerIn } from "./http.ts";
import { packingOf } from "./packings.ts";
import { type Piece, piecesOf, type Source } from "./pieces.ts";

/** What is wrong with a record that could be read all the same. */
export type Flaw =
  | "trailer" // not followed by two line ends
  | "shared-member" // its unit (gzip member, zstd frame) holds other records too
  | "split-member"; // it spans units

export interface WarcRecord {
  readonly kind: "record";
  /** Where its bytes in the file begin, and how many they are: one packed unit, or the record with its line ends. */
  readonly offset: number;
  readonly length: number;
  /** "WARC/1.1" */
  readonly version: string;
  /** WARC-Type in lower case; "" when there is none. */
  readonly type: string;
  /** Fields as written: [name, value, ...]. */
  readonly fields: RawHeaders;
  readonly block: Buffer;
  readonly flaws: readonly Flaw[];
}

export interface WarcDamage {
  readonly kind: "damage";
  readonly offset: number;
  /** Bytes of the file that were passed over. */
  readonly length: number;
  /** What is wrong, in words. */
  readonly what: string;
}

/** Longer record headers are damage. */
const MAX_HEADER_BYTES = 1 << 20;

/**
 * The records of a WARC file, plain or packed (found from its first bytes), in order. A record's block is in memory as a
 * whole. Throws only what the source throws.
 */
export async function* readRecords(source: Source): AsyncGenerator<WarcRecord | WarcDamage> {
  const text = new Inflated(piecesOf(source));
  for (;;) {
    const damage = await text.skipLineEnds();
    if (damage !== null) {
      yield damage;
      continue;
    }
    if (text.bytes.length === 0) return;
    yield await oneRecord(text);
  }
}

async function oneRecord(text: Inflated): Promise<WarcRecord | WarcDamage> {
  let end = recordHeadEnd(text.bytes);
  while (end === null && looksLikeWarc(text.bytes) && text.bytes.length <= MAX_HEADER_BYTES) {
    if (!(await text.fill(text.bytes.length + 1))) return text.passOver("cut off inside a record's header");
    end = recordHeadEnd(text.bytes);
  }
  if (end === "broken") return text.toNextRecord("a record's header in which another record begins");
  if (end === null || !looksLikeWarc(text.bytes)) return text.toNextRecord("not a WARC record");

  const { firstLine, fields } = parseFields(text.bytes.subarray(0, end), 0, "utf8");
  const declared = header(fields, "content-length") ?? "";
  const total = /^\d{1,15}$/.test(declared) ? end + Number(declared) : Number.NaN;
  if (Number.isNaN(total)) return text.toNextRecord("a record without a valid Content-Length");
  if (!(await text.fill(total, true)))
    return text.toNextRecord("cut off inside a record, or with a Content-Length that is wrong");

  await text.fill(total + 4);
  const trailed = text.bytes.toString("latin1", total, total + 4) === "\r\n\r\n";
  const block = text.bytes.subarray(end, total);
  const { offset, length, flaws } = text.take(trailed ? total + 4 : total);
  if (!trailed) flaws.push("trailer");
  const type = (header(fields, "warc-type") ?? "").toLowerCase();
  return { kind: "record", offset, length, version: firstLine.trim(), type, fields, block, flaws };
}

/**
 * Where the block begins; null when the header has no end yet. A header is not looked through beyond the line where the
 * next one begins: else each of a thousand headers without an end would be looked through to the end of the file.
 */
function recordHeadEnd(bytes: Buffer): number | "broken" | null {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
    if (bytes[at + 1] === W && bytes.toString("latin1", at, at + START.length) === START) return "broken";
  }
  return null;
}

const LF = 10;
const CR = 13;
const W = 0x57;

/** As far as there are bytes to tell. */
function looksLikeWarc(bytes: Buffer): boolean {
  return "WARC/".startsWith(bytes.toString("latin1", 0, 5));
}

/** A piece without its bytes: where its content stands in the text, and it itself in the file. */
interface Place {
  readonly at: number;
  readonly end: number;
  readonly offset: number;
  readonly length: number;
}

/** The content of the pieces as one text that slides forward, and knows where each of its bytes stands in the file. */
class Inflated {
  readonly #pieces: AsyncIterator<Piece>;
  #bytes: Buffer = Buffer.alloc(0);
  /** The position of `bytes` in the text. */
  #taken = 0;
  /** Of the pieces that `bytes` is made of. */
  #places: Place[] = [];
  #compressed = false;
  /** The end of the last piece in the file. */
  #fileEnd = 0;
  /** Stands behind `bytes` and has not been told yet. */
  #damage: WarcDamage | null = null;

  constructor(pieces: AsyncIterator<Piece>) {
    this.#pieces = pieces;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /**
   * Takes in pieces until there are `least` bytes; false when the text ends, or damage comes, before. `asRecord`: also when
   * a unit begins like a record before: no record goes on there, whatever length it declares.
   */
  async fill(least: number, asRecord = false): Promise<boolean> {
    if (this.#bytes.length >= least) return true;
    const parts = [this.#bytes];
    let end = this.#taken + this.#bytes.length;
    let another = false;
    while (end - this.#taken < least && this.#damage === null && !another) {
      const next = await this.#pieces.next();
      if (next.done) break;
      const { offset, length, bytes, damage, compressed } = next.value;
      this.#compressed = compressed;
      this.#fileEnd = offset + length;
      if (damage !== null) {
        this.#damage = { kind: "damage", offset, length, what: damage };
      } else if (bytes.length > 0) {
        another = asRecord && compressed && bytes.toString("latin1", 0, 5) === "WARC/";
        parts.push(bytes);
        this.#places.push({ at: end, end: end + bytes.length, offset, length });
        end += bytes.length;
      }
    }
    if (parts.length > 1) this.#bytes = Buffer.concat(parts, end - this.#taken);
    return !another && end - this.#taken >= least;
  }

  /** Moves to the next byte that is no line end; the damage that stands before it, if any. */
  async skipLineEnds(): Promise<WarcDamage | null> {
    do this.#advance(countLineEnds(this.#bytes, 0));
    while (this.#bytes.length === 0 && (await this.fill(1)));
    if (this.#bytes.length > 0) return null;
    const damage = this.#damage;
    this.#damage = null;
    return damage;
  }

  /** Takes the next `count` bytes, one at least, as one record: where that is in the file. */
  take(count: number): { offset: number; length: number; flaws: Flaw[] } {
    const start = this.#taken;
    const first = this.#places[0]!;
    if (!this.#compressed) {
      this.#advance(count);
      return { offset: first.offset + start - first.at, length: count, flaws: [] };
    }
    const last = this.#places.findLast((place) => place.at < start + count)!;
    const flaws: Flaw[] = [];
    const rest = count + countLineEnds(this.#bytes, count);
    if (first.at !== start || start + rest < last.end) flaws.push("shared-member");
    if (first !== last) flaws.push("split-member");
    this.#advance(count);
    return { offset: first.offset, length: last.offset + last.length - first.offset, flaws };
  }

  /** Takes all that is there, as damage. */
  passOver(what: string): WarcDamage {
    const { offset, length } = this.take(this.#bytes.length);
    return { kind: "damage", offset, length, what };
  }

  /** Passes over everything before the next line that begins a record. */
  async toNextRecord(what: string): Promise<WarcDamage> {
    const offset = this.#offset();
    let at = this.#nextStart();
    while (at < 0) {
      this.#advance(Math.max(this.#bytes.length - START.length, 0));
      at = (await this.fill(this.#bytes.length + 1)) ? this.#nextStart() : this.#bytes.length;
    }
    this.#advance(at);
    return { kind: "damage", offset, length: this.#offset() - offset, what };
  }

  /** Where in `bytes`, behind its first byte, a line or a unit begins like a record; -1 when none does. */
  #nextStart(): number {
    const line = this.#bytes.indexOf(START, 0, "latin1");
    if (line >= 0 || !this.#compressed) return line < 0 ? -1 : line + 1;
    for (const { at } of this.#places) {
      const member = at - this.#taken;
      if (member > 0 && this.#bytes.toString("latin1", member, member + 5) === "WARC/") return member;
    }
    return -1;
  }

  /** The place in the file of the next byte; of the member that holds it, when compressed. */
  #offset(): number {
    const first = this.#places[0];
    if (first === undefined) return this.#fileEnd;
    return this.#compressed ? first.offset : first.offset + this.#taken - first.at;
  }

  #advance(count: number): void {
    this.#bytes = this.#bytes.subarray(count);
    this.#taken += count;
    while (this.#places.length > 0 && this.#places[0]!.end <= this.#taken) this.#places.shift();
  }
}

const START = "\nWARC/";

function countLineEnds(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at - from;
}

export interface ArchivedResponse {
  /** The record's own fields: [name, value, ...]. */
  readonly warcHeaders: RawHeaders;
  readonly statusLine: string;
  /** The response's fields as archived. */
  readonly rawHeaders: RawHeaders;
  /** As archived: content-encoding kept, chunks (which others archive) taken off. */
  readonly body: Buffer;
}

/**
 * The answer (of a response, revisit or resource) that stands at `locator` in the folder `dir`, by one read; also while
 * its file is still being written. Throws an `ArchiveError` with code "damaged" when it is not there.
 */
export async function readRecordAt(dir: string, locator: Locator): Promise<ArchivedResponse> {
  return archivedIn(await recordAt(dir, locator));
}

function archivedIn({ fields, block }: WarcRecord): ArchivedResponse {
  const { startLine, rawHeaders, body } = answerIn(fields, block);
  return { warcHeaders: fields, statusLine: startLine, rawHeaders, body };
}

/** The record itself. Throws as `readRecordAt` does. */
export async function recordAt(dir: string, locator: Locator): Promise<WarcRecord> {
  const path = join(dir, locator.file);
  return unpacked(await readRange(path, locator), path, locator);
}

/** The answer in the bytes that were read at `locator` of the file `path`. Throws as `readRecordAt` does. */
export function recordIn(member: Buffer, path: string, locator: Locator): ArchivedResponse {
  return archivedIn(unpacked(member, path, locator));
}

function unpacked(member: Buffer, path: string, locator: Locator): WarcRecord {
  const tried = packingOf(member)?.unpack(member, constants.MAX_LENGTH);
  if (tried?.kind !== "unit") {
    const why = tried === undefined ? "it is not packed as records are" : "it is cut off";
    throw notThere(path, locator, tried?.kind === "bad" ? tried.why : why);
  }
  const { firstLine, fields, end } = parseFields(tried.bytes, 0, "utf8");
  const total = end + Number(header(fields, "content-length") ?? Number.NaN);
  if (!(total <= tried.bytes.length)) throw notThere(path, locator, "it is no WARC record");
  const { offset, length } = locator;
  const type = (header(fields, "warc-type") ?? "").toLowerCase();
  const block = tried.bytes.subarray(end, total);
  return { kind: "record", offset, length, version: firstLine.trim(), type, fields, block, flaws: [] };
}

/** The file may be finished and renamed between two looks: so the final name is tried again. */
async function readRange(path: string, { offset, length }: Locator): Promise<Buffer> {
  for (const name of [path, path + OPEN_SUFFIX, path]) {
    const handle = await open(name, "r").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return null;
      throw cause;
    });
    if (handle === null) continue;
    try {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, await readFully(handle, buffer, offset));
    } finally {
      await handle.close();
    }
  }
  throw new ArchiveError("damaged", path, `archive file ${path} is gone`);
}

function notThere(path: string, { offset }: Locator, why: string): ArchiveError {
  return new ArchiveError("damaged", path, `no record can be read at ${offset} of ${path}: ${why}`);
}
