/**
 * Redirects that come back: `/page` leads to `/login`, which sets a cookie and leads to `/page`. The frontier has seen
 * `/page`, and yet it has not been had: with the cookie it is another page.
 */
import { hashText } from "../base/hash.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import type { Href } from "../model/url.ts";
import type { Visited } from "../model/visited.ts";
import { type UrlKeyRules, urlKey } from "../policy/url-key.ts";
import type { Cookies } from "../ports/cookies.ts";
import type { StateQueries } from "../ports/frontier.ts";

export interface ReturnContext {
  readonly cookies: Pick<Cookies, "header">;
  readonly urls: Pick<StateQueries, "byId">;
}

/**
 * The target of a redirect as the frontier is to admit it. Where it leads back to a URL of its own chain, and there is a
 * cookie to bring along, its identity is that of the URL *and* the cookie: it is admitted once, passes robots.txt, guard
 * and clocks like any other, and a wall that gives the same cookie again is met as seen. One that gives another each
 * time ends by the number of hops.
 */
export function targetWithin(
  target: NewUrl,
  { lease }: Pick<Visited, "lease">,
  keys: UrlKeyRules,
  { cookies, urls }: ReturnContext,
): NewUrl {
  const { url } = lease;
  if (url.source !== "redirect" || target.drop !== undefined) return target;
  const cookie = cookies.header(url, target.href);
  if (cookie === null) return target;
  const key = keyOf(target.href, keys);
  if (!ledThrough(url, key, keys, urls)) return target;
  const [fpHi, fpLo] = hashText(`${key}\n${cookie}`);
  return { ...target, fpHi, fpLo };
}

/** Whether one of the redirects that led to `url` was the answer of a URL with that key. */
function ledThrough(url: LeasedUrl, key: string, keys: UrlKeyRules, urls: ReturnContext["urls"]): boolean {
  let { via } = url;
  for (let left = url.hops; left > 0 && via !== 0; left--) {
    const before = urls.byId(via);
    if (before === null) return false;
    if (keyOf(before.href, keys) === key) return true;
    if (before.source !== "redirect") return false;
    via = before.via;
  }
  return false;
}

const keyOf = (href: Href, keys: UrlKeyRules): string => urlKey(new URL(href), keys);
