/** A media handler for HTML that also gives the main content, where that is asked for; found in a thread of its own. */
import type { Conversion } from "../ports/archive.ts";
import type { MediaHandler, Read, Readable } from "../ports/media-handler.ts";
import type { Apart } from "./apart.ts";

/** `html`: what reads the page itself. Without anything asked for it is all that is run. */
export function withMainContent(html: MediaHandler, apart: Pick<Apart, "run">): MediaHandler {
  return {
    name: html.name,
    accepts: html.accepts,
    ownDeadline: true,
    read(document) {
      const read = html.read(document);
      return document.converts === undefined || document.converts.length === 0
        ? read
        : converted(document, read, apart);
    },
  };
}

async function converted(document: Readable, reading: Read | Promise<Read>, apart: Pick<Apart, "run">): Promise<Read> {
  const read = await reading; // of an HTML reader that gives no promise
  const content = await apart.run("content", { html: document.text(), href: document.href });
  // The links are good all the same.
  if (!content.ok) return { ...read, error: read.error ?? `main content: ${content.error}` };
  const { text, markdown } = content.value;
  const conversions: Conversion[] = [];
  if (document.converts!.includes("text/plain") && text !== "") conversions.push({ type: "text/plain", text });
  if (document.converts!.includes("text/markdown") && text !== "")
    conversions.push({ type: "text/markdown", text: markdown });
  return { ...read, conversions };
}
