/** A link as a reader finds it, and a URL as the frontier is asked to admit it. */
import type { DropReason } from "./end.ts";
import type { HostKey } from "./host.ts";
import type { Href } from "./url.ts";

/** `page`: may be crawled. `embed`: an asset of the page (image, script, style), fetched only if asked. */
export type LinkKind = "page" | "embed";

/** Where in a document a link stood: a[href], area, link, img, srcset, source, iframe, frame, script, form, meta, header, css, xml, text... */
export interface RawLink {
  /** As written in the document, entities decoded, not resolved. */
  readonly href: string;
  readonly kind: LinkKind;
  readonly from: string;
  readonly rel?: string;
  /** The visible text of the anchor, cut to 200 characters; only where the handler collects it. */
  readonly text?: string;
  /** When the target changed last, as a sitemap or a feed says it, as written. */
  readonly lastmod?: string;
  /** How often it changes, as a sitemap says it, as written. */
  readonly changefreq?: string;
}

/** `sitemap`: a sitemap file, named by robots.txt or by an index of sitemaps. `listed`: a page that a sitemap lists. `imported`: from an archive. */
export type UrlSource = "seed" | "added" | "link" | "embed" | "redirect" | "sitemap" | "listed" | "imported";

export interface NewUrl {
  readonly href: Href;
  readonly host: HostKey;
  /** The fingerprint of the URL key: the first two words of its 128-bit hash, unsigned. */
  readonly fpHi: number;
  readonly fpLo: number;
  readonly depth: number;
  /** Redirects in a row that led here; 0 for a link. */
  readonly hops: number;
  /** The id of the URL where this one was found; 0 for seeds. */
  readonly via: number;
  readonly source: UrlSource;
  /** Priority class, 0 first. */
  readonly priority: number;
  /** Set: record the URL as ended for this reason; it is never queued. */
  readonly drop?: { readonly reason: DropReason; readonly detail?: string };
}

/** Priority classes are small integers 0..PRIORITIES-1, 0 first. */
export const PRIORITIES = 8;

/** How long a class waits between two of its turns while others have URLs too: each has half the turns of the one before. */
export function strideOf(priority: number): number {
  return 2 ** priority;
}

/**
 * In-links are counted in levels: level k stands for about 2^k links (`dedup/link-levels`), up to this one. Three bits a URL.
 */
export const MOST_LINKED = 7;

/** How links raise a URL that waits, and what they count for. */
export interface LinkRules {
  /** By level, from 0 to MOST_LINKED: so many classes before that of its admission. Never falls. */
  readonly steps: readonly number[];
  /** The first class that links alone can lead to. */
  readonly highest: number;
  /** What a link from another host counts for, where one from the same host is 1. */
  readonly foreign: number;
}

/** So many raised URLs wait in one class of one host at most: they are kept in memory, and more will be raised when these are gone. */
export const RAISED_AT_ONCE = 32;

/** Links of a page to URLs that were told before: what is new is their number alone. */
export interface LinksAgain {
  /** AGAIN_WORDS words each: the two of the fingerprint; how many links; the host (0: the page's own; n: the nth of `hosts`). */
  readonly words: Uint32Array;
  readonly hosts: readonly HostKey[];
}

export const AGAIN_WORDS = 4;
