/** A page as a program gets it: the facts at hand, the body read from the archive when asked for. */
import { document } from "../media/document.ts";
import type { MainContent } from "../media/main-content.ts";
import type { Capture } from "../model/capture.ts";
import type { EndReason } from "../model/end.ts";
import type { UrlRecord } from "../model/record.ts";
import { contentCodings, decodeBody } from "../net/decode.ts";
import type { Readable } from "../ports/media-handler.ts";
import { openState } from "../store/embedded/read-only.ts";
import { archivedAt } from "./dir/archived.ts";
import { bodyPlace } from "./dir/bodies.ts";
import { contentOf, seenIn } from "./page-content.ts";

export interface Page {
  /** As requested. */
  readonly url: string;
  /** How the URL ended: "fetched", "http-4xx", "redirected"... */
  readonly end: EndReason;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** After sniffing, without parameters; null when the body was not read. */
  readonly mediaType: string | null;
  readonly title: string | null;
  readonly language: string | null;
  readonly depth: number;
  readonly fetchedAt: Date | null;
  /** Everything that the crawl keeps of the URL. */
  readonly record: UrlRecord;
  /** The body without content-encoding; empty when nothing was archived. */
  body(): Promise<Uint8Array>;
  /** The body as text, by the charset that it says or shows. */
  text(): Promise<string>;
  /** All that a reader sees of it (HTML, PDF, plain text): one line of HTML, white space folded. */
  visibleText(): Promise<string>;
  /** Its main content: title, text, Markdown. Needs the packages of `--markdown`. */
  mainContent(): Promise<MainContent>;
}

/** `maxBodyBytes`: decoded bodies are cut there, as they were for reading. */
export function pageOf(record: UrlRecord, dir: string, maxBodyBytes: number): Page {
  const { visit } = record;
  const archived = async () => {
    const capture = visit?.capture ?? null;
    if (capture === null) return null;
    const response = await archivedAt(dir, capture.response);
    return capture.revisitOf === undefined ? response : { ...response, body: await originalBody(capture) };
  };
  const originalBody = async (capture: Capture) => {
    using state = openState(dir);
    const place = bodyPlace(capture, state);
    return place === null ? new Uint8Array() : (await archivedAt(dir, place)).body;
  };
  const body = async (): Promise<Uint8Array> => {
    const response = await archived();
    if (response === null) return new Uint8Array();
    const limits = { maxBytes: maxBodyBytes, maxRatio: 200 };
    const whole = visit?.capture?.truncated === null;
    return (await decodeBody(response.body, contentCodings(response.rawHeaders), whole, limits)).bytes;
  };
  const readable = async (): Promise<Readable> => {
    const response = await archived();
    const truncated = visit?.capture?.truncated !== null;
    return document(record.href, visit?.page?.mediaType ?? "", await body(), truncated, response?.rawHeaders ?? []);
  };
  return {
    url: record.href,
    end: visit?.end as EndReason,
    status: visit?.status ?? null,
    mediaType: visit?.page?.mediaType ?? null,
    title: visit?.page?.title ?? null,
    language: visit?.page?.language ?? null,
    depth: record.depth,
    fetchedAt: visit?.status == null ? null : new Date(visit.startedAt),
    record,
    body,
    text: async () => (await readable()).text(),
    visibleText: async () => seenIn(await readable()),
    mainContent: async () => contentOf(await readable(), visit?.page?.title ?? null),
  };
}
