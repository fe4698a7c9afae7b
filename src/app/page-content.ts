/** What the body of a page says, for programs: all that a reader sees, or the main content alone. */
import { availableParallelism } from "node:os";
import { systemClock } from "../base/clock.ts";
import { textHashes } from "../crawl/read.ts";
import { Apart } from "../media/apart.ts";
import { builtinHandlers, chooseHandler } from "../media/builtin.ts";
import type { MainContent } from "../media/main-content.ts";
import { pdfHandler } from "../media/pdf-handler.ts";
import { visibleText } from "../media/visible-text.ts";
import type { Readable } from "../ports/media-handler.ts";

const aparts: { readonly apart: Apart; asked: number }[] = [];

/** Pages whose content it pays to look for at a time. */
export const CONTENTS_AT_ONCE = Math.min(availableParallelism(), 8);

/** Of the threads for work that may take long the one with least to do; another is made while all have some. */
async function inThread<T>(work: (apart: Apart) => Promise<T>): Promise<T> {
  let lane = aparts.find(({ asked }) => asked === 0);
  if (lane === undefined && aparts.length < CONTENTS_AT_ONCE) {
    lane = { apart: new Apart({ clock: systemClock }), asked: 0 };
    aparts.push(lane);
  }
  lane ??= aparts.reduce((least, one) => (one.asked < least.asked ? one : least));
  lane.asked++;
  try {
    return await work(lane.apart);
  } finally {
    lane.asked--;
  }
}

/** Idle, they keep no process alive. */
const apart: Pick<Apart, "run"> = { run: (kind, job, give) => inThread((one) => one.run(kind, job, give)) };
const pdf = pdfHandler(apart);
const handlers = builtinHandlers("*", apart);

export const isHtml = ({ mediaType }: Pick<Readable, "mediaType">): boolean =>
  mediaType === "text/html" || mediaType === "application/xhtml+xml";

/**
 * One line of HTML, or, where `lines` are asked for, a line a block. Throws a sentence when a PDF cannot be read, or its
 * package is missing.
 */
export async function seenIn(document: Readable, { lines = false } = {}): Promise<string> {
  if (isHtml(document)) {
    const xml = document.mediaType === "application/xhtml+xml";
    return visibleText(Buffer.from(document.text(), "utf8"), { xml, lines });
  }
  if (document.mediaType === "application/pdf") {
    const read = await pdf.read({ ...document, wantsText: true });
    if (read.visibleText === undefined) throw new Error(`${document.href}: ${read.error}`);
    return read.visibleText;
  }
  return document.mediaType.startsWith("text/") ? document.text() : "";
}

/** By which the document is compared with others, as when it was fetched (dedup/simhash, printed); null where there is too little text. */
export async function simhashOf(document: Readable): Promise<string | null> {
  const handler = chooseHandler(handlers, document.mediaType);
  const read = await handler?.read({ ...document, wantsText: true });
  return read === undefined ? null : (textHashes(read, document.href)?.simhash ?? null);
}

/** Of HTML; of other documents all their text. Throws a sentence when it cannot be found, or a package is missing. */
export async function contentOf(document: Readable, title: string | null): Promise<MainContent> {
  if (!isHtml(document)) {
    const text = await seenIn(document);
    return { title: title ?? "", text, markdown: text };
  }
  const content = await apart.run("content", { html: document.text(), href: document.href });
  if (!content.ok) throw new Error(`${document.href}: ${content.error}`);
  return content.value;
}
