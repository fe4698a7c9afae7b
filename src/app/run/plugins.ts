/** Loads media handlers from modules that the user names. They run in the visit threads; the control thread only checks them. */
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import type { RawLink } from "../../model/link.ts";
import { parseMediaType } from "../../model/media-type.ts";
import type { Conversion } from "../../ports/archive.ts";
import type { MediaHandler, Read } from "../../ports/media-handler.ts";
import { UsageError } from "../usage-error.ts";

/**
 * The handlers of each module, in order: its exports `handler`, `handlers` and `default`. `modules` are absolute paths.
 * Throws a `UsageError` that names the module when it does not load or holds no handler.
 */
export async function loadHandlers(modules: readonly string[]): Promise<MediaHandler[]> {
  const loaded: MediaHandler[] = [];
  for (const path of modules) {
    const module = await load(path);
    const found = [module.handler, module.handlers, module.default].flat().filter((value) => value !== undefined);
    const handlers = [...new Set(found)];
    if (handlers.length === 0)
      throw new UsageError(
        "handler",
        `${path} exports no media handler; write: export const handler = { name, accepts, read }`,
      );
    for (const handler of handlers) loaded.push(checked(handler, path));
  }
  return loaded;
}

async function load(path: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    const says = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError("handler", `the handler module ${path} does not load: ${says.split("\n", 1)[0]}; mend it`);
  }
}

function checked(value: unknown, path: string): MediaHandler {
  const handler = value as Partial<MediaHandler> | null;
  const isHandler =
    typeof handler === "object" &&
    handler !== null &&
    typeof handler.name === "string" &&
    Array.isArray(handler.accepts) &&
    handler.accepts.every((type) => typeof type === "string") &&
    typeof handler.read === "function";
  if (isHandler) return guarded(handler as MediaHandler);
  throw new UsageError(
    "handler",
    `${path} exports something that is no media handler; it needs a name (text), accepts (a list of media types) and read (a function)`,
  );
}

/**
 * What somebody's handler gives is looked at before it is believed: it throws in words, as if `read` had thrown. Its
 * document is a copy, for the body goes into the archive afterwards, and there are libraries that write into what they
 * read, or give it away to a thread of theirs.
 */
function guarded(handler: MediaHandler): MediaHandler {
  const read = async (document: Parameters<MediaHandler["read"]>[0]): Promise<Read> => {
    const copy = { ...document, body: new Uint8Array(document.body), rawHeaders: [...document.rawHeaders] };
    try {
      return wellFormed(await handler.read(copy));
    } catch (cause) {
      // Anything may be thrown: what cannot even be printed, too.
      throw cause instanceof Error ? cause : new Error(`it threw ${inspect(cause, { depth: 0 })}`);
    }
  };
  return { name: handler.name, accepts: handler.accepts, read };
}

const TEXTS = [
  "mediaType",
  "base",
  "title",
  "language",
  "description",
  "canonical",
  "openGraph",
  "jsonLd",
  "visibleText",
  "error",
] as const;
const NUMBERS = ["width", "height"] as const;
/** RFC 6838 section 4.2: 127 characters a part. */
const LONGEST_TYPE = 255;

const isText = (value: unknown): value is string => typeof value === "string";

function wellFormed(value: unknown): Read {
  if (typeof value !== "object" || value === null) throw new TypeError("read gave no object; return { links: [] }");
  const found = value as Partial<Read>;
  if (!Array.isArray(found.links) || !found.links.every(isLink))
    throw new TypeError('links is not a list of { href, kind: "page" or "embed", from }');
  for (const name of TEXTS)
    if (found[name] !== undefined && typeof found[name] !== "string") throw new TypeError(`${name} is not a text`);
  for (const name of NUMBERS)
    if (found[name] !== undefined && !(Number.isSafeInteger(found[name]) && found[name] >= 0))
      throw new TypeError(`${name} is not a whole number`);
  const { robots, mediaType, simhash } = found;
  if (mediaType !== undefined && (mediaType.length > LONGEST_TYPE || parseMediaType(mediaType) === null))
    throw new TypeError("mediaType is no media type");
  if (simhash !== undefined && simhash !== null && !(typeof simhash === "string" && /^[\da-f]{16}$/.test(simhash)))
    throw new TypeError("simhash is not null nor a text of 16 hexadecimal digits");
  if (robots !== undefined && !(Array.isArray(robots) && robots.every(isText)))
    throw new TypeError("robots is not a list of texts");
  const { conversions } = found;
  if (conversions !== undefined && !(Array.isArray(conversions) && conversions.every(isConversion)))
    throw new TypeError('conversions is not a list of { type: "text/plain", text }');
  return found as Read;
}

function isConversion(value: unknown): boolean {
  const conversion = value as Partial<Conversion> | null;
  return (
    typeof conversion === "object" &&
    conversion !== null &&
    typeof conversion.type === "string" &&
    parseMediaType(conversion.type) !== null &&
    typeof conversion.text === "string"
  );
}

function isLink(value: unknown): boolean {
  const link = value as Partial<RawLink> | null;
  return (
    typeof link === "object" &&
    link !== null &&
    typeof link.href === "string" &&
    (link.kind === "page" || link.kind === "embed") &&
    typeof link.from === "string" &&
    [link.rel, link.lastmod, link.changefreq].every((text) => text === undefined || isText(text))
  );
}
