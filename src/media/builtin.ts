/** The handlers that come with the program, and how one is chosen. */
import type { RawLink } from "../model/link.ts";
import { matchesMediaType } from "../model/media-type.ts";
import type { MediaHandler } from "../ports/media-handler.ts";
import type { Apart } from "./apart.ts";
import { withMainContent } from "./content-handler.ts";
import { css } from "./css.ts";
import { htmlHandler } from "./html.ts";
import { imageHandler } from "./image.ts";
import { pdfHandler } from "./pdf-handler.ts";
import { readXml, sitemap, urlLines } from "./sitemap.ts";
import { rootName } from "./xml.ts";

/** XML says by its root element what it is, whatever its media type: a sitemap, a feed, a page (read by `html`), a drawing. */
function xmlHandler(html: MediaHandler, image: MediaHandler): MediaHandler {
  return {
    name: "xml",
    accepts: ["text/xml", "application/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml"],
    read: (document) => {
      const text = document.text();
      const root = rootName(text);
      if (root === "svg") return image.read({ ...document, mediaType: "image/svg+xml" });
      if (root !== "html") return readXml(text);
      return html.read({ ...document, mediaType: "application/xhtml+xml" });
    },
  };
}

/** Plain text: a list of URLs and nothing else is a text sitemap; in any other text a line that is a URL is a link. */
const text: MediaHandler = {
  name: "text",
  accepts: ["text/plain"],
  read: (document) => {
    const { links, pure } = urlLines(document.text());
    if (pure) return { links };
    return {
      links: links.map((link): RawLink => ({ ...link, from: "text" })),
      ...(document.wantsText === true && { visibleText: document.text() }),
    };
  },
};

/**
 * In the order in which they are asked. `agentToken`: the crawler's product token, for `<meta name=TOKEN>`. `apart`: where
 * PDF is read and main content is found.
 */
export function builtinHandlers(agentToken: string, apart: Pick<Apart, "run">): readonly MediaHandler[] {
  const html = withMainContent(htmlHandler(agentToken), apart);
  const image = imageHandler(html);
  return [html, xmlHandler(html, image), sitemap, css, text, image, pdfHandler(apart)];
}

/** The first handler, in order, that accepts the media type (an essence in lower case); null when none does. */
export function chooseHandler(handlers: readonly MediaHandler[], mediaType: string): MediaHandler | null {
  for (const handler of handlers) {
    if (handler.accepts.some((pattern) => matchesMediaType(pattern, mediaType))) return handler;
  }
  return null;
}
