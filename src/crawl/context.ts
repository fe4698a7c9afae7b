/** What each side of the crawl works with. `app/compose` makes them; every function names the parts it uses. */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { RecentFingerprints } from "../dedup/recent.ts";
import type { FetchResponse } from "../model/fetch-result.ts";
import type { NewUrl } from "../model/link.ts";
import type { Href } from "../model/url.ts";
import type { Archive } from "../ports/archive.ts";
import type { Fetcher } from "../ports/fetcher.ts";
import type { MediaHandler, Readable } from "../ports/media-handler.ts";

/** Where an admitted link was found. */
export interface FoundAt {
  readonly via: number;
  readonly depth: number;
  readonly hops: number;
  readonly source: NewUrl["source"];
  /** The redirect of a seed: where a seed leads is where its crawl goes on. */
  readonly ofSeed: boolean;
}

/** Makes a URL for the frontier of a link: resolved, keyed, judged by scope and traps. null: nothing one could visit. */
export type Admit = (href: string, base: Href, found: FoundAt) => NewUrl | null;

/** How bodies are read: which type they are, and by whom. */
export interface Reading {
  /** The media type after sniffing. */
  identify(response: FetchResponse): string;
  choose(mediaType: string): MediaHandler | null;
  document(response: FetchResponse, mediaType: string): Readable;
}

export interface VisitRules {
  /** Our product token, for robots directives that name an agent. */
  readonly agent: string;
  /** Also visit what is embedded in pages. */
  readonly assets: boolean;
  /** Leave links alone that are marked rel=nofollow. */
  readonly obeyRelNofollow: boolean;
  /** Obey "nofollow" of meta robots and X-Robots-Tag. */
  readonly obeyPageRobots: boolean;
  /** So many links of one page are looked at. */
  readonly maxLinks: number;
}

/** A visit thread's parts. */
export interface VisitContext {
  readonly fetcher: Fetcher;
  readonly archive: Archive;
  readonly reading: Reading;
  readonly admit: Admit;
  readonly sentLately: RecentFingerprints;
  readonly rules: VisitRules;
  readonly clock: Clock;
  readonly log: Log;
}
