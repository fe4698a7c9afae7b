/** What each side of the crawl works with. `app/compose` makes them; every function names the parts it uses. */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { RecentLinks } from "../dedup/recent.ts";
import type { FetchResponse } from "../model/fetch-result.ts";
import type { Verdict } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Href } from "../model/url.ts";
import type { Found } from "../policy/admission.ts";
import type { BudgetRules } from "../policy/budget.ts";
import type { JudgeRules } from "../policy/judge.ts";
import type { Politeness } from "../policy/politeness.ts";
import type { Archive } from "../ports/archive.ts";
import type { Cookies } from "../ports/cookies.ts";
import type { Fetcher } from "../ports/fetcher.ts";
import type { StateQueries } from "../ports/frontier.ts";
import type { MediaHandler, Readable } from "../ports/media-handler.ts";
import type { Duplicates } from "./duplicates.ts";
import type { Feedback } from "./feedback.ts";
import type { Hints } from "./hints.ts";
import type { Hosts } from "./hosts.ts";
import type { Originals } from "./originals.ts";
import type { SoftNotFound } from "./soft-404.ts";

/** Makes a URL for the frontier of a link: resolved, keyed, judged by scope and traps. null: nothing one could visit. */
export type Admit = (href: string, base: Href, found: Found) => NewUrl | null;

export interface Admission {
  readonly admit: Admit;
  /** Where a seed was redirected to belongs to the crawl as the seed does: its scope grows. */
  extend(seed: Href): void;
}

/** How bodies are read: which type they are, and by whom. */
export interface Reading extends AsyncDisposable {
  /** The media type after sniffing. */
  identify(response: FetchResponse): string;
  choose(mediaType: string): MediaHandler | null;
  /** Reads what is known to be a sitemap, whatever type it is served with. */
  readonly sitemap: MediaHandler;
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
  /** Archive with each page what reading found. */
  readonly metadata: boolean;
  /** A handler that gives a promise may take so long, in ms. */
  readonly readMs: number;
}

/** A visit thread's parts. */
export interface VisitContext {
  readonly fetcher: Fetcher;
  readonly archive: Archive;
  /** Null: every body is written, known or not. */
  readonly originals: Originals | null;
  readonly reading: Reading;
  readonly admission: Admission;
  readonly sentLately: RecentLinks;
  readonly rules: VisitRules;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SettleRules {
  readonly politeness: Politeness;
  /** Towards what protocol modules fetch. */
  readonly localPoliteness: Politeness;
  readonly budget: BudgetRules;
  readonly judge: JudgeRules;
  /** Times in a row that a host may be out of reach before its URLs end. */
  readonly tries: number;
  /** Admit the sitemaps that robots.txt names. */
  readonly sitemaps: boolean;
}

/** What the control thread settles visits with. */
export interface SettleContext {
  readonly hosts: Hosts;
  readonly clock: Clock;
  /** 0 <= x < 1: the jitter of back-offs. */
  readonly random: () => number;
  readonly admission: Admission;
  readonly cookies: Cookies;
  readonly urls: Pick<StateQueries, "byId">;
  readonly duplicates: Pick<Duplicates, "copyOf" | "copyNow">;
  readonly feedback: Feedback;
  readonly softNotFound: SoftNotFound;
  /** What sitemaps say of when URLs change; null in a crawl that visits each once. */
  readonly hints: Hints | null;
  readonly rules: SettleRules;
}

/** What was decided of a visit: of its URL, and, for a visit to robots.txt, of its host. */
export interface Judged {
  readonly verdict: Verdict;
  readonly links: readonly NewUrl[];
  readonly robots: RobotsCopy | null;
}
