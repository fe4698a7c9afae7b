/**
 * Redirects that come back: `/page` leads to `/login`, which sets a cookie and leads to `/page`. The frontier has seen
 * `/page`, and yet it has not been had: with the cookie it is another page.
 */
import { hashText } from "../base/hash.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import type { Href } from "../model/url.ts";
import { type UrlKeyRules, urlKey } from "../policy/url-key.ts";
import type { Cookies } from "../ports/cookies.ts";
import type { Settled, StateQueries } from "../ports/frontier.ts";

export interface ReturnContext {
  readonly cookies: Pick<Cookies, "header">;
  readonly urls: Pick<StateQueries, "byId">;
}

/**
 * What was settled, with the target of a redirect as the frontier is to admit it. Where it leads back to a URL of its
 * own chain, and there is a cookie to bring along, its identity is that of the URL *and* the cookie: it is admitted once,
 * passes robots.txt, guard and clocks like any other, and a wall that gives the same cookie again is met as seen. One that
 * gives another each time ends by the number of hops.
 */
export function withReturns(settled: Settled, keys: UrlKeyRules, context: ReturnContext): Settled | Promise<Settled> {
  const { lease, verdict, links } = settled;
  const goesOn = lease.url.source === "redirect" && verdict.kind === "end" && verdict.end === "redirected";
  if (!goesOn || links.length === 0) return settled;
  return Promise.all(links.map((target) => targetWithin(target, lease.url, keys, context))).then((targets) => ({
    ...settled,
    links: targets,
  }));
}

async function targetWithin(
  target: NewUrl,
  url: LeasedUrl,
  keys: UrlKeyRules,
  { cookies, urls }: ReturnContext,
): Promise<NewUrl> {
  if (target.drop !== undefined) return target;
  const cookie = cookies.header(url, target.href);
  if (cookie === null) return target;
  const key = keyOf(target.href, keys);
  if (!(await ledThrough(url, key, keys, urls))) return target;
  const [fpHi, fpLo] = hashText(`${key}\n${cookie}`);
  return { ...target, fpHi, fpLo };
}

/** Whether one of the redirects that led to `url` was the answer of a URL with that key. */
async function ledThrough(
  url: LeasedUrl,
  key: string,
  keys: UrlKeyRules,
  urls: ReturnContext["urls"],
): Promise<boolean> {
  let { via } = url;
  for (let left = url.hops; left > 0 && via !== 0; left--) {
    const before = await urls.byId(via);
    if (before === null) return false;
    if (keyOf(before.href, keys) === key) return true;
    if (before.source !== "redirect") return false;
    via = before.via;
  }
  return false;
}

const keyOf = (href: Href, keys: UrlKeyRules): string => urlKey(new URL(href), keys);
