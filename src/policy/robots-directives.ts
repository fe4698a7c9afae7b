/** What a page says of itself to crawlers: `<meta name=robots>` and `X-Robots-Tag`, merged to the most restrictive. */

export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** Directives that carry a value after a colon, so that `unavailable_after: 25 Jun` is not read as an agent's name. */
const WITH_VALUE = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);

/**
 * `metas`: contents of the robots metas meant for us. `tags`: values of X-Robots-Tag. In them an agent's name and a colon
 * hold for what follows, up to the next such name: fields of one name may be joined by commas on their way (RFC 9110,
 * 5.3). `agent`: our product token.
 */
export function robotsDirectives(metas: readonly string[], tags: readonly string[], agent: string): RobotsDirectives {
  const said = new Set<string>();
  const take = (list: string): void => {
    for (const word of list.split(",")) said.add(word.trim().toLowerCase());
  };
  for (const meta of metas) take(meta);
  for (const tag of tags) {
    let ours = true;
    for (const part of tag.split(",")) {
      const prefix = /^\s*([\w.-]+)\s*:(.*)$/s.exec(part);
      const names = prefix !== null && !WITH_VALUE.has(prefix[1]!.toLowerCase());
      if (names) ours = prefix[1]!.toLowerCase() === agent.toLowerCase();
      if (ours) take(names ? prefix[2]! : part);
    }
  }
  const none = said.has("none");
  return { noindex: none || said.has("noindex"), nofollow: none || said.has("nofollow") };
}
