/**
 * Which class of its host's queue a URL waits in: what it is, where it was found, how deep, and how many link to it.
 *
 * A class gets half the turns of the one before (`strideOf`), so that a low one is late, never starved; within a class
 * the order is that of admission, which makes the crawl breadth-first among equals. Breadth-first alone already brings
 * the pages with many in-links early (Najork and Wiener 2001): what many pages link to is found soon. It knows nothing
 * of a page that is found late and then named everywhere; so links that come again are counted, and raise what waits
 * (Cho, Garcia-Molina and Page 1998: ordering by in-links so far beats breadth-first). The class of admission is given
 * from what is known then; it is reckoned anew each time that the count has doubled, for a host's whole queue, not only
 * for the part of it that is in memory.
 *
 * All this orders the URLs of one host. Which host comes first is a matter of clocks (the one due first), and of tiers
 * (`policy/budget`), where the weights of domains belong: they are the same for all URLs of a host.
 */
import { type LinkRules, PRIORITIES, type UrlSource } from "../model/link.ts";

/** 0: what was asked for by name, and where that redirects to. */
const ASKED_FOR = 0;
/** 1: a host's root page, sitemap files (they tell the crawl what there is), and what is linked to most. */
const OVERVIEW = 1;
/** 2..6: links by depth, the shallow first; from depth 5 on they are equals. What a sitemap lists is one deeper than the sitemap. */
const DEEPEST = PRIORITIES - 2;
/** 7: assets of pages. */
const EMBED = PRIORITIES - 1;

export function priorityOf(source: UrlSource, depth: number, path: string): number {
  if (source === "seed" || source === "added") return ASKED_FOR;
  if (source === "embed") return EMBED;
  if (source === "redirect" && depth === 0) return ASKED_FOR;
  if (path === "/" || depth === 0 || source === "sitemap") return OVERVIEW;
  return Math.min(1 + depth, DEEPEST);
}

/**
 * Four links are worth a class, that is one step of depth and twice the turns; each fourfold one more. A single link says
 * nothing (each URL has one), two are next to nothing. No number of links brings a page before what was asked for by name.
 *
 * A link from another host counts for four. A site's menu names the same pages on each of its own pages and costs nobody
 * a thought; who links to another's page has chosen it. Hosts are what is compared, not registrable domains: that is a
 * comparison of two strings a link instead of a look-up in the list of public suffixes.
 */
export const LINK_RULES: LinkRules = {
  steps: [0, 0, 1, 1, 2, 2, 3, 3],
  highest: OVERVIEW,
  foreign: 4,
};
