/** Loads media handlers from modules that the user names. They run in the visit threads; the control thread only checks them. */
import { pathToFileURL } from "node:url";
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

/** What somebody's handler gives is looked at before it is believed: it throws in words, as if `read` had thrown. */
function guarded(handler: MediaHandler): MediaHandler {
  const read = async (document: Parameters<MediaHandler["read"]>[0]): Promise<Read> =>
    wellFormed(await handler.read(document));
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

function wellFormed(value: unknown): Read {
  if (typeof value !== "object" || value === null) throw new TypeError("read gave no object; return { links: [] }");
  const found = value as Partial<Read>;
  if (!Array.isArray(found.links) || !found.links.every(isLink))
    throw new TypeError('links is not a list of { href, kind: "page" or "embed", from }');
  for (const name of TEXTS)
    if (found[name] !== undefined && typeof found[name] !== "string") throw new TypeError(`${name} is not a text`);
  for (const name of NUMBERS)
    if (found[name] !== undefined && !Number.isSafeInteger(found[name]))
      throw new TypeError(`${name} is not a whole number`);
  const { robots } = found;
  if (robots !== undefined && !(Array.isArray(robots) && robots.every((text) => typeof text === "string")))
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
    (link.rel === undefined || typeof link.rel === "string")
  );
}
