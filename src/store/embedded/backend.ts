/**
 * The embedded store: one SQLite file, written by one process. Rows are only appended, host queues are chunks, and what
 * is asked all the time (seen? ended? who is due?) is in memory. docs/decisions has the reasons and the figures.
 */
import { join } from "node:path";
import type { Clock, Instant } from "../../base/clock.ts";
import { never } from "../../base/result.ts";
import type { SeenChoice } from "../../dedup/seen-kinds.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { Lease } from "../../model/lease.ts";
import type { LinkRules, NewUrl } from "../../model/link.ts";
import { dropRecord, type UrlRecord } from "../../model/record.ts";
import type { Backend, Commit, CommitReport, Pending, Release, Settled } from "../../ports/frontier.ts";
import type { ActiveHost } from "./active-host.ts";
import { type OpenDatabase, openForWriting } from "./database.ts";
import { StateError, stateErrorOf } from "./errors.ts";
import { HostChanges } from "./host-changes.ts";
import { findAdmitted, JournalWriter, lastPosition, type Position, Reasons } from "./journal.ts";
import { KnownUrls } from "./known.ts";
import { Queries } from "./queries.ts";
import type { ChunkedQueue } from "./queue.ts";
import { Raising } from "./raising.ts";
import { recover } from "./recover.ts";
import { type OpenLease, Schedule } from "./schedule.ts";
import { SOME_ID } from "./seen.ts";
import type { SnapshotPace } from "./snapshot.ts";
import { Stored } from "./stored.ts";
import { type Fault, Writer } from "./writer.ts";

export interface EmbeddedOptions {
  readonly clock: Clock;
  /** How long a lease is good for. */
  readonly leaseMs?: number;
  /** Leases open at one host at a time. */
  readonly hostConcurrency?: number;
  /** So many leases one host may hold while others are due. */
  readonly hostShare?: number;
  /** How links raise what waits; nothing is raised, and no link counted, unless told. */
  readonly links?: LinkRules;
  /** The tier that a host begins in; 0 unless told. */
  readonly firstTier?: (host: HostKey) => number;
  /** How it is remembered which URLs were seen; exactly, if nothing is said. */
  readonly seen?: SeenChoice;
  readonly fault?: Fault;
  /** When what memory knows is written to DIR/state.seen, so that opening is quick. */
  readonly snapshots?: Partial<SnapshotPace>;
}

const LEASE_MS = 600_000;
const EXACT: SeenChoice = { kind: "exact", capacity: 1, error: 0.5 };
/** Tokens given between two openings at most, so that none is ever given twice. */
const TOKENS_PER_OPENING = 2 ** 32;
/** Ids are kept in 32 bits. */
const MAX_ID = 2 ** 32 - 1;

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
  readonly #fault: Fault;
  readonly #writer: Writer;
  readonly #hosts: HostChanges;
  readonly #journal: JournalWriter;
  readonly #reasons: Reasons;
  readonly #schedule: Schedule;
  readonly #known: KnownUrls;
  readonly #raising: Raising | null;
  /** Ids that have a row in `retry`. */
  readonly #retried = new Set<number>();
  #nextId: number;
  /** The last row of the journal. */
  #journalRow: number;
  /** Set when a write has failed: memory may know what the disk does not. */
  #broken: unknown = null;
  #closed = false;
  /** Whether the table of hosts was up to date at the last commit. */
  #allInHosts = true;
  // Of the running transaction:
  readonly #long = new Set<ChunkedQueue>();
  readonly #changed = new Set<ActiveHost>();
  #admitted = 0;
  #dropped = 0;
  /** The host asked for last: most links of a page lead to its own. */
  #lastHost: ActiveHost | null = null;

  constructor(opened: OpenDatabase, dir: string, options: EmbeddedOptions) {
    super();
    const { clock, leaseMs = LEASE_MS, hostConcurrency = 1, fault = () => {}, snapshots, seen = EXACT } = options;
    const { hostShare = hostConcurrency, links, firstTier = () => 0 } = options;
    const { db } = opened;
    this.#opened = opened;
    this.#file = join(dir, "state.db");
    this.#clock = clock;
    this.#fault = fault;
    this.#writer = new Writer(db, fault);
    this.#hosts = new HostChanges(db);
    this.#journal = new JournalWriter(db);
    this.#reasons = new Reasons(db);
    this.queries = new Queries(db, (id) => (this.#known.hasEnded(id) ? "ended" : this.#schedule.stateOf(id)));
    const opening = Number(this.queries.fact("openings") ?? 0) + 1;
    this.#schedule = new Schedule({
      leaseMs,
      hostConcurrency,
      hostShare,
      firstTier,
      firstToken: opening * TOKENS_PER_OPENING,
    });
    const { journal, nextId } = lastPosition(db);
    this.#journalRow = journal;
    this.#nextId = nextId;
    this.#known = new KnownUrls(join(dir, "state.seen"), db, nextId, seen, fault, snapshots);
    this.#writer.transaction(() => this.#hosts.moveAll());
    this.#raising = links === undefined ? null : new Raising(links, this.#known, this.#journal, this.#schedule);
    recover(db, this.#reasons, { known: this.#known, schedule: this.#schedule, retried: this.#retried });
    this.#writer.saveFact("openings", String(opening));
  }

  async add(urls: readonly NewUrl[]): Promise<number> {
    const fresh = urls.filter((url) => this.#known.isNew(url, this.#known.find(url.fpHi, url.fpLo)));
    if (fresh.length === 0) return 0;
    const now = this.#now();
    return this.#transaction(now, () => {
      this.#admit(fresh, null, now);
      return this.#admitted;
    });
  }

  async lease(max: number): Promise<Lease[]> {
    const now = this.#now();
    const leases: Lease[] = [];
    return this.#guard(() => {
      while (leases.length < max) {
        const lease = this.#schedule.lease(now, this.#writer, this.#known.states, (id, host) =>
          this.#writer.readUrl(id, host.name),
        );
        if (lease === null) break;
        leases.push(lease);
      }
      return leases;
    });
  }

  async commit(batch: Commit): Promise<CommitReport> {
    const now = this.#now();
    return this.#transaction(now, () => {
      const current = batch.settled.map((settled) => this.#take(settled, now));
      for (const state of batch.hosts) this.#setState(state);
      const robotsIds = batch.robots.map((copy) => {
        const id = this.#writer.insertRobots(this.#host(copy.host).id, copy);
        this.#fault("robots");
        return id;
      });
      for (const request of batch.requests ?? []) this.#writer.insertRequest(this.#host(request.host).id, request);
      for (const mark of batch.marks) {
        this.#writer.saveMark(mark);
        this.#fault("mark");
      }
      return { current, admitted: this.#admitted, dropped: this.#dropped, robotsIds };
    });
  }

  release(leases: readonly Release[]): void {
    this.#now();
    for (const { lease, hostReadyAt, hostTier } of leases.toReversed()) {
      const open = this.#schedule.current(lease.token);
      if (open !== null) this.#schedule.giveBack(open, hostReadyAt, hostTier);
    }
  }

  pending(): Pending {
    this.#now();
    return this.#schedule.counts();
  }

  nextReadyAt(): Instant | null {
    this.#now();
    return this.#schedule.nextReadyAt();
  }

  host(name: HostKey): HostState | null {
    const active = this.#schedule.host(name);
    if (active === undefined) return this.#hosts.read(name);
    if (active.state === undefined) active.state = this.#hosts.read(name);
    return active.state;
  }

  find(fpHi: number, fpLo: number): UrlRecord | null {
    const known = this.#known.find(fpHi, fpLo);
    const id = known === SOME_ID ? findAdmitted(this.#opened.db, fpHi, fpLo) : known;
    return id === 0 ? null : this.byId(id);
  }

  byId(id: number): UrlRecord | null {
    this.#now();
    return this.queries.byId(id);
  }

  urls(options?: { readonly endedOnly?: boolean; readonly afterId?: number }): IterableIterator<UrlRecord> {
    this.#now();
    return this.queries.urls(options);
  }

  endCounts(): ReadonlyMap<EndReason, number> {
    return this.#known.endCounts();
  }

  setFact(name: string, value: string): void {
    this.#now();
    this.#guard(() => this.#writer.saveFact(name, value));
  }

  sync(): void {
    this.#now();
    this.#guard(() => {
      if (!this.#hosts.allMoved) this.#writer.transaction(() => this.#hosts.moveAll());
      this.#writer.checkpoint();
    });
  }

  topHosts(n: number): { host: HostKey; requests: number; pending: number }[] {
    return this.queries
      .topHosts(n)
      .map(({ host, requests }) => ({ host, requests, pending: this.#schedule.host(host)?.pending ?? 0 }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#broken === null) {
      this.#moveHosts();
      await this.#known.close(this.#position());
    }
    this.#opened.close();
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
    this.#admitted = 0;
    this.#dropped = 0;
    this.#lastHost = null;
    return this.#guard(() => {
      const result = this.#writer.transaction(() => {
        const done = work();
        this.#writeBack(now);
        return done;
      });
      this.#changed.clear();
      // One that is forgotten is read from the table of hosts when it comes again.
      if (this.#allInHosts) this.#schedule.forgetQuietHosts();
      this.#known.keep(this.#position());
      return result;
    });
  }

  #position(): Position {
    return { journal: this.#journalRow, nextId: this.#nextId };
  }

  /** What the steps of a transaction have left to be written once, at its end. */
  #writeBack(now: Instant): void {
    for (const host of this.#changed) this.#hosts.write(host);
    this.#fault("hosts");
    this.#allInHosts = this.#hosts.move(now);
    this.#fault("hosts moved");
    for (const queue of this.#long) queue.spill(this.#writer);
    this.#long.clear();
    this.#fault("chunks");
    this.#journalRow = this.#journal.write(now, this.#schedule.counts(), this.#nextId);
    this.#fault("journal");
  }

  /** One settlement. False, and nothing is done, when its lease is not current. */
  #take(settled: Settled, now: Instant): boolean {
    const { lease, record, links, linksAgain } = settled;
    const open = this.#schedule.current(lease.token);
    if (open === null) return false;
    if (record !== null) this.#writer.insertVisit(record);
    this.#fault("visit");
    this.#admit(links, lease, now);
    if (linksAgain != null) this.#raising?.again(linksAgain, lease);
    this.#fault("links");
    this.#settle(open, settled);
    this.#changed.add(open.host);
    this.#fault("settle");
    return true;
  }

  #settle(open: OpenLease, { verdict, hostReadyAt, hostTier }: Settled): void {
    const { id } = open.lease.url;
    switch (verdict.kind) {
      case "end":
        this.#schedule.end(open, hostReadyAt, hostTier);
        if (verdict.dropped === true) this.#drop(id, verdict.end, true);
        else this.#end(id, verdict.end);
        if (this.#retried.delete(id)) this.#writer.deleteRetry(id);
        return;
      case "retry":
        this.#schedule.putOff(open, hostReadyAt, hostTier, open.lease.attempt + 1, verdict.at);
        this.#retried.add(id);
        this.#writer.saveRetry(id, open.lease.attempt + 1, verdict.at);
        return;
      case "follow":
        this.#writer.follow(id, verdict.href, verdict.hops);
        this.#schedule.giveBack(open, hostReadyAt, hostTier);
        return;
      case "again":
        this.#schedule.giveBack(open, hostReadyAt, hostTier);
        return;
      default:
        never(verdict);
    }
  }

  /** `on`: the page that has them as links. */
  #admit(urls: readonly NewUrl[], on: Lease | null, now: Instant): void {
    for (const url of urls) {
      const id = this.#nextId;
      if (id > MAX_ID) throw new StateError("failed", `${this.#file} is full: it holds at most ${MAX_ID} URLs`);
      const known = this.#known.findOrInsert(url, id);
      if (!this.#known.isNew(url, known)) {
        if (on !== null) this.#raising?.link(url, known, on);
        continue;
      }
      if (known !== 0) this.#undrop(known, url, id);
      this.#nextId++;
      this.#known.states.admit(id, url.priority);
      const host = this.#host(url.host);
      this.#writer.insertUrl(id, host.id, url, now);
      this.#journal.admitted(url.fpHi, url.fpLo, host.id, url.priority);
      if (url.drop === undefined) {
        this.#admitted++;
        this.#schedule.admit(host);
        const queue = host.push(id, url.priority);
        if (queue.isLong) this.#long.add(queue);
        if (host.heapIndex === -1) this.#schedule.place(host);
      } else {
        this.#dropped++;
        this.#writer.insertVisit(dropRecord(id, url.href, url.drop, now));
        this.#drop(id, url.drop.reason);
      }
    }
  }

  /** `later`: it was admitted in an earlier transaction. */
  #drop(id: number, reason: EndReason, later = false): void {
    if (later) this.#known.dropLater(id, reason);
    else this.#known.drop(id, reason);
    this.#journal.dropped(id, this.#reasons.codeOf(reason));
  }

  #undrop(known: number, url: NewUrl, id: number): void {
    const reason = this.#writer.undrop(known);
    this.#known.undrop(url, reason, id);
    this.#journal.undropped(known, this.#reasons.codeOf(reason));
  }

  #end(id: number, reason: EndReason): void {
    this.#known.end(id, reason);
    this.#journal.ended(id, this.#reasons.codeOf(reason));
  }

  #setState(state: HostState): void {
    const host = this.#host(state.host);
    host.state = state;
    this.#changed.add(host);
  }

  #host(name: HostKey): ActiveHost {
    const last = this.#lastHost;
    if (last !== null && last.name === name) return last;
    let host = this.#schedule.host(name);
    if (host === undefined) {
      const { id, dueAt, isNew } = this.#writer.host(name);
      host = this.#schedule.activate(id, name, dueAt);
      if (isNew) host.state = null;
    }
    this.#lastHost = host;
    return host;
  }
}
