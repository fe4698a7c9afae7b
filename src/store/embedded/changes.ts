/** What a transaction changes: URLs admitted and settled, clocks of hosts, and what else a commit brings, in memory and as rows. */
import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "../../base/clock.ts";
import { never } from "../../base/result.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { FirstCash, NewUrl } from "../../model/link.ts";
import { dropRecord } from "../../model/record.ts";
import type { Commit, Settled } from "../../ports/frontier.ts";
import type { ActiveHost } from "./active-host.ts";
import { StateError } from "./errors.ts";
import type { Heads } from "./heads.ts";
import type { HostChanges } from "./host-changes.ts";
import { JournalWriter, type Position, type Reasons } from "./journal.ts";
import type { KnownUrls } from "./known.ts";
import { Raising } from "./raising.ts";
import type { OpenLease, Schedule } from "./schedule.ts";
import type { Fault, Writer } from "./writer.ts";

/** Ids are kept in 32 bits. */
const MAX_ID = 2 ** 32 - 1;

export interface ChangesOptions {
  /** The name of the database, for people. */
  readonly file: string;
  readonly db: DatabaseSync;
  readonly writer: Writer;
  readonly hosts: HostChanges;
  readonly reasons: Reasons;
  readonly schedule: Schedule;
  readonly known: KnownUrls;
  readonly heads: Heads;
  /** Null: no cash is kept. */
  readonly firstCash: FirstCash | null;
  /** Ids that have a row in `retry`. */
  readonly retried: Set<number>;
  readonly at: Position;
  readonly fault: Fault;
}

/** `begin`, then any of `admit`, `settle` and `record`, then `writeBack`, all in one transaction of `writer`; then `end`. */
export class Changes {
  readonly #file: string;
  readonly #writer: Writer;
  readonly #hosts: HostChanges;
  readonly #journal: JournalWriter;
  readonly #reasons: Reasons;
  readonly #schedule: Schedule;
  readonly #known: KnownUrls;
  readonly #heads: Heads;
  readonly #raising: Raising | null;
  readonly #retried: Set<number>;
  readonly #fault: Fault;
  #nextId: number;
  #nextReturn: number;
  /** The last row of the journal. */
  #journalRow: number;
  /** Whether many hosts have come into the table of hosts with the last transaction, or all are there. */
  #hostsMoved = true;
  // Of the running transaction:
  admitted = 0;
  dropped = 0;
  readonly #long = new Set<ActiveHost>();
  readonly #changed = new Set<ActiveHost>();
  /** The host asked for last: most links of a page lead to its own. */
  #lastHost: ActiveHost | null = null;

  constructor(options: ChangesOptions) {
    const { file, db, writer, hosts, reasons, schedule, known, heads, firstCash, retried, at, fault } = options;
    this.#file = file;
    this.#writer = writer;
    this.#hosts = hosts;
    this.#journal = new JournalWriter(db);
    this.#reasons = reasons;
    this.#schedule = schedule;
    this.#known = known;
    this.#heads = heads;
    this.#raising = firstCash === null ? null : new Raising(firstCash, known, this.#journal, schedule);
    this.#retried = retried;
    this.#fault = fault;
    this.#journalRow = at.journal;
    this.#nextId = at.nextId;
    this.#nextReturn = nextReturn(db);
  }

  get position(): Position {
    return { journal: this.#journalRow, nextId: this.#nextId };
  }

  begin(): void {
    this.admitted = 0;
    this.dropped = 0;
    this.#lastHost = null;
  }

  /** What a commit brings beside its visits; the ids of its copies of robots.txt. */
  record({ hosts, robots, requests = [], marks }: Commit): number[] {
    for (const state of hosts) this.#setState(state);
    const robotsIds = robots.map((copy) => {
      const id = this.#writer.insertRobots(this.#host(copy.host).id, copy);
      this.#fault("robots");
      return id;
    });
    for (const request of requests) this.#writer.insertRequest(this.#host(request.host).id, request);
    for (const mark of marks) {
      this.#writer.saveMark(mark);
      this.#fault("mark");
    }
    return robotsIds;
  }

  /** What the steps of a transaction have left to be written once, at its end. */
  writeBack(now: Instant): void {
    for (const host of this.#changed) this.#hosts.write(host);
    this.#fault("hosts");
    this.#hostsMoved = this.#hosts.move(now);
    this.#fault("hosts moved");
    for (const host of this.#long) host.spill(this.#writer);
    this.#long.clear();
    this.#fault("chunks");
    this.#journalRow = this.#journal.write(now, this.#schedule.counts(), this.#nextId);
    this.#fault("journal");
  }

  /** The transaction is on disk. */
  end(): void {
    this.#heads.readAhead(this.#changed, this.#nextId, this.#known.states);
    this.#changed.clear();
    // One that is forgotten is read from the table of hosts when it comes again.
    if (this.#hostsMoved) this.#schedule.forgetQuietHosts(this.#writer, this.#hosts);
    this.#known.keep(this.position);
  }

  /** One settlement. False, and nothing is done, when its lease is not current. */
  settle(settled: Settled, now: Instant): boolean {
    const { lease, record, links, linksAgain } = settled;
    const open = this.#schedule.current(lease.token);
    if (open === null) return false;
    if (record !== null) this.#writer.insertVisit(record);
    this.#fault("visit");
    this.#raising?.follow(settled);
    this.#admit(links, now);
    if (linksAgain != null) this.#raising?.again(linksAgain);
    this.#fault("links");
    this.#judged(open, settled);
    this.#changed.add(open.host);
    this.#fault("settle");
    return true;
  }

  /** Queues again what may come back; the number of URLs queued. */
  revisit(urls: readonly { readonly id: number; readonly priority: number }[]): number {
    let queued = 0;
    for (const { id, priority } of urls) {
      if (!this.#known.states.canComeBack(id)) continue;
      const { host: name, end } = this.#writer.ended(id);
      const host = this.#host(name);
      const one = { id, seq: this.#nextReturn++, behind: this.#nextId - 1 };
      this.#writer.insertReturn(one, host.id, priority);
      this.#known.comeBack(id, end);
      this.#journal.returned(id, this.#reasons.codeOf(end));
      this.#schedule.admit(host);
      host.comeBack(one, priority);
      this.#schedule.place(host);
      queued++;
      this.#fault("revisit");
    }
    return queued;
  }

  #judged(open: OpenLease, { verdict, hostReadyAt, hostTier, dueAt }: Settled): void {
    const { id } = open.lease.url;
    switch (verdict.kind) {
      case "end":
        this.#schedule.end(open, hostReadyAt, hostTier);
        if (verdict.dropped === true && !this.#known.states.comesBack(id)) this.#drop(id, verdict.end, true);
        else this.#end(id, verdict.end, dueAt ?? null);
        if (this.#retried.delete(id)) this.#writer.deleteRetry(id);
        return;
      case "retry":
        this.#schedule.putOff(open, hostReadyAt, hostTier, open.lease.attempt + 1, verdict.at);
        this.#retried.add(id);
        this.#writer.saveRetry(id, open.lease.attempt + 1, verdict.at);
        return;
      case "follow":
        this.#writer.follow(id, verdict.href, verdict.hops);
        this.#heads.forget(id);
        this.#schedule.giveBack(open, hostReadyAt, hostTier);
        return;
      case "again":
        this.#schedule.giveBack(open, hostReadyAt, hostTier);
        return;
      default:
        never(verdict);
    }
  }

  /** URLs that no page has as links. */
  admit(urls: readonly NewUrl[], now: Instant): void {
    this.#raising?.follow(null);
    this.#admit(urls, now);
  }

  #admit(urls: readonly NewUrl[], now: Instant): void {
    for (const url of urls) {
      const id = this.#nextId;
      if (id > MAX_ID) throw new StateError("failed", `${this.#file} is full: it holds at most ${MAX_ID} URLs`);
      const known = this.#known.findOrInsert(url, id);
      if (!this.#known.isNew(url, known)) {
        this.#raising?.link(url, known);
        continue;
      }
      if (known !== 0) this.#undrop(known, url, id);
      this.#nextId++;
      this.#known.states.admit(id, url.priority);
      const host = this.#host(url.host);
      this.#writer.insertUrl(id, host.id, url, url.at ?? now);
      const level = url.drop === undefined ? (this.#raising?.begin(url, id) ?? 0) : 0;
      this.#journal.admitted(url.fpHi, url.fpLo, host.id, url.priority, level);
      if (url.drop === undefined) {
        this.admitted++;
        this.#schedule.admit(host);
        if (host.push(id, url.priority)) this.#long.add(host);
        if (level > 0) host.offer(id, level);
        // With others queued before it, it stands already where it has to.
        if (host.queued === 1) this.#schedule.place(host);
      } else {
        this.dropped++;
        this.#writer.insertVisit(dropRecord(id, url.href, url.drop, url.at ?? now));
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

  #end(id: number, reason: EndReason, dueAt: Instant | null): void {
    if (this.#known.states.comesBack(id)) this.#writer.deleteReturn(id);
    this.#known.end(id, reason);
    this.#journal.ended(id, this.#reasons.codeOf(reason));
    if (dueAt !== null) this.#writer.saveDue(id, dueAt);
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

/** The number of the next URL that comes back. */
function nextReturn(db: DatabaseSync): number {
  return db.prepare("SELECT coalesce(max(seq), 0) + 1 AS next FROM revisit").get()!.next as number;
}
