/** The state of a crawl for those who only look: while it runs, or when it stands. Nothing is written, and nobody is kept from writing. */
import type { Instant } from "../base/clock.ts";
import type { Frontier, StateQueries } from "./frontier.ts";
import type { Revisits } from "./revisits.ts";

/** Answers as of the last commit: what is leased since then may count as queued, and the other way round. */
export interface ReadOnlyState extends StateQueries, Pick<Frontier, "pending">, Pick<Revisits, "due" | "nextDueAt"> {}

export interface DueCounting {
  /** How many URLs are due by then. */
  dueCount(until: Instant): Promise<number>;
}
