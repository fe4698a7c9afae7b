/** URLs as they are found and as they are fetched. Parsed once at the border (WHATWG), branded, never parsed again. */
import { err, ok, type Result } from "../base/result.ts";
import { type HostKey, hostKeyOf } from "./host.ts";

/** The fetch form: absolute, as found, without fragment and credentials. It is requested as it stands. */
export type Href = string & { readonly __brand: "Href" };

/** The dedup form (SPEC 2). Two URLs with one key are one page; it is never requested. */
export type UrlKey = string & { readonly __brand: "UrlKey" };

export type UrlError = "not-a-url" | "scheme" | "too-long" | "no-host" | "other-machine";

export const MAX_URL_LENGTH = 2048;

export interface ParsedUrl {
  readonly href: Href;
  readonly host: HostKey;
  /** The WHATWG parts of `href`. Treat as read-only. */
  readonly parts: URL;
}

export interface UrlLimits {
  readonly maxLength: number;
  /** With the colon, as `URL.protocol` writes it. */
  readonly schemes: ReadonlySet<string>;
}

export const WEB: UrlLimits = { maxLength: MAX_URL_LENGTH, schemes: new Set(["http:", "https:"]) };

/** With the schemes of all protocol modules that there are: what seeds, states and archives may hold. */
export const KNOWN: UrlLimits = { maxLength: MAX_URL_LENGTH, schemes: new Set([...WEB.schemes, "file:"]) };

const isWebScheme = (protocol: string): boolean => WEB.schemes.has(protocol);

/** What a page may lead to: one of the web to the web alone, whoever asks for more; others to all that is known. */
export function limitsFrom(page: string): UrlLimits {
  return /^https?:/.test(page) ? WEB : KNOWN;
}

/** `text` against `base` (an absolute URL), per the WHATWG URL standard; fragment and credentials are removed. */
export function parseUrl(text: string, base?: string, limits: UrlLimits = WEB): Result<ParsedUrl, UrlError> {
  const parts = URL.parse(withoutFragment(text), base);
  if (parts === null) return err("not-a-url");
  const { protocol } = parts;
  if (!limits.schemes.has(protocol)) return err("scheme");
  if (parts.hash !== "" || parts.href.endsWith("#")) parts.hash = "";
  if (parts.href.includes("@")) {
    parts.username = "";
    parts.password = "";
  }
  if (!isWebScheme(protocol)) {
    const hasHost = parts.hostname !== "";
    if (protocol === "file:" ? hasHost : !hasHost) return err(hasHost ? "other-machine" : "no-host");
  }
  const { href } = parts;
  if (href.length > limits.maxLength) return err("too-long");
  return ok({ href: href as Href, host: hostKeyOf(parts), parts });
}

/** A link as written without its fragment, which the first "#" begins: cheaper than taking it out of a parsed URL. */
export function withoutFragment(text: string): string {
  const at = text.indexOf("#");
  // A space before it would become the end of the text, where the parser trims it: then the parser must see the "#".
  return at === -1 || text.charCodeAt(at - 1) <= 0x20 ? text : text.slice(0, at);
}
