/**
 * Archive files brought into a crawl's directory. One whose records can each be read alone is copied (or linked to) as it
 * is; any other (plain, damaged, several records to a gzip member) is packed anew, record by record: what can be read.
 */
import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { copyFile, open, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ArchiveMark } from "../../model/capture.ts";
import { OPEN_SUFFIX, syncDirectory } from "../../warc/growing-file.ts";
import { PACKINGS, packingOf } from "../../warc/packings.ts";
import { readRecords } from "../../warc/reader.ts";
import { isTooLong, repacked } from "../../warc/repack.ts";

/** What was found in a file. */
export interface Examined {
  readonly path: string;
  readonly bytes: number;
  /** Of all its bytes: two files with one digest are the same file. */
  readonly digest: string;
  readonly records: number;
  /** Whether each record can be read alone, and nothing is damaged. */
  readonly sound: boolean;
  /** Damage in words, with the place. */
  readonly faults: readonly string[];
  /** Of the name it gets: ".warc.gz". */
  readonly suffix: string;
}

const TOO_LONG = "a record that shares its gzip member or zstd frame with others, and is too long to be packed anew";

/** Reads the whole file. Throws what the file system throws. */
export async function examine(path: string, onBytes: (bytes: number) => void): Promise<Examined> {
  const hash = createHash("sha256");
  let bytes = 0;
  let start: Buffer | null = null;
  async function* source(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      start ??= chunk.subarray(0, 4);
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(bytes);
      yield chunk;
    }
  }
  const faults: string[] = [];
  let records = 0;
  let flawed = false;
  const { size } = await stat(path);
  for await (const record of readRecords(source(), { bytes: size })) {
    const fault = record.kind === "damage" ? record.what : isTooLong(record) ? TOO_LONG : null;
    if (fault !== null) faults.push(`${basename(path)} at ${record.offset}: ${fault}`);
    else if (record.kind === "record") {
      records++;
      if (record.flaws.length > 0) flawed = true;
    }
  }
  const packing = start === null ? null : packingOf(start);
  return {
    ...{ path, bytes, digest: hash.digest("hex"), records, faults },
    sound: packing !== null && !flawed && faults.length === 0,
    suffix: (packing ?? PACKINGS.gzip).suffix,
  };
}

/** The name that a file gets in the archive, when nobody has it: its own, with the suffix of what it is. */
export function nameFor({ path, suffix, sound }: Examined, isTaken: (name: string) => boolean): string {
  const stem = basename(path)
    .replace(/\.open$/, "")
    .replace(/\.(gz|zst)$/, "")
    .replace(/\.warc$/, "")
    .replace(/[^\w.-]/g, "_");
  const ending = sound ? suffix : PACKINGS.gzip.suffix;
  for (let nth = 1; ; nth++) {
    const name = `${stem}${nth === 1 ? "" : `-${nth}`}${ending}`;
    if (!isTaken(name)) return name;
  }
}

/**
 * Brings the file into `dir` under `name`, durable. Until `commit` has been told how long it is, it is called NAME.open,
 * and `repairArchive` removes it after a crash.
 */
export async function bringIn(
  examined: Examined,
  dir: string,
  name: string,
  link: boolean,
  commit: (mark: ArchiveMark) => Promise<void>,
): Promise<ArchiveMark> {
  const place = join(dir, name);
  const open = place + OPEN_SUFFIX;
  await rm(open, { force: true });
  let { bytes } = examined;
  if (!examined.sound) bytes = await repackInto(open, examined.path);
  else if (link) await symlink(examined.path, open);
  else await copyInto(open, examined.path);
  await syncDirectory(dir);
  const mark = { file: name, bytes };
  await commit(mark);
  await rename(open, place);
  await syncDirectory(dir);
  return mark;
}

async function copyInto(to: string, from: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await using file = await open(to, "r+");
  await file.datasync();
}

async function repackInto(to: string, from: string): Promise<number> {
  await using file = await open(to, "w");
  let bytes = 0;
  for await (const member of repacked(from)) {
    await file.appendFile(member);
    bytes += member.length;
  }
  await file.datasync();
  return bytes;
}
