/**
 * DIR/state.seen: what memory knows of all URLs (the seen set, who has ended, cash), so that opening need not
 * rebuild it from the first row of the journal on.
 *
 * It is never needed: whatever is wrong with it, it is removed and the journal read whole. It is copied a piece after
 * each transaction, so that no pause is long, and written beside the crawl, a piece at a time: a gigabyte takes the
 * system a second. So each piece is true of a row of its own: the header of row `from`, the others of that or of a
 * later one, up to row `to`. It is good only while the journal still has row `to` (a power cut can take the last rows), and
 * everything after `from` is read again in its order, which makes of a later state the same last one.
 */
import { closeSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { hashBytes } from "../../base/hash.ts";
import type { SeenChoice } from "../../dedup/seen-kinds.ts";
import type { Fill } from "../../dedup/snapshot.ts";
import type { EndReason } from "../../model/end.ts";
import { BytesById, PAGE_BYTES } from "./bytes-by-id.ts";
import type { Position } from "./journal.ts";
import type { SeenIds } from "./seen.ts";
import { UrlStates } from "./url-states.ts";

/** The part of memory that is kept. */
export interface Known {
  readonly seen: SeenIds;
  readonly states: UrlStates;
  readonly cash: BytesById;
  readonly endCounts: Map<EndReason, number>;
}

interface Header {
  readonly version: number;
  /** Another makes another `seen`. */
  readonly choice: SeenChoice;
  readonly from: Position;
  readonly ends: [EndReason, number][];
  readonly statePages: number;
  readonly cashPages: number;
}

const VERSION = 5;
export interface SnapshotPace {
  /** Admissions between two snapshots at least. */
  readonly every: number;
  /** So many bytes and one piece more are copied at once at most; the rest waits for another transaction. */
  readonly bytesAtOnce: number;
}

const PACE: SnapshotPace = { every: 4_000_000, bytesAtOnce: 2 ** 21 };
/**
 * Between two snapshots a quarter of all URLs is admitted at least, so that writing them stays cheap. (Opening takes the
 * others from the journal, a microsecond each.)
 */
const PART_OF_ALL = 4;
/** At a clean close it is worth writing for so many. */
const EVERY_AT_CLOSE = 100_000;
const MAX_HEADER_BYTES = 1 << 20;

interface Reading {
  /** Whether the journal has the row. */
  hasRow(position: Position): boolean;
  readSeen(fill: Fill): SeenIds | null;
}

/** What a snapshot holds and the position from which the journal is to be read; null when there is none that is good. */
export function readSnapshot(
  file: string,
  choice: SeenChoice,
  reading: Reading,
): { readonly known: Known; readonly from: Position } | null {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch {
    return null;
  }
  try {
    return readAll(fd, choice, reading);
  } catch {
    return null; // unreadable, or a header that is no JSON: as good as none
  } finally {
    closeSync(fd);
  }
}

function readAll(fd: number, choice: SeenChoice, { hasRow, readSeen }: Reading): ReturnType<typeof readSnapshot> {
  const fill = (target: Uint8Array): boolean => {
    for (let at = 0; at < target.length; ) {
      const read = readSync(fd, target, at, target.length - at, null);
      if (read === 0) return false;
      at += read;
    }
    return true;
  };
  const header = readJson<Header>(fill);
  if (header === null || header.version !== VERSION || !isSame(header.choice, choice)) return null;
  const states = new UrlStates();
  const cash = new BytesById();
  if (!readPages(fill, header.statePages, states.bytes) || !readPages(fill, header.cashPages, cash)) return null;
  const seen = readSeen(fill);
  const to = readJson<Position>(fill);
  if (seen === null || to === null || !hasRow(to)) return null;
  const known = { seen, states, cash, endCounts: new Map(header.ends) };
  return { known, from: header.from };
}

/** False when one of them is damaged. */
function readPages(fill: Fill, count: number, into: BytesById): boolean {
  for (let page = 0; page < count; page++) {
    const bytes = readChecked(fill, PAGE_BYTES);
    if (bytes === null) return false;
    into.restorePage(bytes);
  }
  return true;
}

/** Exact sets have no size to choose. */
const isSame = (a: SeenChoice, b: SeenChoice): boolean =>
  a.kind === b.kind && (a.kind === "exact" || (a.capacity === b.capacity && a.error === b.error));

/** Writes snapshots when they are due. A failure (a full disk) costs the snapshot, never the crawl. */
export class SnapshotWriter {
  readonly #file: string;
  readonly #beside: string;
  readonly #choice: SeenChoice;
  readonly #pace: SnapshotPace;
  readonly #fault: (point: string) => void;
  /** `nextId` at the last snapshot. */
  #lastId: number;
  /** The one under way: what is to be written of it, and `nextId` when it began. */
  #pieces: Iterator<Uint8Array> | null = null;
  #handle: FileHandle | null = null;
  #beganAt = 0;
  /** Set while the system takes in some pieces. */
  #writing: Promise<void> | null = null;

  /** `lastId`: up to where the snapshot that exists reaches. */
  constructor(
    file: string,
    choice: SeenChoice,
    lastId: number,
    fault: (point: string) => void,
    pace: Partial<SnapshotPace> = {},
  ) {
    this.#file = file;
    this.#choice = choice;
    this.#beside = `${file}.tmp`;
    this.#lastId = lastId;
    this.#pace = { ...PACE, ...pace };
    this.#fault = fault;
  }

  /** After each transaction: some pieces, if they are due. `at`: the row just committed. */
  step(known: Known, at: Position): void {
    if (this.#writing !== null) return;
    if (this.#pieces === null) {
      if (at.nextId - this.#lastId < Math.max(this.#pace.every, at.nextId / PART_OF_ALL)) return;
      this.#begin(known, at);
    }
    void this.#write(at);
  }

  /** Before the database is closed: what is under way is finished, or a last one written. */
  async close(known: Known, at: Position): Promise<void> {
    await this.#writing;
    if (this.#pieces === null && at.nextId - this.#lastId >= Math.min(this.#pace.every, EVERY_AT_CLOSE))
      this.#begin(known, at);
    while (this.#pieces !== null) await this.#write(at);
  }

  /** Lets go of what is under way. */
  async giveUp(): Promise<void> {
    await this.#writing;
    if (this.#pieces !== null) await this.#abandon();
  }

  #begin(known: Known, at: Position): void {
    this.#pieces = piecesOf(known, this.#choice, at);
    this.#beganAt = at.nextId;
  }

  /** Copies some pieces now, and settles when they are written. With the last the file is put in place. */
  #write(at: Position): Promise<void> {
    const pieces: Uint8Array[] = [];
    let isLast = false;
    for (let bytes = 0; bytes < this.#pace.bytesAtOnce && !isLast; ) {
      const { value, done } = this.#pieces!.next();
      isLast = done === true;
      const piece = isLast ? jsonBytes(at) : value!;
      pieces.push(piece);
      bytes += piece.length;
    }
    this.#writing = this.#append(pieces)
      .then(() => (isLast ? this.#putInPlace() : undefined))
      .catch(() => this.#abandon())
      .finally(() => {
        this.#writing = null;
      });
    return this.#writing;
  }

  async #append(pieces: readonly Uint8Array[]): Promise<void> {
    this.#handle ??= await open(this.#beside, "w");
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += (await this.#handle.write(piece, at)).bytesWritten;
      this.#fault("snapshot");
    }
  }

  async #putInPlace(): Promise<void> {
    await this.#handle!.datasync();
    renameSync(this.#beside, this.#file);
    await this.#end();
  }

  async #abandon(): Promise<void> {
    try {
      await this.#end();
      rmSync(this.#beside, { force: true });
    } catch {
      // It is written over by the next.
    }
  }

  async #end(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    this.#pieces = null;
    this.#lastId = this.#beganAt;
    await handle?.close();
  }
}

/** All but the end, which is the position of the last row committed before it was written. */
function* piecesOf(
  { seen, states, cash, endCounts }: Known,
  choice: SeenChoice,
  from: Position,
): IterableIterator<Uint8Array> {
  // Pages that come later hold only what the journal tells from `from` on.
  const statePages = states.bytes.pages.length;
  const cashPages = cash.pages.length;
  const header: Header = {
    version: VERSION,
    choice,
    from,
    ends: [...endCounts],
    statePages,
    cashPages,
  };
  yield jsonBytes(header);
  for (let nth = 0; nth < statePages; nth++) yield checked(states.bytes.pages[nth]!);
  for (let nth = 0; nth < cashPages; nth++) yield checked(cash.pages[nth]!);
  yield* seen.snapshot();
}

/** The bytes and a checksum over them. */
function checked(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, new Uint8Array(Uint32Array.of(hashBytes(bytes)[0]).buffer)]);
}

function readChecked(fill: Fill, length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  const sum = new Uint32Array(1);
  if (!fill(bytes) || !fill(new Uint8Array(sum.buffer))) return null;
  return hashBytes(bytes)[0] === sum[0] ? bytes : null;
}

/** Its length in four bytes, then JSON with a checksum. */
function jsonBytes(value: Header | Position): Uint8Array {
  const text = Buffer.from(JSON.stringify(value));
  return Buffer.concat([new Uint8Array(Uint32Array.of(text.length).buffer), checked(text)]);
}

function readJson<T extends Header | Position>(fill: Fill): T | null {
  const length = new Uint32Array(1);
  if (!fill(new Uint8Array(length.buffer)) || length[0]! > MAX_HEADER_BYTES) return null;
  const text = readChecked(fill, length[0]!);
  return text === null ? null : (JSON.parse(Buffer.from(text).toString()) as T);
}
