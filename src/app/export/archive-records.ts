/** The archive of a crawl, read from its first record to its last, for exports that are made of the records themselves. */
import { readRecords, type WarcRecord } from "../../warc/reader.ts";
import { type ArchiveFile, committedBytes } from "../dir/archive-files.ts";
import type { ExportJob } from "./job.ts";

export interface FileOfRecords {
  readonly name: string;
  /** To be read once, before the next file is asked for. What is damaged is passed over. */
  readonly records: AsyncIterable<WarcRecord>;
}

/** In order of name; tells how far it is in bytes of the whole archive. */
export async function* archivedRecords({
  archive,
  state,
  onProgress,
}: Pick<ExportJob, "archive" | "state" | "onProgress">): AsyncGenerator<FileOfRecords> {
  const files = await archive.files(await state.marks());
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const file of files) {
    const start = before;
    yield { name: file.name, records: recordsOf(file, (offset) => onProgress("bytes", start + offset, total)) };
    before += file.bytes;
  }
}

async function* recordsOf(file: ArchiveFile, onRecord: (offset: number) => void): AsyncGenerator<WarcRecord> {
  for await (const record of readRecords(committedBytes(file), file)) {
    if (record.kind === "damage") continue;
    onRecord(record.offset);
    yield record;
  }
}
