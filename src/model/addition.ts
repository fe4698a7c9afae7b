/** URLs that were asked for by name, while a crawl runs or before it goes on. */
import { PRIORITIES } from "./link.ts";

export interface Addition {
  readonly urls: readonly string[];
  /** The class of the queue that they wait in, 0 first; null: that of seeds. */
  readonly priority: number | null;
}

/** From JSON; null when it is none. */
export function additionIn(text: string): Addition | null {
  try {
    const { urls, priority } = JSON.parse(text) as Partial<Addition>;
    const isList = Array.isArray(urls) && urls.every((url) => typeof url === "string");
    const isClass = priority === null || (Number.isInteger(priority) && priority! >= 0 && priority! < PRIORITIES);
    return isList && isClass ? { urls, priority: priority ?? null } : null;
  } catch {
    return null;
  }
}
