/**
 * The frontier in a Redis Cluster, for any number of crawlers: hosts are divided into shards, all of a shard is in one
 * slot, and each verb is a script that runs there as one step. docs/decisions/0015-cluster-layout.md has the layout,
 * and what is lost in which failure.
 */
import type { Clock, Instant } from "../../base/clock.ts";
import { never } from "../../base/result.ts";
import type { HostKey } from "../../model/host.ts";
import { LEASE_MS, type Lease, type Verdict } from "../../model/lease.ts";
import type { NewUrl } from "../../model/link.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type {
  Commit,
  CommitReport,
  FrontierOptions,
  FrontierState,
  Pending,
  Release,
  Settled,
} from "../../ports/frontier.ts";
import { Admission } from "./admission.ts";
import type { Connection } from "./connection.ts";
import { Crawl, pairs } from "./crawl.ts";
import { ClusterRecords } from "./records.ts";
import { lineOf, urlOf } from "./rows.ts";
import { Grouped, Shards } from "./shards.ts";
import type { Standing } from "./standing.ts";

export interface ClusterOptions extends FrontierOptions {
  /** The crawl: many may share a cluster. */
  readonly name: string;
  /** Somebody else has it open: what is leased stays so. Else all begins anew that does not outlive an opening. */
  readonly joins?: boolean;
  /** Who leases, for people. */
  readonly owner?: string;
  /** Into how many parts its hosts are divided, once and for ever. */
  readonly shards?: number;
  /** In how many parts each keeps what it has seen: a power of two, for ever too. */
  readonly buckets?: number;
  /** Where records go that Redis does not hold. */
  readonly blobs: Blobs;
  /** The shards that this crawler looks after; all unless told. */
  readonly prefers?: (shard: number) => boolean;
}

const SHARDS = 1_024;
const BUCKETS = 4_096;
/** As the scripts write ids that are put in order. */
const ID_DIGITS = 16;

/**
 * What it promises by now: 1 to 7 (5 in each shard for itself, as decision 15 says). It keeps no cash (8), so that
 * `linksAgain` counts for nothing and every importance is 0; nothing comes back (9 and 10), so that `dueAt` is passed
 * over; records are in Redis; and all shards are preferred alike.
 * @throws ClusterError
 */
export async function openCluster(connection: Connection, options: ClusterOptions): Promise<FrontierState> {
  const { name, clock, shards: count = SHARDS, buckets = BUCKETS, hostConcurrency = 1 } = options;
  const { hostShare = hostConcurrency, joins = false } = options;
  const crawl = await Crawl.open(connection, name, { shards: count, buckets });
  const shards = new Shards(connection, { name, count, hostConcurrency, hostShare, clock });
  const backend = new ClusterBackend(connection, shards, crawl, options);
  if (!joins) await backend.begin();
  return backend;
}

class ClusterBackend extends ClusterRecords implements FrontierState {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #owner: string;
  readonly #firstTier: (host: HostKey) => number;
  readonly #admission: Admission;

  constructor(connection: Connection, shards: Shards, crawl: Crawl, options: ClusterOptions) {
    super(shards, crawl);
    const { clock, leaseMs = LEASE_MS, owner = "", firstTier = () => 0 } = options;
    this.#connection = connection;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#owner = owner;
    this.#firstTier = firstTier;
    this.#admission = new Admission(shards, crawl, firstTier);
  }

  /** What does not outlive an opening begins anew. */
  async begin(): Promise<void> {
    await Promise.all(
      Array.from({ length: this.shards.count }, async (_, shard) => {
        const names = pairs(await this.shards.command(shard, "HGETALL", ":names"));
        const words = names.flatMap(([name]) => [name, String(this.#firstTier(name as HostKey))]);
        await this.shards.run("open", shard, words);
      }),
    );
  }

  async add(urls: readonly NewUrl[]): Promise<number> {
    const { admitted } = await this.#admission.admit(urls, this.#clock.now());
    await this.#connection.replicated();
    return admitted;
  }

  async lease(max: number): Promise<Lease[]> {
    const leases: Lease[] = [];
    while (leases.length < max) {
      const first = await this.shards.first();
      if (first === null) break;
      const { shard, elsewhere } = first;
      const bound =
        elsewhere === null
          ? ["", "", "", ""]
          : [elsewhere.kind, String(elsewhere.tier), elsewhere.readyAt, elsewhere.order];
      const words = [max - leases.length, this.#leaseMs, this.#owner, this.shards.count, shard].map(String);
      for (const told of await this.shards.run<string[][]>("lease", shard, [...words, ...bound]))
        leases.push(leaseOf(told));
    }
    return leases;
  }

  /**
   * Links are queued with a replica before what they were found on is settled: who dies between the two has the page
   * visited again. What is recorded of it stands in the step that settles it.
   */
  async commit(batch: Commit): Promise<CommitReport> {
    const { settled, marks } = batch;
    const [isCurrent, robotsIds] = await Promise.all([this.#current(settled), this.#record(batch)]);
    await this.crawl.setMarks(marks);
    const taken = settled.filter((_, nth) => isCurrent[nth]);
    const links = taken.flatMap((one) => one.links);
    const { admitted, dropped } = await this.#admission.admit(links, this.#clock.now());
    await this.#connection.replicated();
    const current = await this.#settle(settled, isCurrent);
    await this.#connection.replicated();
    return { current, admitted, dropped, robotsIds };
  }

  async release(leases: readonly Release[]): Promise<void> {
    const words = new Grouped<number, string>();
    for (const { lease, hostReadyAt, hostTier } of leases.toReversed())
      words.add(this.shards.of(lease.url.host), String(lease.token), timeWord(hostReadyAt), String(hostTier ?? ""));
    await this.shards.runAll("release", words);
  }

  async pending(): Promise<Pending> {
    const counts = sumOf(await this.shards.standings());
    // That nothing waits is said by nobody's memory.
    return counts.hosts === 0 ? sumOf(await this.shards.standings({ anew: true })) : counts;
  }

  async nextReadyAt(): Promise<Instant | null> {
    const next = Math.min(...(await this.shards.standings()).map(({ readyAt }) => readyAt));
    return Number.isFinite(next) ? next : null;
  }

  async setFact(name: string, value: string): Promise<void> {
    await this.crawl.setFact(name, value);
  }

  sync(): Promise<void> {
    return this.#connection.replicated();
  }

  /** The connection stays open: it belongs to who opened it. */
  async [Symbol.asyncDispose](): Promise<void> {}

  async #current(settled: readonly Settled[]): Promise<boolean[]> {
    const words = new Grouped<number, string>();
    for (const { lease } of settled) words.add(this.shards.of(lease.url.host), String(lease.token));
    const told = inOrder(settled, await this.shards.runAll<number[]>("look", words), this.shards);
    const met = new Set<number>();
    return settled.map(({ lease: { token } }, nth) => {
      const isFirst = !met.has(token);
      met.add(token);
      return isFirst && told[nth] === 1;
    });
  }

  async #settle(settled: readonly Settled[], isCurrent: readonly boolean[]): Promise<boolean[]> {
    const taken = settled.filter((_, nth) => isCurrent[nth]);
    if (taken.length === 0) return [...isCurrent];
    let ordinal = await this.crawl.next("records", taken.length);
    const words = new Grouped<number, string>();
    for (const { lease, verdict, hostReadyAt, hostTier, record } of taken) {
      const { id, host } = lease.url;
      const line = record === null ? "" : lineOf({ ordinal, host, visit: record });
      ordinal++;
      const clock = [timeWord(hostReadyAt), String(hostTier ?? "")];
      const [what, ...more] = verdictWords(verdict);
      words.add(this.shards.of(host), String(id), String(lease.token), what, ...clock, ...more, line);
    }
    const told = inOrder(taken, await this.shards.runAll<number[]>("settle", words), this.shards);
    let nth = 0;
    return isCurrent.map((current) => current && told[nth++] === 1);
  }

  /** What a commit brings beside its visits; the ids of its copies of robots.txt. */
  async #record({ hosts, robots, requests = [] }: Commit): Promise<number[]> {
    const words = new Grouped<number, string>();
    const keep = (part: string, host: HostKey, what: object): void => {
      const shard = this.shards.of(host);
      if (!words.has(shard)) words.add(shard, String(this.crawl.lastId).padStart(ID_DIGITS, "0"));
      words.add(shard, part, host, String(this.#firstTier(host)), JSON.stringify(what));
    };
    for (const state of hosts) keep(":state", state.host, state);
    for (const request of requests) keep(":requests", request.host, request);
    const ids: number[] = [];
    const first = robots.length === 0 ? 0 : await this.crawl.next("robots", robots.length);
    for (const [nth, copy] of robots.entries()) {
      const kept = { ...copy, id: first + nth };
      ids.push(kept.id);
      keep(":robots", copy.host, kept);
      keep(":copies", copy.host, kept);
      if (copy.access !== "unreachable") keep(":reached", copy.host, kept);
    }
    await this.shards.runAll("keep", words);
    return ids;
  }
}

function leaseOf([token, attempt, expiresAt, tier, host, row]: readonly string[]): Lease {
  return {
    token: Number(token),
    url: urlOf(row!, host as HostKey),
    attempt: Number(attempt),
    expiresAt: Number(expiresAt),
    tier: Number(tier),
    previous: null,
    importance: 0,
  };
}

const timeWord = (at: Instant): string => (at === Number.POSITIVE_INFINITY ? "inf" : String(at));

/** The verdict, its argument, and where it leads. */
function verdictWords(verdict: Verdict): [string, string, string] {
  switch (verdict.kind) {
    case "end":
      return [verdict.dropped === true ? "drop" : "end", verdict.end, ""];
    case "retry":
      return ["retry", String(verdict.at), ""];
    case "follow":
      return ["follow", String(verdict.hops), verdict.href];
    case "again":
      return ["again", "", ""];
    default:
      return never(verdict);
  }
}

/** Answers by shard, in the order of what was settled. */
function inOrder(settled: readonly Settled[], told: ReadonlyMap<number, readonly number[]>, shards: Shards): number[] {
  const next = new Map<number, number>();
  return settled.map(({ lease }) => {
    const shard = shards.of(lease.url.host);
    const nth = next.get(shard) ?? 0;
    next.set(shard, nth + 1);
    return told.get(shard)![nth]!;
  });
}

function sumOf(standings: readonly Standing[]): Pending {
  const sum = { queued: 0, leased: 0, delayed: 0, hosts: 0 };
  for (const { queued, leased, delayed, hosts } of standings) {
    sum.queued += queued;
    sum.leased += leased;
    sum.delayed += delayed;
    sum.hosts += hosts;
  }
  return sum;
}
