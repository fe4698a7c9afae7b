/** The state of a crawl for those who only look: while it runs, or when it stands. Nothing is written, and nobody is kept from writing. */
import type { UrlName } from "../model/link.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Pending, StateQueries } from "./frontier.ts";
import type { Revisits } from "./revisits.ts";

export interface ReadOnlyState extends StateQueries, Pick<Revisits, "due" | "nextDueAt"> {
  /** As of the last commit. What is leased since then may count as queued, and the other way round. */
  pending(): Promise<Pending>;
  /** Ids of URLs, in their order, null for those not known: for many questions, a batch each. */
  idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]>;
  /** The ids of URLs: those of what was dropped, and admitted later under another, are between them. */
  idsInUse(): Promise<IdsInUse>;
  /** Every copy of a robots.txt, in order of fetching. */
  robotsCopies(): AsyncIterable<RobotsCopy>;
  /** What is wrong with what the state is kept in, a few lines at most; none when it is sound. May read all of it. */
  damage(): Promise<readonly string[]>;
}

export interface IdsInUse {
  readonly last: number;
  readonly count: number;
  has(id: number): boolean;
}
