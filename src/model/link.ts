/** A link as a reader finds it, and a URL as the frontier is asked to admit it. */
import type { Instant } from "../base/clock.ts";
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
  /** When it was admitted, in a crawl that is moved; now unless told. */
  readonly at?: Instant;
}

/** By what a URL is found again. */
export type UrlName = Pick<NewUrl, "host" | "fpHi" | "fpLo">;

/** Priority classes are small integers 0..PRIORITIES-1, 0 first. */
export const PRIORITIES = 8;

/** How long a class waits between two of its turns while others have URLs too: each has half the turns of the one before. */
export function strideOf(priority: number): number {
  return 2 ** priority;
}

/** Whether a link passes on a share of its page's cash: what sitemaps list and what pages embed gets none. */
export function carriesCash({ source, drop }: NewUrl): boolean {
  return drop === undefined && (source === "link" || source === "redirect");
}

/** The cash that a URL has before any page has given it some. */
export type FirstCash = (url: NewUrl) => number;

/** So many URLs of a host stand on its short list: those of most cash (promise 8 of the port). */
export const SHORT_LIST = 16;
/** So many turns in a row has a short list before the classes have one. */
export const SHORT_LIST_TURNS = 2;

/** Links of a page to URLs that were told before. */
export interface LinksAgain {
  /** How many there are. */
  readonly count: number;
  /** A sample, each of which stands for as many as the others. AGAIN_WORDS words each: the two of the fingerprint; the host (0: the page's own; n: the nth of `hosts`). */
  readonly words: Uint32Array;
  readonly hosts: readonly HostKey[];
}

export const AGAIN_WORDS = 3;
