/** The media handler for PDF: what is read in a thread of its own, as a page. */
import type { MediaHandler, Read } from "../ports/media-handler.ts";
import type { Apart } from "./apart.ts";

export function pdfHandler(apart: Pick<Apart, "run">): MediaHandler {
  return {
    name: "pdf",
    accepts: ["application/pdf"],
    ownDeadline: true,
    async read({ body, wantsText = false, converts = [] }): Promise<Read> {
      const asText = converts.includes("text/plain");
      const copy = new Uint8Array(body); // the thread takes it away
      const read = await apart.run("pdf", { body: copy, withText: wantsText || asText }, [copy.buffer]);
      if (!read.ok) return { links: [], error: read.error };
      const { links, text, ...facts } = read.value;
      return {
        ...facts,
        links: links.map((href) => ({ href, kind: "page", from: "pdf" })),
        ...(wantsText && { visibleText: text }),
        ...(asText && text !== "" && { conversions: [{ type: "text/plain", text }] }),
      };
    },
  };
}
