/**
 * Which URL of a host comes first: by class (what it is, where it was found, how deep), and by what links give it.
 *
 * A class gets half the turns of the one before (`strideOf`), so that a low one is late, never starved; within a class
 * the order is that of admission, which makes the crawl breadth-first among equals. Breadth-first alone already brings
 * the pages with many in-links early (Najork and Wiener 2001): what many pages link to is found soon. It knows nothing
 * of a page that is found late and then named everywhere. So a page's cash is shared out over its links when it has been
 * visited, and two of three turns go to the URLs of the host that have been given most (`SHORT_LIST`), whatever their
 * classes. That beats breadth-first and counting links (docs/bench/importance.md).
 *
 * All this orders the URLs of one host. Which host comes first is a matter of clocks (the one due first), and of tiers
 * (`policy/budget`), where the weights of domains belong: they are the same for all URLs of a host.
 */
import { type FirstCash, PRIORITIES, type UrlSource } from "../model/link.ts";

/** 0: what was asked for by name, and where that redirects to. */
const ASKED_FOR = 0;
/** 1: a host's root page, sitemap files (they tell the crawl what there is). */
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
 * What was asked for by name begins with one unit of cash, and all that it leads to lives on its shares (OPIC: Abiteboul,
 * Preda and Cobena 2003): there is never more cash about than was asked for, however many pages a host makes up. Who asks
 * with a class of their own gets none, so that what they wanted late is not brought forward.
 */
export const firstCash: FirstCash = ({ source, priority }) =>
  priority === ASKED_FOR && (source === "seed" || source === "added") ? 1 : 0;
