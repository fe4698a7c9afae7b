/** What a page says of itself to crawlers: `<meta name=robots>` and `X-Robots-Tag`, merged to the most restrictive. */

export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** Directives that carry a value after a colon, so that `unavailable_after: 25 Jun` is not read as an agent's name. */
const WITH_VALUE = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);

/**
 * `metas`: contents of the robots metas meant for us. `tags`: values of X-Robots-Tag, each optionally begun by an agent
 * name and a colon that holds for the rest of that value. `agent`: our product token.
 */
export function robotsDirectives(metas: readonly string[], tags: readonly string[], agent: string): RobotsDirectives {
  const said = new Set<string>();
  const take = (list: string): void => {
    for (const word of list.split(",")) said.add(word.trim().toLowerCase());
  };
  for (const meta of metas) take(meta);
  for (const tag of tags) {
    const prefix = /^\s*([\w.-]+)\s*:(.*)$/s.exec(tag);
    if (prefix === null || WITH_VALUE.has(prefix[1]!.toLowerCase())) take(tag);
    else if (prefix[1]!.toLowerCase() === agent.toLowerCase()) take(prefix[2]!);
  }
  const none = said.has("none");
  return { noindex: none || said.has("noindex"), nofollow: none || said.has("nofollow") };
}
