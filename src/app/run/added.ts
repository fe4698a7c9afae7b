/** URLs that a program or a person adds to a crawl: asked for by name, so scope and depth do not hold. */
import type { Admission } from "../../crawl/context.ts";
import type { Href } from "../../model/url.ts";
import type { Frontier } from "../../ports/frontier.ts";

export interface FoundWhere {
  readonly via: number;
  readonly depth: number;
}

/** Admits them; the number of those that were new. `priority`: their class; null: that of seeds. */
export type Add = (urls: readonly Href[], priority: number | null, found?: FoundWhere) => Promise<number>;

const BY_HAND: FoundWhere = { via: 0, depth: 0 };

export function addedBy(frontier: Pick<Frontier, "add">, { admit }: Admission): Add {
  return (urls, priority, { via, depth } = BY_HAND) => {
    const added = { via, depth, hops: 0, source: "added", ofSeed: false } as const;
    const found = urls.flatMap((href) => admit(href, href, added) ?? []);
    return frontier.add(priority === null ? found : found.map((url) => ({ ...url, priority })));
  };
}
