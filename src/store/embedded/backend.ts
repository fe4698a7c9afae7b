/**
 * The embedded store: one SQLite file, written by one process. Rows are only appended, host queues are chunks, and what
 * is asked all the time (seen? ended? who is due?) is in memory. docs/decisions has the reasons and the figures.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Instant } from "../../base/clock.ts";
import { streamed } from "../../base/streamed.ts";
import { cashOf } from "../../dedup/cash-levels.ts";
import type { SeenChoice } from "../../dedup/seen-kinds.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import { LEASE_MS, type Lease } from "../../model/lease.ts";
import type { NewUrl, UrlName } from "../../model/link.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { Backend, Commit, CommitReport, FrontierOptions, Pending, Release, Sought } from "../../ports/frontier.ts";
import { Changes } from "./changes.ts";
import { Checkpoints } from "./checkpoints.ts";
import { type OpenDatabase, openForWriting } from "./database.ts";
import { DISK_PACE, type DiskPace, DiskThread } from "./disk-thread.ts";
import { StateError, stateErrorOf } from "./errors.ts";
import { Heads } from "./heads.ts";
import { HostChanges } from "./host-changes.ts";
import { findAdmitted, lastPosition, Reasons } from "./journal.ts";
import { KnownUrls } from "./known.ts";
import { Queries } from "./queries.ts";
import { recover } from "./recover.ts";
import { type Next, Schedule } from "./schedule.ts";
import { SOME_ID } from "./seen.ts";
import type { SnapshotPace } from "./snapshot.ts";
import { Stored } from "./stored.ts";
import { UrlReader } from "./url-reader.ts";
import { type Fault, Writer } from "./writer.ts";

export interface EmbeddedOptions extends FrontierOptions {
  /** How it is remembered which URLs were seen; exactly, if nothing is said. */
  readonly seen?: SeenChoice;
  readonly fault?: Fault;
  /** When what memory knows is written to DIR/state.seen, so that opening is quick. */
  readonly snapshots?: Partial<SnapshotPace>;
  /** When a thread reads and syncs for the one that calls. */
  readonly disk?: Partial<DiskPace>;
}

const EXACT: SeenChoice = { kind: "exact", capacity: 1, error: 0.5 };
/** Tokens given between two openings at most, so that none is ever given twice. */
const TOKENS_PER_OPENING = 2 ** 32;

/** Opens the crawl in `dir`, made if it is missing, for this process alone. @throws StateError */
export function openEmbedded(dir: string, options: EmbeddedOptions): Backend {
  const opened = openForWriting(dir);
  try {
    return new EmbeddedBackend(opened, dir, options);
  } catch (error) {
    opened.close();
    throw stateErrorOf(error, join(dir, "state.db"));
  }
}

class EmbeddedBackend extends Stored implements Backend {
  readonly #opened: OpenDatabase;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #writer: Writer;
  readonly #thread: DiskThread;
  readonly #checkpoints: Checkpoints;
  readonly #heads: Heads;
  readonly #hosts: HostChanges;
  readonly #schedule: Schedule;
  readonly #known: KnownUrls;
  readonly #changes: Changes;
  /** Set when a write has failed: memory may know what the disk does not. */
  #broken: unknown = null;
  #closed = false;

  constructor(opened: OpenDatabase, dir: string, options: EmbeddedOptions) {
    super();
    const { clock, leaseMs = LEASE_MS, hostConcurrency = 1, fault = () => {}, snapshots, seen = EXACT } = options;
    const { hostShare = hostConcurrency, firstTier = () => 0 } = options;
    // A filter alone does not tell which URL a link leads to.
    const firstCash = seen.kind === "exact" || seen.kind === "bloom+exact" ? (options.firstCash ?? null) : null;
    const { db } = opened;
    this.#opened = opened;
    this.#file = join(dir, "state.db");
    this.#clock = clock;
    this.#writer = new Writer(db, fault);
    this.#thread = new DiskThread(this.#file);
    const pace = { ...DISK_PACE, ...options.disk };
    this.#checkpoints = new Checkpoints(db, this.#thread, pace);
    this.#heads = new Heads(this.#thread, new UrlReader(db), pace);
    this.#hosts = new HostChanges(db);
    this.queries = new Queries(db, (id) => (this.#known.hasEnded(id) ? "ended" : this.#schedule.stateOf(id)));
    const opening = Number(this.queries.fact("openings") ?? 0) + 1;
    this.#schedule = new Schedule({
      leaseMs,
      hostConcurrency,
      hostShare,
      firstTier,
      firstToken: opening * TOKENS_PER_OPENING,
    });
    const at = lastPosition(db);
    this.#known = new KnownUrls(join(dir, "state.seen"), db, at.nextId, seen, fault, snapshots);
    this.#writer.transaction(() => this.#hosts.moveAll());
    const reasons = new Reasons(db);
    const retried = new Set<number>();
    recover(db, reasons, { known: this.#known, schedule: this.#schedule, retried });
    this.#changes = new Changes({
      ...{ file: this.#file, db, writer: this.#writer, hosts: this.#hosts, reasons, fault },
      ...{ schedule: this.#schedule, known: this.#known, heads: this.#heads, firstCash, retried, at },
    });
    this.#writer.saveFact("openings", String(opening));
  }

  async add(urls: readonly NewUrl[]): Promise<number> {
    const fresh = urls.filter((url) => this.#known.isNew(url, this.#known.find(url.fpHi, url.fpLo)));
    if (fresh.length === 0) return 0;
    const now = this.#now();
    return this.#transaction(now, () => {
      this.#changes.admit(fresh, now);
      return this.#changes.admitted;
    });
  }

  async lease(max: number): Promise<Lease[]> {
    const now = this.#now();
    return this.#guard(() => {
      const next: Next[] = [];
      while (next.length < max) {
        const one = this.#schedule.next(now, this.#writer, this.#known.states);
        if (one === null) break;
        next.push(one);
      }
      const { states } = this.#known;
      return this.#heads.take(next).map((url, nth) => {
        const previous = states.comesBack(url.id) ? this.queries.lastEnd(url.id) : null;
        return this.#schedule.lease(next[nth]!, { url, previous, importance: this.#importance(url.id) }, now);
      });
    });
  }

  async commit(batch: Commit): Promise<CommitReport> {
    const now = this.#now();
    return this.#transaction(now, () => {
      const current = batch.settled.map((settled) => this.#changes.settle(settled, now));
      const robotsIds = this.#changes.record(batch);
      return { current, admitted: this.#changes.admitted, dropped: this.#changes.dropped, robotsIds };
    });
  }

  async revisit(urls: readonly { readonly id: number; readonly priority: number }[]): Promise<number> {
    const now = this.#now();
    if (urls.length === 0) return 0;
    return this.#transaction(now, () => this.#changes.revisit(urls));
  }

  async schedule(urls: readonly { readonly id: number; readonly dueAt: Instant | null }[]): Promise<void> {
    this.#now();
    const ended = urls.filter(({ id }) => this.#known.states.canComeBack(id));
    if (ended.length === 0) return;
    this.#guard(() =>
      this.#writer.transaction(() => {
        for (const { id, dueAt } of ended) this.#writer.saveDue(id, dueAt);
      }),
    );
  }

  async release(leases: readonly Release[]): Promise<void> {
    this.#now();
    for (const { lease, hostReadyAt, hostTier } of leases.toReversed()) {
      const open = this.#schedule.current(lease.token);
      if (open !== null) this.#schedule.giveBack(open, hostReadyAt, hostTier);
    }
  }

  async rests(until: Instant): Promise<boolean> {
    return (await this.pending()).hosts === 0 && (await this.due(until, 1)).length === 0;
  }

  async pending(): Promise<Pending> {
    this.#now();
    return this.#schedule.counts();
  }

  async nextReadyAt(): Promise<Instant | null> {
    this.#now();
    return this.#schedule.nextReadyAt();
  }

  async host(name: HostKey): Promise<HostState | null> {
    const active = this.#schedule.host(name);
    if (active === undefined) return this.#hosts.read(name);
    if (active.state === undefined) active.state = this.#hosts.read(name);
    return active.state;
  }

  async find({ fpHi, fpLo }: Sought): Promise<UrlRecord | null> {
    const id = this.#idOf(fpHi, fpLo);
    return id === 0 ? null : this.byId(id);
  }

  async idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]> {
    return urls.map(({ fpHi, fpLo }) => this.#idOf(fpHi, fpLo) || null);
  }

  #idOf(fpHi: number, fpLo: number): number {
    const known = this.#known.find(fpHi, fpLo);
    return known === SOME_ID ? findAdmitted(this.#opened.db, fpHi, fpLo) : known;
  }

  async byId(id: number): Promise<UrlRecord | null> {
    this.#now();
    return this.queries.byId(id);
  }

  urls(options?: { readonly endedOnly?: boolean; readonly afterId?: number }): AsyncIterable<UrlRecord> {
    this.#now();
    return streamed(this.queries.urls(options));
  }

  async importance(id: number): Promise<number> {
    return this.#importance(id);
  }

  async endCounts(): Promise<ReadonlyMap<EndReason, number>> {
    return this.#known.endCounts();
  }

  async setFact(name: string, value: string): Promise<void> {
    this.#now();
    this.#guard(() => this.#writer.saveFact(name, value));
  }

  async sync(): Promise<void> {
    this.#now();
    const isWhole = this.#guard(() => {
      if (!this.#hosts.allMoved) this.#writer.transaction(() => this.#hosts.moveAll());
      return this.#checkpoints.now();
    });
    if (isWhole) return;
    // The rest has to stay in the log, which is as good a place.
    await using log = await open(`${this.#file}-wal`);
    await log.datasync();
  }

  async topHosts(n: number): Promise<{ host: HostKey; requests: number; pending: number }[]> {
    return this.queries
      .topHosts(n)
      .map(({ host, requests }) => ({ host, requests, pending: this.#schedule.host(host)?.pending ?? 0 }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#broken === null) {
      this.#moveHosts();
      await this.#known.close(this.#changes.position);
    } else await this.#known.giveUp();
    await this.#thread[Symbol.asyncDispose]();
    this.#opened.close();
  }

  #importance(id: number): number {
    return cashOf(this.#known.cash.get(id));
  }

  /** So that whoever looks into the table of hosts finds them as they are. */
  #moveHosts(): void {
    if (this.#hosts.allMoved) return;
    try {
      this.#writer.transaction(() => this.#hosts.moveAll());
    } catch {
      // A full disk. They are safe where they are.
    }
  }

  /** The time, with leases and delays brought up to it. */
  #now(): Instant {
    if (this.#broken !== null)
      throw new StateError(
        "failed",
        `a write to ${this.#file} has failed before; run the same command again to go on from the last good state`,
        this.#broken,
      );
    const now = this.#clock.now();
    this.#schedule.refresh(now);
    return now;
  }

  /** Whatever throws in here leaves memory and disk apart: nothing more is done until the crawl is opened again. */
  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#broken = error;
      throw stateErrorOf(error, this.#file);
    }
  }

  #transaction<T>(now: Instant, work: () => T): T {
    this.#changes.begin();
    return this.#guard(() => {
      const result = this.#writer.transaction(() => {
        const done = work();
        this.#changes.writeBack(now);
        return done;
      });
      this.#changes.end();
      this.#checkpoints.step();
      return result;
    });
  }
}
