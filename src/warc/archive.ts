/** The archive of one visit thread: WARC files that rotate by size, each record packed by itself, one writer a file. */
import { mkdir, readdir } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import type { ArchiveMark, Capture, Locator } from "../model/capture.ts";
import { type FetchResponse, header } from "../model/fetch-result.ts";
import type { Archive, ArchiveNote } from "../ports/archive.ts";
import {
  conversionFields,
  type MainIds,
  mainFields,
  metadataFields,
  requestFields,
  responseHead,
  truncationOf,
} from "./capture-records.ts";
import { archiveError } from "./error.ts";
import { type CreateFile, createFile, GrowingFile, OPEN_SUFFIX } from "./growing-file.ts";
import { packedRecord } from "./packed-record.ts";
import type { Packing } from "./packing.ts";
import { isArchiveName, PACKINGS, type PackingName } from "./packings.ts";
import {
  fieldsBlock,
  newRecordId,
  type RecordFields,
  recordHeader,
  sha1Digest,
  type WarcInfo,
  warcinfoBlock,
} from "./record.ts";

export interface ArchiveOptions {
  /** The folder of the files; made if it is not there. */
  readonly dir: string;
  /** File names are PREFIX-TIME-WRITER-SERIAL.warc.gz (or .warc.zst). Default "trawl". */
  readonly prefix?: string;
  /** Tells apart those who write into one folder, or one store, at the same time; without a "-". Default "0". */
  readonly writer?: string;
  /** A file is finished with the capture that brings it to this size. Default 1 GB. */
  readonly maxFileBytes?: number;
  /** How records are packed. Default "gzip". */
  readonly packing?: PackingName;
  /** For bodies that are not compressed already: 1 is fast, 9 is small. Default 1. */
  readonly level?: number;
  readonly clock: Clock;
  readonly info: WarcInfo;
  /** Names of files that were written before and may be elsewhere by now: none of them is used again. */
  readonly taken?: readonly string[];
  /** For tests: how a file is made. */
  readonly create?: CreateFile;
}

export interface WarcArchive extends Archive {
  /** Appended and not yet durable: bytes held in memory. */
  readonly pendingBytes: number;
}

/**
 * Opens the archive for appending. It always starts a new file; what an earlier run left is the business of
 * `repairArchive`, which must have run before. Throws an `ArchiveError` when the folder cannot be used.
 */
export async function openArchive(options: ArchiveOptions): Promise<WarcArchive> {
  const { dir, prefix = "trawl", writer = "0", taken = [] } = options;
  try {
    await mkdir(dir, { recursive: true });
    return new Writer(options, nextSerial([...taken, ...(await readdir(dir))], prefix, writer));
  } catch (cause) {
    throw archiveError(cause, dir);
  }
}

/** Serial numbers go on where earlier runs ended, so that no name comes twice whatever the clock says. */
function nextSerial(names: readonly string[], prefix: string, writer: string): number {
  let next = 0;
  for (const name of names) {
    const stem = name.endsWith(OPEN_SUFFIX) ? name.slice(0, -OPEN_SUFFIX.length) : name;
    if (!stem.startsWith(`${prefix}-`) || !isArchiveName(stem)) continue;
    const parts = stem.slice(prefix.length + 1, stem.indexOf(".warc.", prefix.length)).split("-");
    if (parts.length === 3 && parts[1] === writer) next = Math.max(next, Number(parts[2]) + 1 || 0);
  }
  return next;
}

const EMPTY = new Uint8Array(0);
/** Room for the fields of a record whose length does not depend on the page. */
const FIELDS_ROOM = 2048;
/** Shorter texts are not worth a compressor. */
const COMPRESSED_FROM = 1024;

/** Formats that are compressed in themselves: deflating them again costs time and saves nothing. */
const COMPRESSED_TYPES =
  /^(?:image\/(?!svg|bmp|x-ms-bmp|tiff|x-icon|vnd\.microsoft\.icon)|video\/|audio\/(?!wav|x-wav|midi)|font\/woff|application\/(?:pdf|zip|gzip|x-gzip|x-bzip2?|x-7z-compressed|x-rar|vnd\.rar|zstd|epub\+zip|java-archive|font-woff|vnd\.openxmlformats))/i;

const COMPRESSED_ENCODINGS = /\b(?:gzip|br|zstd|deflate|compress)\b/i;

function isCompressed(response: FetchResponse, note: ArchiveNote): boolean {
  const encoding = header(response.rawHeaders, "content-encoding");
  if (encoding !== null && response.decodeError === null && COMPRESSED_ENCODINGS.test(encoding)) return true;
  return COMPRESSED_TYPES.test(note.identifiedType ?? header(response.rawHeaders, "content-type") ?? "");
}

class Writer implements WarcArchive {
  readonly #options: ArchiveOptions;
  readonly #packing: Packing;
  readonly #level: number;
  readonly #maxFileBytes: number;
  #serial: number;
  /** Files that have something to write, to finish or to report, oldest first; the last may be `#current`. */
  #files: GrowingFile[] = [];
  #reported = new Map<GrowingFile, number>();
  #current: { readonly file: GrowingFile; readonly warcinfoId: string } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #failed = false;
  #disposed = false;

  constructor(options: ArchiveOptions, serial: number) {
    this.#options = options;
    this.#packing = PACKINGS[options.packing ?? "gzip"];
    this.#level = options.level ?? 1;
    this.#maxFileBytes = options.maxFileBytes ?? 1_000_000_000;
    this.#serial = serial;
  }

  get pendingBytes(): number {
    let bytes = 0;
    for (const file of this.#files) bytes += file.length - file.durable;
    return bytes;
  }

  digest(body: Uint8Array): string {
    return sha1Digest(body);
  }

  append(response: FetchResponse, note: ArchiveNote): Capture {
    if (this.#disposed) throw new Error("the archive is closed");
    this.#current ??= this.#start();
    const { file, warcinfoId } = this.#current;
    const ids: MainIds = { id: newRecordId(), warcinfoId };
    const { revisit = null, metadata = null, conversions = [] } = note;
    const digest = revisit?.original.digest ?? note.digest ?? sha1Digest(response.body);
    const record = (
      block: { readonly head: string; readonly body: Uint8Array; readonly level: number },
      fields: (blockDigest: string) => RecordFields,
      more = 0,
    ): Buffer =>
      packedRecord({
        ...block,
        header: (blockDigest, length) => recordHeader(fields(blockDigest), length),
        headerRoom: FIELDS_ROOM + response.href.length + more,
        packing: this.#packing,
      });

    const main = record(
      {
        head: responseHead(response),
        body: revisit === null ? response.body : EMPTY,
        level: revisit !== null || isCompressed(response, note) ? 0 : this.#level,
      },
      (blockDigest) => mainFields(response, note, ids, { payloadDigest: digest, blockDigest }),
      (note.via?.length ?? 0) + (note.identifiedType?.length ?? 0) + (revisit?.original.href.length ?? 0),
    );
    const locator: Locator = { file: file.name, offset: file.append(main), length: main.length };
    if (response.httpVersion !== null) {
      // Setting up a compressor costs 20 us or more, and would save 300 bytes.
      const request = { head: response.requestHead, body: EMPTY, level: 0 };
      file.append(record(request, (blockDigest) => requestFields(response, ids.id, blockDigest)));
    }
    if (metadata !== null) {
      const block = this.#textBlock(fieldsBlock(metadata));
      file.append(record(block, (blockDigest) => metadataFields(response, ids.id, blockDigest)));
    }
    for (const conversion of conversions) {
      const block = this.#textBlock(conversion.text);
      file.append(record(block, (blockDigest) => conversionFields(response, conversion, ids, blockDigest)));
    }
    if (file.length >= this.#maxFileBytes) {
      file.finish();
      this.#current = null;
    }
    const kept = { response: locator, at: response.startedAt, digest, truncated: truncationOf(response) };
    return revisit === null ? kept : { ...kept, truncated: null, revisitOf: revisit.original.urlId };
  }

  #textBlock(text: string): { head: string; body: Uint8Array; level: number } {
    const body = Buffer.from(text, "utf8");
    return { head: "", body, level: body.length < COMPRESSED_FROM ? 0 : this.#level };
  }

  /** Throws an `ArchiveError`; nothing is lost then: the same bytes go to the same offsets with the next call. */
  sync(): Promise<ArchiveMark[]> {
    const mine = this.#turn.then(() => this.#sync());
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /**
   * Syncs what is pending and finishes the files. After a sync that failed it drops what is not durable instead, and
   * does not raise the error again.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#current?.file.finish();
    this.#current = null;
    await this.#turn;
    try {
      if (!this.#failed) await this.sync();
    } finally {
      await Promise.allSettled(this.#files.map((file) => file.abandon()));
      this.#files = [];
    }
  }

  async #sync(): Promise<ArchiveMark[]> {
    this.#failed = true; // until it has gone well
    const files = this.#files.slice();
    for (const file of files) await file.sync();
    this.#failed = false;

    const marks: ArchiveMark[] = [];
    for (const file of files) {
      if (file.durable !== this.#reported.get(file)) marks.push({ file: file.name, bytes: file.durable });
      if (file.closed) this.#reported.delete(file);
      else this.#reported.set(file, file.durable);
    }
    this.#files = this.#files.filter((file) => !file.closed);
    return marks;
  }

  #start(): { file: GrowingFile; warcinfoId: string } {
    const { dir, prefix = "trawl", writer = "0", clock, info, create = createFile } = this.#options;
    const now = clock.now();
    const stamp = new Date(now).toISOString().replace(/\D/g, "");
    const name = `${prefix}-${stamp}-${writer}-${String(this.#serial++).padStart(5, "0")}${this.#packing.suffix}`;
    const file = new GrowingFile(dir, name, create);
    const warcinfoId = newRecordId();
    file.append(
      packedRecord({
        head: "",
        body: Buffer.from(warcinfoBlock(info)),
        header: (blockDigest, length) =>
          recordHeader(
            {
              type: "warcinfo",
              id: warcinfoId,
              at: now,
              filename: name,
              blockDigest,
              contentType: "application/warc-fields",
            },
            length,
          ),
        headerRoom: FIELDS_ROOM + name.length,
        packing: this.#packing,
        level: this.#level,
      }),
    );
    this.#files.push(file);
    return { file, warcinfoId };
  }
}
