/**
 * Which class of its host's queue a URL waits in: what it is, where it was found, and how deep.
 *
 * A class gets half the turns of the one before (`strideOf`), so that a low one is late, never starved; within a class
 * the order is that of admission, which makes the crawl breadth-first among equals. Breadth-first alone already brings
 * the pages with many in-links early (Najork and Wiener 2001): what many pages link to is found soon. The class is given
 * once, on admission, from what is known then; it costs nothing to keep, and a URL never moves between queues.
 */
import { PRIORITIES, type UrlSource } from "../model/link.ts";

/** 0: what was asked for by name, and where that redirects to. */
const ASKED_FOR = 0;
/** 1: a host's root page, and sitemap files: they tell the crawl what there is. */
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
