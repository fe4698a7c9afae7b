/** What comes back from a visit thread: a compact record, never a body. */
import type { Instant } from "../base/clock.ts";
import type { ArchiveMark, Capture, Original } from "./capture.ts";
import type { FailureCause } from "./fetch-result.ts";
import type { Validators } from "./history.ts";
import type { Lease } from "./lease.ts";
import type { LinksAgain, NewUrl } from "./link.ts";
import type { ListedWords } from "./listed.ts";
import type { PageInfo } from "./page.ts";
import type { Href } from "./url.ts";

/** "probe": a page that cannot exist is asked for in the URL's turn, to see what the host says then. */
export type Task = "page" | "robots" | "probe";

/** What is known of a page that comes back, where the archive holds the body that it had. */
export interface Held {
  readonly original: Original;
  /** What goes with that body and is sent with the request: what has not changed is not sent again. Null: it is, whatever it is. */
  readonly conditional: Validators | null;
}

/** What a visit thread is asked to do. The control thread has permitted it: robots, address guard, host and IP clocks. */
export interface Errand {
  readonly lease: Lease;
  readonly task: Task;
  /** What to request: the leased URL, the robots.txt of its host (or a hop of its redirects), or a page that cannot exist. */
  readonly href: Href;
  /** "" where a protocol module fetches: it holds no turn. */
  readonly address: string;
  /** The copy of robots.txt in force; 0 when there is none. */
  readonly robotsId: number;
  /** What the field `Cookie` says; null: it is not sent. */
  readonly cookie: string | null;
  /** Where the URL was found, for the archive; null: it was asked for by name. */
  readonly via: Href | null;
  /** Null for a page that is new, and for all but pages. */
  readonly held: Held | null;
  /** Nothing is asked after that: it might not have ended when the lease or the turn is another's. */
  readonly beginBy: Instant;
}

export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  /** Declared, without parameters, lower case; "" when absent. */
  readonly contentType: string;
  /** As received. */
  readonly bytes: number;
  readonly bodyRead: boolean;
  /** `Location`, resolved against the request, when the status is a redirect and it parses. */
  readonly location: Href | null;
  readonly retryAfter: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** The `Set-Cookie` fields, as received. */
  readonly setCookies: readonly string[];
  /** Only for a robots errand: the decoded body, at most 512 KiB. */
  readonly robotsBody: string | null;
  /** It has no body, and says that the one that is held is still right (304 to a conditional request). */
  readonly notModified: boolean;
  /** Set when the page is an anti-bot challenge. */
  readonly challenge: string | null;
}

export interface NoAnswer {
  readonly kind: "failure";
  readonly cause: FailureCause;
  readonly detail: string;
}

export interface Visited {
  readonly lease: Lease;
  readonly task: Task;
  readonly href: Href;
  readonly address: string;
  readonly robotsId: number;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  /** As in the errand. */
  readonly held: Held | null;
  readonly outcome: Answer | NoAnswer;
  readonly capture: Capture | null;
  readonly page: PageInfo | null;
  /**
   * What a visible text says, without its numbers and its own URL, and which pictures stand beside it: of one that is too
   * short for a SimHash the words in their order (policy/gist), of others in any (dedup/simhash, `wording`). Absent where
   * there is no text.
   */
  readonly gist?: string;
  readonly links: readonly NewUrl[];
  /** They have a share of the page's cash; null when there are none. */
  readonly linksAgain: LinksAgain | null;
  /** What a sitemap or a feed says of when its pages change. Absent where nothing is said. */
  readonly listed?: ListedWords;
}

/** Visits whose archive bytes are durable, and errands for which it was too late. Only `seal` makes one, and only one may be committed (crawl/commit.ts). */
export interface Sealed {
  readonly __brand: "Sealed";
  readonly visits: readonly Visited[];
  /** Nothing was asked for them. */
  readonly unasked: readonly Errand[];
  readonly marks: readonly ArchiveMark[];
}
