/** A response's body, ready for a handler: decoded once, when first asked. */
import { declaredMediaType } from "../model/media-type.ts";
import type { Href } from "../model/url.ts";
import type { Readable } from "../ports/media-handler.ts";
import { decode, findEncoding } from "./charset.ts";

/** `mediaType`: the essence after sniffing. `body`: content-encoding removed. `rawHeaders`: as received. */
export function document(
  href: Href,
  mediaType: string,
  body: Uint8Array,
  truncated: boolean,
  rawHeaders: readonly string[],
): Readable {
  let encoding: string | undefined;
  let text: string | undefined;
  const charset = (): string => {
    encoding ??= findEncoding(body, mediaType, declaredMediaType(rawHeaders));
    return encoding;
  };
  return {
    href,
    mediaType,
    body,
    truncated,
    rawHeaders,
    charset,
    text: () => {
      text ??= decode(body, charset());
      return text;
    },
  };
}
