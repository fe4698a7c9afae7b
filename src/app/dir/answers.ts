/** What was answered to a visit, as the archive has it: head and body, whichever record holds the body. */
import { document } from "../../media/document.ts";
import { header } from "../../model/fetch-result.ts";
import type { VisitRecord } from "../../model/record.ts";
import { contentCodings, decodeBody } from "../../net/decode.ts";
import type { StateQueries } from "../../ports/frontier.ts";
import type { Readable } from "../../ports/media-handler.ts";
import type { ArchivedResponse } from "../../warc/read-at.ts";
import { bodyPlace } from "./bodies.ts";
import type { CrawlArchive } from "./crawl-archive.ts";

export interface Answer {
  /** Of the response or revisit record, with its brackets. */
  readonly recordId: string;
  /** As archived: content-encoding kept. Empty when the record that holds the body is gone. */
  readonly response: ArchivedResponse;
  /** Without content-encoding. */
  readonly body: Uint8Array;
  /** As it was read: with its charset, header fields, and the type that it was found to be. */
  document(): Readable;
}

/** Where answers are looked for. */
export interface Answers {
  readonly archive: Pick<CrawlArchive, "answer">;
  readonly state: Pick<StateQueries, "visitsOf">;
}

export const MOST_RATIO = 200;
/** Of a body that is read for an export, decoded. */
export const MOST_BODY_BYTES = 16 * 1024 * 1024;
/** Of pages that are read one behind the other, so many are asked for at a time: a store is far away, and a page mostly small. */
export const ANSWERS_AHEAD = 8;

/** Null when nothing was archived. `maxBodyBytes`: decoded bodies are cut there. Throws what `CrawlArchive.at` does. */
export async function answerTo(
  visit: VisitRecord,
  { archive, state }: Answers,
  maxBodyBytes: number,
): Promise<Answer | null> {
  const { capture } = visit;
  if (capture === null) return null;
  const response = await archive.answer(capture.response, await bodyPlace(capture, state));
  const whole = capture.truncated === null;
  const limits = { maxBytes: maxBodyBytes, maxRatio: MOST_RATIO };
  const body = (await decodeBody(response.body, contentCodings(response.rawHeaders), whole, limits)).bytes;
  return {
    recordId: header(response.warcHeaders, "warc-record-id") ?? "",
    response,
    body,
    document: () => document(visit.href, visit.page?.mediaType ?? "", body, !whole, response.rawHeaders),
  };
}
