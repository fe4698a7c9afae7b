/** Puts seeds into the frontier. What was admitted before stays as it is, so that the same command resumes. */

import type { NewUrl } from "../model/link.ts";
import type { Href } from "../model/url.ts";
import type { Frontier } from "../ports/frontier.ts";
import type { Admit } from "./context.ts";

const AS_SEED = { via: 0, depth: 0, hops: 0, source: "seed", ofSeed: true } as const;

/** The number of seeds that were new. */
export function seed(seeds: readonly Href[], frontier: Pick<Frontier, "add">, admit: Admit): Promise<number> {
  const urls: NewUrl[] = [];
  for (const href of seeds) {
    const url = admit(href, href, AS_SEED);
    if (url !== null) urls.push(url);
  }
  return frontier.add(urls);
}
