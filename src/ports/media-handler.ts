/** How a body is read. A handler is a plain object in a module of its own; it runs in the visit threads. */
import type { RawLink } from "../model/link.ts";
import type { Href } from "../model/url.ts";
import type { Conversion } from "./archive.ts";

export interface Readable {
  readonly href: Href;
  /** After sniffing, without parameters, lower case. */
  readonly mediaType: string;
  /** Content-encoding removed, cut at the limits. */
  readonly body: Uint8Array;
  /** True when `body` is only the beginning. */
  readonly truncated: boolean;
  /** `visibleText` is asked for, or its `simhash`: pages are compared by it. */
  readonly wantsText?: boolean;
  /** What is asked for in `conversions`, as media types: "text/plain", "text/markdown". Nothing when absent. */
  readonly converts?: readonly string[];
  /** Header fields as received: [name, value, ...]. */
  readonly rawHeaders: readonly string[];
  /** `body` as text, by the charset that the WHATWG order finds; decoded once, on the first call. */
  text(): string;
  /** The encoding that `text` uses. */
  charset(): string;
}

export interface Read {
  readonly links: readonly RawLink[];
  /** What the body turned out to be, where its reader knows better than declaration and first bytes: an essence. */
  readonly mediaType?: string;
  /** What links are resolved against, when not the URL itself: the first `<base href>`, as written. */
  readonly base?: string;
  readonly title?: string;
  readonly language?: string;
  readonly description?: string;
  /** As written. */
  readonly canonical?: string;
  /** Contents of `<meta name=robots>` and of those for our own agent, as written. */
  readonly robots?: readonly string[];
  /** Of an image, in pixels as shown. */
  readonly width?: number;
  readonly height?: number;
  /** Open Graph and Twitter card properties: a JSON object of lists of texts, by property. */
  readonly openGraph?: string;
  /** The JSON-LD blocks: a JSON list; a block that is no JSON stands in it as a text. */
  readonly jsonLd?: string;
  /** Visible text, where it is asked for and the handler extracts it; needed beside a `simhash` only where that is null. */
  readonly visibleText?: string;
  /** Its SimHash (dedup/simhash, printed), of a handler that need not make the text for it; null when it is too short. */
  readonly simhash?: string | null;
  /** Beside a `simhash`: the hash of its words (`TextHash.wording`, printed). */
  readonly wording?: string;
  /** The page in the forms that `converts` asks for, where the handler can make them; archived beside it. */
  readonly conversions?: readonly Conversion[];
  /** Why reading stopped early. */
  readonly error?: string;
}

export interface MediaHandler {
  readonly name: string;
  /** Media types, or "text/*" patterns, that it reads. */
  readonly accepts: readonly string[];
  /** It ends its work by itself, in bounded time: no deadline is set for its promises, which may wait for each other. */
  readonly ownDeadline?: boolean;
  read(document: Readable): Read | Promise<Read>;
}
