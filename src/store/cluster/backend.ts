/**
 * The frontier in a Redis Cluster, for any number of crawlers: hosts are divided into shards, all of a shard is in one
 * slot, and each verb is a script that runs there as one step. What is recorded goes to an object store.
 * docs/decisions/0015-cluster-layout.md has the layout, and what is lost in which failure.
 */
import type { Clock, Instant } from "../../base/clock.ts";
import type { HostKey } from "../../model/host.ts";
import { LEASE_MS, type Lease } from "../../model/lease.ts";
import type { NewUrl } from "../../model/link.ts";
import type { Blob, Blobs } from "../../ports/blobs.ts";
import type {
  Backend,
  Commit,
  CommitReport,
  FrontierOptions,
  Pending,
  Release,
  Settled,
} from "../../ports/frontier.ts";
import type { Due } from "../../ports/revisits.ts";
import { Crawl } from "./crawl/crawl.ts";
import { createOrFindWhole } from "./creation.ts";
import { ClusterRecords, type KeptState, type RecordsParts } from "./records.ts";
import type { Connection, Word } from "./redis/connection.ts";
import { type Entry, pointerText } from "./segments/entry.ts";
import { Manifest } from "./segments/manifest.ts";
import { type Patience, Segments } from "./segments/segments.ts";
import { Admission } from "./shards/admission.ts";
import { Leases, timeWord } from "./shards/leases.ts";
import { SeenFilter, type SharedSeen, seenText } from "./shards/seen-filter.ts";
import { Grouped, Shards } from "./shards/shards.ts";
import { Spill } from "./shards/spill.ts";
import { SpilledObjects } from "./shards/spilled-objects.ts";
import { verdictWords, WORDS_A_LEASE } from "./shards/verdict-words.ts";

export interface ClusterOptions extends FrontierOptions {
  /** The crawl: many may share a cluster. */
  readonly name: string;
  /** Somebody else has it open: what is leased stays so, but for what this owner had. Else all begins anew that does not outlive an opening. */
  readonly joins?: boolean;
  /** Hosts that were set aside may be leased again, also when it joins. */
  readonly bringsBack?: boolean;
  /** Who leases: no two crawlers of one crawl are called alike. */
  readonly owner?: string;
  /** Into how many parts its hosts are divided, once and for ever. */
  readonly shards?: number;
  /** How it remembers what was seen, once and for ever: exactly unless told. With a filter no cash is kept. */
  readonly seen?: SharedSeen;
  /** All that is added is new: the crawl is moved here, and its filters, which might take some of it for seen, are filled and not asked. */
  readonly isMove?: boolean;
  /** Where records go. */
  readonly blobs: Blobs;
  /** Tries again while they are away. */
  readonly patience?: Patience;
  /** So many URLs' rows stay in Redis, about; what is needed least goes to the object store. */
  readonly rowsInRedis?: number;
  /** Called after each step of a commit, with its name: for tests that die there. */
  readonly fault?: (step: CommitStep) => void;
  /** Nothing is to be changed, and what Redis has lost of the crawl is passed over: for who only looks at it. */
  readonly looks?: boolean;
  /** The shards that this crawler looks after; all unless told. In others it does what is left over. */
  readonly prefers?: (shard: number) => boolean;
}

export type CommitStep = "fenced" | "ordinal" | "links" | "written" | "settled" | "confirmed";

/** How many of the links that a crawler met it knew to be in Redis already. */
export interface KnownCounts {
  readonly asked: number;
  readonly met: number;
}

export interface ClusterBackend extends Backend, Pick<ClusterRecords, "endedIn" | "dueCount"> {
  readonly known: KnownCounts;
  /** Objects in the store that held rows which have all come back; some are about to be pointed to for the first time. */
  unpointed(): AsyncIterable<Blob>;
  /** How many of its shards Redis has lost: who only looks takes them for empty. */
  gone(): Promise<number>;
}

const SHARDS = 1_024;
const EXACT: SharedSeen = { kind: "exact" };
/** 2 GB. */
const ROWS_IN_REDIS = 20_000_000;
/** Behind all entries of a segment. */
const BEHIND = 36 ** 4 - 1;

/** @throws ClusterError */
export async function openCluster(connection: Connection, options: ClusterOptions): Promise<ClusterBackend> {
  const { name, owner = "", clock, blobs, shards: count = SHARDS, hostConcurrency = 1 } = options;
  const { hostShare = hostConcurrency, joins = false, looks = false, prefers = () => true, firstCash } = options;
  const { patience = (work) => work(), rowsInRedis = ROWS_IN_REDIS, seen = EXACT, isMove = false } = options;
  const seenFilter = seen.kind === "exact" ? null : new SeenFilter(seen, count);
  const filter = seenFilter?.words({ isNew: isMove }) ?? null;
  const keepsCash = firstCash !== undefined;
  const crawl = await Crawl.open(connection, name, { shards: count, seen: seenText(seen) });
  const rules = { hostConcurrency, hostShare, keepsCash, filter, clock, prefers, looks };
  const shards = new Shards(connection, { name, owner, count, ...rules });
  const segments = new Segments(blobs, { patience });
  const manifest = new Manifest(connection, name);
  const { time } = connection;
  const spill = new Spill(shards, { blobs, patience, most: rowsInRedis / count, time });
  const spilled = new SpilledObjects({ shards, blobs, time, isThere: () => crawl.isThere() });
  const parts = { shards, crawl, segments, manifest, spill, seenFilter };
  const frontier = new ClusterFrontier(connection, parts, spilled, options);
  if (looks) return frontier;
  await createOrFindWhole(connection, parts, joins);
  await (joins ? frontier.join(options.bringsBack ?? false) : frontier.begin());
  return frontier;
}

class ClusterFrontier extends ClusterRecords implements ClusterBackend {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #owner: string;
  readonly #firstTier: (host: HostKey) => number;
  readonly #admission: Admission;
  readonly #leases: Leases;
  readonly #spilled: SpilledObjects;
  readonly #fault: (step: CommitStep) => void;
  /** Of the segment that was taken last. */
  #lastOrdinal = 0;

  constructor(connection: Connection, parts: RecordsParts, spilled: SpilledObjects, options: ClusterOptions) {
    super(parts);
    this.#spilled = spilled;
    const { clock, leaseMs = LEASE_MS, owner = "", firstTier = () => 0 } = options;
    const firstCash = parts.seenFilter === null ? (options.firstCash ?? null) : null;
    this.#connection = connection;
    this.#fault = options.fault ?? (() => {});
    this.#clock = clock;
    this.#owner = owner;
    this.#leases = new Leases({ ...parts, clock, leaseMs, owner });
    this.#firstTier = firstTier;
    this.#admission = new Admission(this.shards, this.spill, { firstCash, firstTier });
  }

  unpointed(): AsyncIterable<Blob> {
    return this.#spilled.unpointed();
  }

  gone(): Promise<number> {
    return this.shards.gone();
  }

  get known(): KnownCounts {
    return this.#admission.known;
  }

  /** What does not outlive an opening begins anew. */
  async begin(): Promise<void> {
    await this.shards.each(async (shard) => {
      const names = (await this.shards.command(shard, "HKEYS", ":names")) as HostKey[];
      await this.shards.run(
        "open",
        shard,
        names.flatMap((name) => [name, String(this.#firstTier(name))]),
      );
    });
    this.#lastOrdinal = (await this.manifest.state()).last;
  }

  /** What this crawler had leased before it died comes back at once; hosts that were set aside if `bringsBack`. */
  async join(bringsBack: boolean): Promise<void> {
    const word = bringsBack ? "1" : "";
    if (this.#owner !== "") await this.shards.each((shard) => this.shards.run("reclaim", shard, [word]));
    this.#lastOrdinal = (await this.manifest.state()).last;
  }

  async add(urls: readonly NewUrl[]): Promise<number> {
    const { admitted } = await this.#admission.add(urls, this.#behindAll(), this.#clock.now());
    await this.#connection.replicated();
    await this.spill.sweep();
    return admitted;
  }

  async lease(max: number): Promise<Lease[]> {
    let given: readonly Lease[] = [];
    return this.#connection.lasting(async () => {
      // A master has died that may have given some away: what its replica knows of them comes back.
      const hostReadyAt = this.#clock.now();
      if (given.length > 0) await this.release(given.map((lease) => ({ lease, hostReadyAt })));
      given = await this.#leases.take(max);
      return [...given];
    });
  }

  /**
   * Links are queued with a replica before what they were found on is settled: who dies between the two has the page
   * visited again. What is recorded of it is in the object store by then, and the step that settles it says where.
   */
  async commit(batch: Commit): Promise<CommitReport> {
    const now = this.#clock.now();
    const levels = await this.#leases.fence(batch.settled);
    this.#fault("fenced");
    const taken = batch.settled.filter((_, nth) => levels[nth] !== -1);
    const { robots } = batch;
    const firstId = robots.length === 0 ? 0 : await this.crawl.nextRobotsId(robots.length);
    const robotsIds = robots.map((_, nth) => firstId + nth);
    const { entries, places, copies } = this.#entries(batch, taken, robotsIds);
    // Its ordinal is the commit's: what is said of hosts goes by it.
    const segment = entries.length === 0 && batch.hosts.length === 0 ? null : await this.manifest.take();
    if (segment !== null) this.#lastOrdinal = segment;
    this.#fault("ordinal");
    const cash = levels.filter((level) => level !== -1);
    const pages = taken.map((one, nth) => {
      const index = places[nth]!;
      const recorded = segment === null || index === -1 ? this.#behindAll() : pointerText({ ordinal: segment, index });
      return { settled: one, level: cash[nth]!, recorded };
    });
    const [{ admitted, dropped }] = await Promise.all([
      this.#admission.follow(pages, now).finally(() => this.#fault("links")),
      segment === null ? null : this.segments.write(segment, entries).finally(() => this.#fault("written")),
      this.crawl.setMarks(batch.marks),
    ]);
    await this.#connection.replicated();
    const { epoch } = this.#connection;
    const settled = await this.#settle(batch, taken, segment, places, copies);
    await this.#connection.replicated();
    this.#fault("settled");
    const refused = places.filter((index, nth) => index !== -1 && !settled[nth]);
    // Where a master may have taken the answers along, rows alone tell what was taken: the segment stays open.
    if (segment !== null && this.#connection.epoch === epoch) await this.manifest.confirm(segment, refused);
    this.#fault("confirmed");
    for (const { lease } of batch.settled) this.#leases.forget(lease);
    await this.shards.keepLastIds();
    await this.spill.sweep();
    this.#spilled.sweep();
    let nth = 0;
    const current = levels.map((level) => level !== -1 && settled[nth++]!);
    return { current, admitted, dropped, robotsIds };
  }

  release(leases: readonly Release[]): Promise<void> {
    return this.#leases.release(leases);
  }

  pending(): Promise<Pending> {
    return this.shards.pending();
  }

  async nextReadyAt(): Promise<Instant | null> {
    const next = await this.shards.nextReadyAt();
    return Number.isFinite(next) ? next : null;
  }

  async revisit(urls: readonly { readonly id: number; readonly priority: number }[]): Promise<number> {
    const told = await this.#onRows("revisit", urls, ({ priority }) => String(priority));
    return told.reduce((sum, one) => sum + one, 0);
  }

  async schedule(urls: readonly { readonly id: number; readonly dueAt: Instant | null }[]): Promise<void> {
    await this.#onRows("schedule", urls, ({ dueAt }) => String(dueAt ?? ""));
  }

  async due(until: Instant, max: number): Promise<readonly Due[]> {
    const word = until === Number.POSITIVE_INFINITY ? "+inf" : String(until);
    const told = await Promise.all(
      (await this.shards.dueBy(until)).map(async (shard) => {
        const flat = await this.shards.ask<(number | string)[]>("due", shard, [word, String(max)]);
        return Array.from({ length: flat.length / 2 }, (_, nth) => ({
          id: this.shards.idOf({ shard, local: Number(flat[2 * nth]) }),
          dueAt: Number(flat[2 * nth + 1]),
        }));
      }),
    );
    return told
      .flat()
      .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id)
      .slice(0, max);
  }

  async nextDueAt(): Promise<Instant | null> {
    const next = await this.shards.nextDueAt();
    return Number.isFinite(next) ? next : null;
  }

  rests(until: Instant): Promise<boolean> {
    return this.shards.rest(until);
  }

  async setFact(name: string, value: string): Promise<void> {
    await this.crawl.setFact(name, value);
  }

  async sync(): Promise<void> {
    await this.#connection.replicated();
    await this.shards.keepLastIds(true);
    await this.#connection.replicated();
  }

  /** The connection stays open: it belongs to who opened it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#spilled.idle();
  }

  /** A verb that takes ids, each with a word; what it says of each. Rows that are spilled are brought back first. */
  async #onRows<T extends { readonly id: number }>(
    verb: "revisit" | "schedule",
    urls: readonly T[],
    wordOf: (url: T) => string,
  ): Promise<number[]> {
    const byShard = new Grouped<number, T>();
    for (const url of urls) byShard.add(this.shards.localOf(url.id).shard, url);
    const told = await Promise.all(
      Array.from(byShard, async ([shard, some]) => {
        const words = some.flatMap((url) => [String(this.shards.localOf(url.id).local), wordOf(url)]);
        for (;;) {
          const [isDone, ids] = await this.shards.run<[number, number[]]>(verb, shard, words);
          if (isDone === 1) return ids;
          await this.spill.bringBack(shard, ids);
        }
      }),
    );
    await this.#connection.replicated();
    return told.flat();
  }

  /** What is written of a commit, and which entry each visit is; -1: none. */
  #entries(
    { robots, requests = [] }: Commit,
    taken: readonly Settled[],
    robotsIds: readonly number[],
  ): { entries: Entry[]; places: number[]; copies: number[] } {
    const entries: Entry[] = [];
    const places = taken.map(({ lease, record }) => {
      if (record === null) return -1;
      const previous = this.#leases.remembered(lease)?.visit ?? null;
      return entries.push({ kind: "visit", host: lease.url.host, previous, value: record }) - 1;
    });
    const copies = robots.map((copy, nth) => {
      const value = { ...copy, id: robotsIds[nth]! };
      return entries.push({ kind: "robots", host: copy.host, previous: null, value }) - 1;
    });
    for (const value of requests) entries.push({ kind: "request", host: value.host, previous: null, value });
    return { entries, places, copies };
  }

  /** Where what is recorded now stands in the order of records, without a record of its own. */
  #behindAll(): string {
    return pointerText({ ordinal: this.#lastOrdinal, index: BEHIND });
  }

  async #settle(
    { hosts, robots }: Commit,
    taken: readonly Settled[],
    ordinal: number | null,
    places: readonly number[],
    copies: readonly number[],
  ): Promise<boolean[]> {
    const leases = new Grouped<number, string>();
    const shardOf = taken.map(({ lease, verdict, hostReadyAt, hostTier, dueAt }, nth) => {
      const { shard, member } = this.#leases.memberOf(lease);
      const [what, argument] = verdictWords(lease, verdict);
      const index = places[nth]!;
      const pointer = index === -1 ? "" : pointerText({ ordinal: ordinal!, index });
      const clock = [timeWord(hostReadyAt), String(hostTier ?? "")];
      leases.add(shard, member, what, ...clock, argument, pointer, String(dueAt ?? ""));
      return shard;
    });
    const kept = new Grouped<number, string>();
    const keep = (part: string, host: HostKey, text: string) =>
      kept.add(this.shards.of(host), part, host, String(this.#firstTier(host)), text);
    for (const state of hosts)
      keep(":state", state.host, JSON.stringify({ ...state, commit: ordinal! } satisfies KeptState));
    for (const [nth, { host, access }] of robots.entries()) {
      const pointer = pointerText({ ordinal: ordinal!, index: copies[nth]! });
      keep(":robots", host, pointer);
      if (access !== "unreachable") keep(":reached", host, pointer);
    }
    const words = new Map<number, Word[]>();
    for (const shard of new Set([...leases.keys(), ...kept.keys()])) {
      const some = leases.get(shard) ?? [];
      words.set(shard, [String(some.length / WORDS_A_LEASE), ...some, ...(kept.get(shard) ?? [])]);
    }
    const told = new Map(
      Array.from(await this.shards.runAll<number[]>("settle", words), ([shard, one]) => [
        shard,
        one[Symbol.iterator](),
      ]),
    );
    const isTaken = shardOf.map((shard) => told.get(shard)!.next().value === 1);
    for (const { lease, verdict } of taken) {
      const leased = this.#leases.remembered(lease);
      if (leased !== undefined && verdict.kind === "end" && verdict.dropped === true)
        this.#admission.known.remove(leased.fpHi, leased.fpLo);
    }
    return isTaken;
  }
}
