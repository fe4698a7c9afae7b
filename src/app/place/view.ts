/** A crawl as commands look at it, wherever it is: nothing is written, and it may run meanwhile. */
import type { KeptPanel } from "../../crawl/due-times.ts";
import type { Blob } from "../../ports/blobs.ts";
import type { DomainCounts } from "../../ports/domain-counts.ts";
import type { DueCounting, ReadOnlyState } from "../../ports/read-only.ts";
import type { LivingMember } from "../../store/cluster/crew/members.ts";
import type { MasterStanding } from "../../store/cluster/redis/checks.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import type { CrawlArchive } from "../dir/crawl-archive.ts";

/** What is left of a crawl: perhaps its archive alone. */
export interface Remains extends AsyncDisposable {
  /** How people know it. */
  readonly name: string;
  /** Where its index and its pages.jsonl are; null for one that crawlers share, which has none. */
  readonly dir: string | null;
  /** Null when it has none that is kept. */
  readonly config: CrawlConfig | null;
  readonly archive: CrawlArchive;
  /** Null when it is lost. */
  readonly state: ReadOnlyState | null;
  /** What is wrong with what the state is kept in, a few lines at most; none when it is sound. May read all of it. */
  damage(): readonly string[];
  standing(): Promise<Standing>;
  /** Of a crawl that crawlers share: objects of spilled rows in its store that no row points to. */
  unpointed?(): AsyncIterable<Blob>;
}

export interface CrawlView extends Remains {
  readonly state: ReadOnlyState & DueCounting;
  /** What those who visit its pages again have kept of what they believe. */
  panel(): Promise<KeptPanel>;
  /** What crawlers that share it have counted of domains; null where the state of hosts tells. */
  readonly domains: Pick<DomainCounts, "of"> | null;
}

export interface Standing {
  /** A process is at it now. */
  readonly running: boolean;
  /** Of a crawl that crawlers share: those who are at it, in order of their ids. */
  readonly crawlers?: readonly LivingMember[];
  /** And the masters of the Redis Cluster that has its frontier. */
  readonly masters?: readonly MasterStanding[];
  /** Of a crawl that crawlers share: what Redis has lost of it, in words, where that is known; all else is told of what is left. */
  readonly lost?: string;
  /** By `trawl pause`. */
  readonly paused: boolean;
}
