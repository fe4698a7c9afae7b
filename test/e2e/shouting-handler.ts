/** A media handler that finds no links and gives every page one title: what the library's test loads by name. */
import type { MediaHandler } from "../../src/handler.ts";

export const handler: MediaHandler = {
  name: "shouting",
  accepts: ["text/html"],
  read: () => ({ links: [], title: "read by a handler of one's own".toUpperCase() }),
};
