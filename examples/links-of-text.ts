// A media handler of one's own: finds URLs in plain text files. Use it with
//   trawl crawl https://example.com --handler ./links-of-text.ts
import type { MediaHandler } from "../src/handler.ts"; // in a project of yours: "trawl/handler"

export const handler: MediaHandler = {
  name: "links-of-text",
  accepts: ["text/plain"],
  read(document) {
    const text = document.text();
    const links = [...text.matchAll(/https?:\/\/[^\s<>"')\]]+/g)].map(([href]) => ({
      href,
      kind: "page" as const,
      from: "text",
    }));
    const title = text.slice(0, 200).split("\n", 1)[0]!.trim();
    return title === "" ? { links } : { links, title };
  },
};
