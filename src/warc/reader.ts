/** Reads archives: every record with its place in the file, and damage as a value, never as an exception. */
import { header, type RawHeaders } from "../model/fetch-result.ts";
import { type RunningChecks, RunningDigests } from "./digests.ts";
import { parseFields } from "./fields.ts";
import { HELD_BYTES, type Piece, piecesOf, type Source } from "./pieces.ts";

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
  /** Of a long block (`HELD_BYTES`) the beginning; the rest was digested as it went by. */
  readonly block: Buffer;
  /** Of the whole block. */
  readonly blockLength: number;
  /** Null when the block is here, and can be digested. */
  readonly checks: RunningChecks | null;
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

export interface ReadOptions {
  /** Of the source, where it is known: a record that would end behind it is known to be damaged before it is looked for. */
  readonly bytes?: number;
  /** In place of `HELD_BYTES`: of a block, and of a unit when unpacked. */
  readonly held?: number;
}

/**
 * The records of a WARC file, plain or packed (found from its first bytes), in order. At most `HELD_BYTES` of a block are
 * in memory. Throws only what the source throws.
 */
export async function* readRecords(
  source: Source,
  { bytes = Number.POSITIVE_INFINITY, held = HELD_BYTES }: ReadOptions = {},
): AsyncGenerator<WarcRecord | WarcDamage> {
  const text = new Inflated(piecesOf(source, held));
  for (;;) {
    const damage = await text.skipLineEnds();
    if (damage !== null) {
      yield damage;
      continue;
    }
    if (text.bytes.length === 0) return;
    yield await oneRecord(text, bytes, held);
  }
}

async function oneRecord(text: Inflated, bytes: number, held: number): Promise<WarcRecord | WarcDamage> {
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
  const isCut = text.runsOut(total, bytes) || !(await text.fill(Math.min(total, end + held), true));
  if (isCut) return text.toNextRecord(CUT_OFF);

  const type = (header(fields, "warc-type") ?? "").toLowerCase();
  const record = { kind: "record", version: firstLine.trim(), type, fields, blockLength: total - end } as const;
  if (total > end + held) {
    const block = Buffer.from(text.bytes.subarray(end, end + held)); // not with what is read behind it
    const digests = new RunningDigests(type, fields, block);
    const taken = await text.takeLong(end + held, total, (passing) => digests.update(passing));
    return "what" in taken ? taken : { ...record, ...taken, block, checks: digests.end() };
  }
  await text.fill(total + TRAILER.length);
  const block = text.bytes.subarray(end, total);
  return { ...record, ...text.takeTrailed(total), block, checks: null };
}

const CUT_OFF = "cut off inside a record, or with a Content-Length that is wrong";
const TRAILER = "\r\n\r\n";

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

/** Where a record begins: in which piece, and where in the text. */
interface Mark {
  readonly first: Place;
  readonly start: number;
}

/** Where a record that was taken stands in the file. */
interface Taken {
  readonly offset: number;
  readonly length: number;
  readonly flaws: readonly Flaw[];
}

/** The content of the pieces as one text that slides forward, and knows where each of its bytes stands in the file. */
class Inflated {
  readonly #pieces: AsyncIterator<Piece>;
  #bytes: Buffer = Buffer.alloc(0);
  /** The position of `bytes` in the text. */
  #taken = 0;
  /** Of the pieces that `bytes` is made of. */
  #places: Place[] = [];
  /** The place that was left last. */
  #left: Place | undefined = undefined;
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
      const { offset, length, bytes, damage, compressed, begins } = next.value;
      this.#compressed = compressed;
      this.#fileEnd = offset + length;
      if (damage !== null) {
        this.#damage = { kind: "damage", offset, length, what: damage };
      } else if (bytes.length > 0) {
        another = asRecord && compressed && begins && bytes.toString("latin1", 0, 5) === "WARC/";
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

  /** Whether a record of `total` bytes would end behind a file of `bytes`; of a packed one nobody knows. */
  runsOut(total: number, bytes: number): boolean {
    return !this.#compressed && this.#offset() + total > bytes;
  }

  /** Takes a record of `total` bytes, one at least, with the two line ends behind it, if they are there: where that is in the file. */
  takeTrailed(total: number): Taken {
    return this.#take(this.#mark(), total);
  }

  /** As `takeTrailed`, for a record that is not in memory as a whole: what follows its first `from` bytes goes by. */
  async takeLong(from: number, total: number, onBytes: (bytes: Buffer) => void): Promise<Taken | WarcDamage> {
    const mark = this.#mark();
    const offset = this.#offset();
    this.#advance(from);
    for (let left = total - from; left > 0; ) {
      const isAnother = this.#bytes.length === 0 && !(await this.fill(1, true));
      if (isAnother) return { kind: "damage", offset, length: this.#offset() - offset, what: CUT_OFF };
      const passing = this.#bytes.subarray(0, left);
      onBytes(passing);
      left -= passing.length;
      this.#advance(passing.length);
    }
    await this.fill(TRAILER.length);
    return this.#take(mark, 0);
  }

  #mark(): Mark {
    const first = this.#places[0]!;
    return { first, start: this.#taken };
  }

  /** Takes what is left of a record, `count` bytes and its line ends. `mark`: where the record began. */
  #take({ first, start }: Mark, count: number): Taken {
    const flaws: Flaw[] = [];
    const isTrailed = this.#bytes.toString("latin1", count, count + TRAILER.length) === TRAILER;
    const whole = count + (isTrailed ? TRAILER.length : 0);
    const end = this.#taken + whole;
    const last = this.#places.findLast((place) => place.at < end) ?? this.#left ?? first;
    const behind = end + countLineEnds(this.#bytes, whole);
    if (this.#compressed && (first.at !== start || behind < last.end)) flaws.push("shared-member");
    if (this.#compressed && first.offset !== last.offset) flaws.push("split-member");
    if (!isTrailed) flaws.push("trailer");
    this.#advance(whole);
    if (!this.#compressed) return { offset: first.offset + start - first.at, length: end - start, flaws };
    return { offset: first.offset, length: last.offset + last.length - first.offset, flaws };
  }

  /** Takes all that is there, as damage. */
  passOver(what: string): WarcDamage {
    const { offset, length } = this.#take(this.#mark(), this.#bytes.length);
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
    while (this.#places.length > 0 && this.#places[0]!.end <= this.#taken) this.#left = this.#places.shift();
  }
}

const START = "\nWARC/";

function countLineEnds(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at - from;
}
