/** What a module with a media handler of one's own needs: `import type { MediaHandler } from "trawl/handler"`. */
export type { RawLink } from "./model/link.ts";
export type { MediaHandler, Read, Readable } from "./ports/media-handler.ts";
