/**
 * The frontier and the state behind it. One implementation a back end; `test/conformance` proves every promise
 * below on each. All methods take batches. The control thread is the only caller. Every answer is a promise, since the
 * state may be behind a network: where it is in this process, the promise is kept at once.
 *
 * Promises:
 * 1. A key (fingerprint) is admitted once, for ever. One that is only recorded as dropped is not admitted: when it comes
 *    again without a drop it is admitted, with a new id, and the record of the drop goes; drops of what is known change nothing.
 * 2. At most `hostConcurrency` leases a host are open at a time (1 unless told), none before the host's `hostReadyAt`.
 *    A `hostReadyAt` of Infinity sets the host aside: it gives no lease until the frontier is opened again. Its URLs stay queued.
 *    While others are due, a host that holds its *share* of leases (an option; no limit unless told) gives none.
 * 3. An expired lease comes back, one attempt older. Settling with an expired, settled or unknown token changes nothing and is not counted.
 * 4. Of the hosts that are due those of the lowest *tier* come first, and of these the one due first, whatever the
 *    classes of its URLs; a back end that divides its hosts into shards keeps this order in each. A host's tier is
 *    what it was last told (`hostTier`), or what the options say (0 unless told); it is forgotten when the frontier is
 *    opened again, and may be while the host has nothing pending. Within a host what was given back goes first; then,
 *    while there is something on its short list (8), SHORT_LIST_TURNS turns of that and one of the classes follow each
 *    other. The classes take turns, each half as often as the one before (weights 1, 1/2, 1/4 ...), so that the low
 *    ones still move; FIFO within a class. The turns: class c is served at c's turn and then again 2^c later; one that
 *    gets its first URL has its turn 2^c after the turn served last (0 when no class has any, and after a restart);
 *    the earliest turn is served, of equals that of the lower class.
 * 5. What `commit`, `add` acknowledged survives kill -9; what was not acknowledged has happened wholly or not at all, in
 *    each shard for itself where there are several.
 * 6. Open leases do not survive a restart: their URLs are queued again, each in the class and the place of its admission.
 * 7. `pending()` is exact: queued + leased + delayed is the number of admitted URLs that have not ended.
 * 8. Every admitted URL has *cash* (`dedup/cash-levels`): what it begins with (`firstCash`; without this option no cash is
 *    kept), and a share of that of each page with a link to it. When a visit is settled with verdict "end" all that its URL was
 *    ever given is shared out evenly over its links: those in `links` that carry it (`carriesCash`) and those that
 *    `linksAgain` counts. A page gives itself nothing, and one that comes
 *    back (9) gives to those only that it brings as new. Of a host's URLs that wait in a class, the SHORT_LIST of most cash stand on its *short list*, of equals
 *    those admitted first: each is offered to it when it is admitted and when its level rises, and takes the place of
 *    one that comes after it. What was given back, is leased or is delayed stays where it is. Cash survives like all
 *    else; short lists are empty after a restart. A back end that was told to know what it has seen without ids
 *    (`--seen bloom` and the like) keeps no cash.
 */
import type { Clock, Instant } from "../base/clock.ts";
import type { ArchiveMark } from "../model/capture.ts";
import type { EndReason } from "../model/end.ts";
import type { HostKey, HostState } from "../model/host.ts";
import type { Lease, Settlement } from "../model/lease.ts";
import type { FirstCash, LinksAgain, NewUrl, UrlName } from "../model/link.ts";
import type { KnownContent, UrlRecord, VisitRecord } from "../model/record.ts";
import type { RequestRecord } from "../model/request.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Href } from "../model/url.ts";
import type { Revisits } from "./revisits.ts";

/** What every back end is told when it is opened. */
export interface FrontierOptions {
  readonly clock: Clock;
  /** How long a lease is good for; `LEASE_MS` unless told. */
  readonly leaseMs?: number;
  /** Leases open at one host at a time. */
  readonly hostConcurrency?: number;
  /** So many leases one host may hold while others are due. */
  readonly hostShare?: number;
  /** What a URL begins with; no cash is kept, and nothing raised, unless told. */
  readonly firstCash?: FirstCash;
  /** The tier that a host begins in; 0 unless told. */
  readonly firstTier?: (host: HostKey) => number;
}

export interface Pending {
  readonly queued: number;
  readonly leased: number;
  /** Waiting for a retry time of their own. */
  readonly delayed: number;
  /** Hosts with at least one URL pending. */
  readonly hosts: number;
}

/** One visit's part of a commit. */
export interface Settled extends Settlement {
  /** What is recorded of it; null for verdict "again". */
  readonly record: VisitRecord | null;
  /** With verdict "end": when it is due again (ports/revisits). Null, or left out: never. */
  readonly dueAt?: Instant | null;
  /** Admitted in the same transaction, and only if the lease is current. */
  readonly links: readonly NewUrl[];
  /** More links, to URLs that were told before. What is not known is passed over. */
  readonly linksAgain?: LinksAgain | null;
}

export interface Commit {
  readonly settled: readonly Settled[];
  /** Host states that changed; the latest wins. */
  readonly hosts: readonly HostState[];
  /** New copies of robots.txt (id 0), stored and given ids in order. */
  readonly robots: readonly RobotsCopy[];
  /** Requests that no visit of `settled` records: for robots.txt, its redirects, and what was broken off. */
  readonly requests?: readonly RequestRecord[];
  /** Lengths up to which output files are valid from this commit on: archive files and others (pages.jsonl). */
  readonly marks: readonly ArchiveMark[];
}

export interface CommitReport {
  /** For each of `settled`, whether its lease was current: false means nothing of it was taken. */
  readonly current: readonly boolean[];
  /** URLs newly admitted to the queue, and newly recorded as dropped. */
  readonly admitted: number;
  readonly dropped: number;
  /** The ids of `robots`, in order. */
  readonly robotsIds: readonly number[];
}

export interface Release {
  readonly lease: Lease;
  readonly hostReadyAt: Instant;
  readonly hostTier?: number | undefined;
}

export interface Frontier {
  /** Admits what is new, in order; the number of URLs newly admitted (dropped ones not counted). */
  add(urls: readonly NewUrl[]): Promise<number>;
  /** Up to `max` leases on hosts that are due now. */
  lease(max: number): Promise<Lease[]>;
  /** Settles, records and admits in one transaction. */
  commit(batch: Commit): Promise<CommitReport>;
  /** Gives leases back unvisited: as verdict "again", without a transaction. */
  release(leases: readonly Release[]): Promise<void>;
  pending(): Promise<Pending>;
  /** The earliest time at which `lease` could hand something out; null when nothing is queued or delayed, or when every host with work is at its concurrency or set aside. */
  nextReadyAt(): Promise<Instant | null>;
}

/** A back end in shards looks in one of them when it is told the host, and else in all. */
export type Sought = Omit<UrlName, "host"> & Partial<Pick<UrlName, "host">>;

/** What is asked of the state outside the crawl's hot path. */
export interface StateQueries {
  host(host: HostKey): Promise<HostState | null>;
  /** The newest copy of the host's robots.txt. */
  robots(host: HostKey): Promise<RobotsCopy | null>;
  /** The newest copy that was reached (whose access is not "unreachable"). */
  robotsReached(host: HostKey): Promise<RobotsCopy | null>;
  /** Every copy of a robots.txt, in order of recording. */
  robotsCopies(): AsyncIterable<RobotsCopy>;
  /** By fingerprint. */
  find(url: Sought): Promise<UrlRecord | null>;
  byId(id: number): Promise<UrlRecord | null>;
  /** Ids alone, in order, null for what is not known: for many URLs, a batch each time. */
  idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]>;
  /** The other way round, for one: its fingerprint is not always that of its key (`crawl/returns`). Null when there is no such URL. */
  nameOf(id: number): Promise<UrlName | null>;
  /** The cash that a URL was given up to now (promise 8): a seed begins with 1. 0 where none is kept. */
  importance(id: number): Promise<number>;
  /** All URLs in order of admission, streaming; those that have ended only, if asked. */
  urls(options?: { readonly endedOnly?: boolean; readonly afterId?: number }): AsyncIterable<UrlRecord>;
  /** Every recorded visit to the URL, in order. */
  visitsOf(urlId: number): Promise<readonly VisitRecord[]>;
  /** Every recorded visit that has a capture, in order of recording. */
  captures(): AsyncIterable<VisitRecord>;
  /** Every request that was made: recorded visits with an address, and `Commit.requests`; in order of their start. */
  requests(): AsyncIterable<RequestRecord>;
  /**
   * Of every recorded page that was no exact duplicate, and whole: what others are compared with. In order of recording; of
   * a page that has been looked at again what it was at first.
   */
  contents(): AsyncIterable<KnownContent>;
  /** Every URL that has ended so, with the detail of its end, in order of recording. */
  endedAs(end: EndReason): AsyncIterable<{ readonly href: Href; readonly detail: string | null }>;
  /** Admitted URLs by end reason; those not ended are not in it. */
  endCounts(): Promise<ReadonlyMap<EndReason, number>>;
  /**
   * How many new URLs filters of seen ones have probably refused since the crawl was created, where there are several, each
   * with a part of the URLs. Left out: there is one for all, and the number of URLs tells it.
   */
  refused?(): Promise<number>;
  /** All marks, by file. */
  marks(): Promise<ReadonlyMap<string, number>>;
  /** Small facts of the crawl kept with the state: "startedAt", "finishedAt"... */
  fact(name: string): Promise<string | null>;
  /** The `n` hosts with most requests, for reports. */
  topHosts(
    n: number,
  ): Promise<{ readonly host: HostKey; readonly requests: number; readonly pending: number; readonly href?: Href }[]>;
}

/** All but that URLs come back. */
export interface FrontierState extends Frontier, StateQueries, AsyncDisposable {
  setFact(name: string, value: string): Promise<void>;
  /** What was committed survives the loss of power, too, from here on. For what is written from the state and names it. */
  sync(): Promise<void>;
}

export interface Backend extends FrontierState, Revisits {}
