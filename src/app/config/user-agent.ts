/** Who the crawler says it is, and the token by which robots.txt calls it. */

/**
 * The product token that robots.txt groups are matched with (RFC 9309 section 2.2.1: letters, `_` and `-`): the first
 * product of the field that contains "bot", so that both `MyBot/1.0 (+URL)` and `Mozilla/5.0 (compatible; MyBot/1.0)`
 * give `MyBot`. Null when there is none.
 */
export function productToken(userAgent: string): string | null {
  return /(?<![A-Za-z0-9_.+:/@-])[A-Za-z_-]*bot[A-Za-z_-]*(?=\/[0-9A-Za-z])/i.exec(userAgent)?.[0] ?? null;
}

/** Whether it says how to reach whoever runs the crawl: a web or mail address. */
export function hasContact(userAgent: string): boolean {
  return /https?:\/\/\S|\S@\S/i.test(userAgent);
}

/** What is wrong with a User-Agent field: the end of a sentence that starts with the value; null when nothing is. */
export function userAgentFault(userAgent: string): string | null {
  if (!/^[\x20-\x7e]*$/.test(userAgent)) return "has a character that a User-Agent field cannot hold; use plain ASCII";
  if (productToken(userAgent) === null)
    return "names no bot; write a name with 'bot' in it, a version and a contact: 'mybot/1.0 (+https://your.site/bot)'";
  return null;
}
