/** Loads media handlers from modules that the user names. They run in the visit threads; the control thread only checks them. */
import { pathToFileURL } from "node:url";
import type { MediaHandler } from "../ports/media-handler.ts";
import { UsageError } from "./usage-error.ts";

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
  if (isHandler) return handler as MediaHandler;
  throw new UsageError(
    "handler",
    `${path} exports something that is no media handler; it needs a name (text), accepts (a list of media types) and read (a function)`,
  );
}
