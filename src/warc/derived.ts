/**
 * Files that are made of an archive, as Common Crawl has them beside its own: WET (the text of pages, a conversion record
 * each) and WAT (what is known of each capture as JSON, a metadata record each). A gzip member a record.
 */
import type { Instant } from "../base/clock.ts";
import { packedRecord } from "./packed-record.ts";
import { PACKINGS } from "./packings.ts";
import { newRecordId, recordHeader, type WarcInfo, warcinfoBlock } from "./record.ts";

export interface Derived {
  readonly type: "conversion" | "metadata";
  readonly targetUri: string;
  /** When what it was made of was fetched. */
  readonly at: Instant;
  /** The id of the record that it was made of, with its brackets. */
  readonly refersTo: string;
  readonly contentType: string;
  /** Language of the text, where it is known. */
  readonly language?: string | null;
  readonly text: string;
}

const LEVEL = 6;
const FIELDS_ROOM = 2048;

/** The file, a piece a record. */
export async function* derivedChunks(
  info: WarcInfo,
  filename: string,
  now: Instant,
  records: AsyncIterable<Derived>,
): AsyncGenerator<Uint8Array> {
  const warcinfoId = newRecordId();
  const head = { type: "warcinfo", id: warcinfoId, at: now, contentType: "application/warc-fields", filename } as const;
  yield packed(warcinfoBlock(info), FIELDS_ROOM + filename.length, (blockDigest) => ({ ...head, blockDigest }));
  for await (const { text, targetUri, language, ...fields } of records)
    yield packed(text, FIELDS_ROOM + targetUri.length, (blockDigest) => ({
      ...fields,
      id: newRecordId(),
      targetUri,
      warcinfoId,
      blockDigest,
      identifiedLanguage: language ?? null,
    }));
}

function packed(text: string, headerRoom: number, fields: (blockDigest: string) => Parameters<typeof recordHeader>[0]) {
  return packedRecord({
    head: "",
    body: Buffer.from(text, "utf8"),
    header: (blockDigest, length) => recordHeader(fields(blockDigest), length),
    headerRoom,
    level: LEVEL,
    packing: PACKINGS.gzip,
  });
}
