/** What a run works on: a crawl of its own in its directory, or its part of one that many crawlers share. */
import type { Instant } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Admission } from "../../crawl/context.ts";
import type { Sink } from "../../crawl/crawl.ts";
import type { TurnRules } from "../../crawl/turns.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { CrawlStats } from "../../model/stats.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Bodies } from "../../ports/bodies.ts";
import type { DomainCounts } from "../../ports/domain-counts.ts";
import type { Backend } from "../../ports/frontier.ts";
import type { Inbox } from "../../ports/inbox.ts";
import type { Parts } from "../../ports/parts.ts";
import type { Turns } from "../../ports/turns.ts";
import type { KnownCounts } from "../../store/cluster/backend.ts";
import type { Calls } from "../../store/cluster/redis/calls.ts";
import type { ReplaceFact } from "../config/rules.ts";
import type { ChangesFile } from "../dir/changes-file.ts";
import type { Fault } from "./fault.ts";
import type { Joint } from "./joint.ts";
import type { CrawlHooks, Revisits } from "./outcome.ts";

export interface Workplace extends AsyncDisposable {
  readonly backend: Backend;
  /** The run goes on with a crawl that has begun before. */
  readonly resumed: boolean;
  readonly log: Log;
  /** In front of the number of each thread in the names of archive files, so that nobody else's are like them. */
  readonly writer: string;
  /** Lines for pages that have ended; null where only the state tells of them. */
  readonly pages: Sink<UrlRecord> | null;
  /** Whether an archive file is this run's to repair and to send. */
  owns(file: string): boolean;
  /** The file that changes are told in; null when it is none. */
  changes(): Promise<ChangesFile | null>;
  inbox(admission: Admission): Inbox;
  turns(rules: TurnRules): Turns;
  readonly replaceFact: ReplaceFact;
  /** Of a due pass: what is due by then comes back. Null: it is none. */
  readonly until: Instant | null;
  /** Null where nobody else can be at the same crawl. */
  readonly shared: Shared | null;
  /**
   * Leaves behind what others go by who do not ask the state; the files, relative to the directory, which the store gets
   * too. `isDone`: nothing of the crawl is left to do.
   */
  finish(isDone: boolean): Promise<readonly string[]>;
}

export interface Shared {
  /** Asks nobody anything more, and waits for no answer. */
  hangUp(): Promise<void>;
  /** How many crawlers are at the crawl now, this one included. */
  readonly crawlers: number;
  /** How many shards this one looks after. */
  readonly shards: number;
  /** Links that it looked for in its own table of those that Redis knows, and those of them that were there. */
  readonly known: KnownCounts;
  readonly calls: Calls;
  /** Says to whoever looks how this crawler does. */
  tell(stats: CrawlStats): void;
  /** What all of them have found. */
  readonly bodies: Bodies;
  /** What all of them have asked of domains. */
  readonly domains: DomainCounts;
  /** What they know together of when pages are visited again. */
  readonly parts: Parts;
  /** What they are at, where they visit pages again; null where they do not. */
  readonly joint: Joint | null;
  /** Until when the due pass goes by now. */
  passUntil(): Promise<Instant>;
  /** Counts visits to pages; those of all. */
  addVisits(more: number): Promise<number>;
}

export interface WorkplaceParts {
  /** The crawl's store; null when it has none. */
  readonly blobs: Blobs | null;
  readonly fault: Fault | undefined;
  readonly hooks: CrawlHooks;
  readonly revisits: Revisits;
  /** Aborts when nothing is to be waited for any longer. */
  readonly hard: AbortSignal;
}
