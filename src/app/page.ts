/** A page as a program gets it: the facts at hand, the body read from the archive when asked for. */
import { document } from "../media/document.ts";
import type { MainContent } from "../media/main-content.ts";
import type { EndReason } from "../model/end.ts";
import type { UrlRecord } from "../model/record.ts";
import type { Readable } from "../ports/media-handler.ts";
import { type Answers, answerTo } from "./dir/answers.ts";
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
export function pageOf(record: UrlRecord, answers: Answers, maxBodyBytes: number): Page {
  const { visit } = record;
  const answer = async () => (visit === null ? null : answerTo(visit, answers, maxBodyBytes));
  const readable = async (): Promise<Readable> =>
    (await answer())?.document() ?? document(record.href, visit?.page?.mediaType ?? "", new Uint8Array(), true, []);
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
    body: async () => (await answer())?.body ?? new Uint8Array(),
    text: async () => (await readable()).text(),
    visibleText: async () => seenIn(await readable()),
    mainContent: async () => contentOf(await readable(), visit?.page?.title ?? null),
  };
}
