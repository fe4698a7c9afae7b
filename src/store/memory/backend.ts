/** The reference store: each promise of the port in the plainest way. Slow with many hosts, and gone with the process. */
import type { Clock, Instant } from "../../base/clock.ts";
import { never } from "../../base/result.ts";
import { CashLevels, cashOf, FIRST_LEVEL, shareOf } from "../../dedup/cash-levels.ts";
import type { HostKey } from "../../model/host.ts";
import { LEASE_MS, type Lease } from "../../model/lease.ts";
import { AGAIN_WORDS, carriesCash, type FirstCash, type NewUrl } from "../../model/link.ts";
import { dropRecord, type UrlRecord, type VisitRecord } from "../../model/record.ts";
import type {
  Backend,
  Commit,
  CommitReport,
  FrontierOptions,
  Pending,
  Release,
  Settled,
  Sought,
} from "../../ports/frontier.ts";
import type { Due } from "../../ports/revisits.ts";
import { newQueue, offer, push, type Queue, queued, shift } from "./queue.ts";
import { MemoryRecords } from "./records.ts";
import { MemoryState, type MemoryUrl } from "./state.ts";

export interface MemoryOptions extends FrontierOptions {
  /** The state that an earlier backend left. */
  readonly state?: MemoryState;
}

/** A store of plain maps. With the `state` of an earlier one it goes on where that one was closed, or killed. */
export function memoryBackend(options: MemoryOptions): Backend {
  return new MemoryBackend(options);
}

class MemoryBackend extends MemoryRecords implements Backend {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #concurrency: number;
  readonly #share: number;
  readonly #firstCash: FirstCash | null;
  readonly #firstTier: (host: HostKey) => number;
  readonly #levels = new CashLevels();
  /** In the order in which the hosts became known. */
  readonly #queues = new Map<HostKey, Queue>();
  readonly #leases = new Map<number, Lease>();
  readonly #attempts = new Map<number, number>();
  /** When URLs that wait for a time of their own are due. */
  readonly #delayed = new Map<number, Instant>();

  constructor({ clock, leaseMs = LEASE_MS, hostConcurrency = 1, ...more }: MemoryOptions) {
    const { hostShare = hostConcurrency, firstCash = null, firstTier = () => 0, state = new MemoryState() } = more;
    super(state);
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#concurrency = hostConcurrency;
    this.#share = hostShare;
    this.#firstCash = firstCash;
    this.#firstTier = firstTier;
    for (const host of state.hosts.keys()) this.#queue(host);
    const waiting = [...state.urls.values()].filter(({ end }) => end === null).sort((a, b) => a.place - b.place);
    for (const { id, url, priority } of waiting) {
      const retry = state.retries.get(id);
      if (retry === undefined) push(this.#queue(url.host), id, priority);
      else this.#delay(id, retry.attempt, retry.at);
    }
  }

  async add(urls: readonly NewUrl[]): Promise<number> {
    return this.#admit(urls, null, 0).admitted;
  }

  async lease(max: number): Promise<Lease[]> {
    const now = this.#refresh();
    const given: Lease[] = [];
    while (given.length < max) {
      const due = this.#free().filter((q) => queued(q) > 0 && q.readyAt <= now);
      const queue = due.find((q) => q.leased < this.#share) ?? due[0];
      if (queue === undefined) break;
      const id = queue.returned.shift() ?? shift(queue);
      const { url, admittedAt, previous, level } = this.state.urls.get(id)!;
      const { href, host, depth, hops, via, source, priority } = url;
      const lease: Lease = {
        token: ++this.state.lastToken,
        url: { id, href, host, depth, hops, via, source, priority, admittedAt },
        attempt: this.#attempts.get(id) ?? 1,
        expiresAt: now + this.#leaseMs,
        tier: queue.tier,
        previous,
        importance: cashOf(level),
      };
      this.#leases.set(lease.token, lease);
      queue.leased++;
      given.push(lease);
    }
    return given;
  }

  async commit({ settled, hosts, robots, requests = [], marks }: Commit): Promise<CommitReport> {
    this.#refresh();
    const sum = { admitted: 0, dropped: 0 };
    const current = settled.map((one) => {
      if (!this.#leases.has(one.lease.token)) return false;
      if (one.record !== null) this.#record(one.record);
      const share = this.#shareOf(one);
      const { admitted, dropped } = this.#admit(one.links, one.lease, share);
      sum.admitted += admitted;
      sum.dropped += dropped;
      const { count = 0, words = [] } = one.linksAgain ?? {};
      for (let i = 0; i < words.length; i += AGAIN_WORDS)
        this.#give(this.#known(words[i]!, words[i + 1]!), (share * count * AGAIN_WORDS) / words.length, one.lease);
      this.#settle(one);
      this.#keepClock(one.lease.url.host);
      return true;
    });
    for (const state of hosts) {
      this.state.hostStates.set(state.host, state);
      this.#keepClock(state.host);
    }
    const robotsIds = robots.map((copy) => {
      this.#queue(copy.host);
      const id = this.state.robots.length + 1;
      this.state.robots.push({ ...copy, id });
      return id;
    });
    this.state.requests.push(...requests);
    for (const { file, bytes } of marks) this.state.marks.set(file, bytes);
    return { current, ...sum, robotsIds };
  }

  async release(leases: readonly Release[]): Promise<void> {
    this.#refresh();
    for (const { lease, hostReadyAt, hostTier } of leases.toReversed()) {
      if (!this.#leases.has(lease.token)) continue;
      this.#close(lease, hostReadyAt, hostTier);
      this.#queue(lease.url.host).returned.unshift(lease.url.id);
    }
  }

  async revisit(urls: readonly { readonly id: number; readonly priority: number }[]): Promise<number> {
    this.#refresh();
    const back = urls.filter(({ id, priority }) => {
      const entry = this.#ended(id);
      if (entry === null) return false;
      const { visit: previous, url } = entry;
      Object.assign(entry, { end: null, dueAt: null, previous, priority, place: ++this.state.lastPlace });
      push(this.#queue(url.host), id, priority);
      return true;
    });
    return back.length;
  }

  async schedule(urls: readonly { readonly id: number; readonly dueAt: Instant | null }[]): Promise<void> {
    for (const { id, dueAt } of urls) {
      const entry = this.#ended(id);
      if (entry !== null) entry.dueAt = dueAt;
    }
  }

  async due(until: Instant, max: number): Promise<readonly Due[]> {
    return [...this.state.urls.values()]
      .flatMap(({ id, dueAt }) => (dueAt === null || dueAt > until ? [] : [{ id, dueAt }]))
      .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id)
      .slice(0, max);
  }

  async nextDueAt(): Promise<Instant | null> {
    let next: Instant | null = null;
    for (const { dueAt } of this.state.urls.values())
      if (dueAt !== null && (next === null || dueAt < next)) next = dueAt;
    return next;
  }

  async rests(until: Instant): Promise<boolean> {
    return (await this.pending()).hosts === 0 && (await this.due(until, 1)).length === 0;
  }

  /** One that may come back. */
  #ended(id: number): MemoryUrl | null {
    const entry = this.state.urls.get(id);
    return entry === undefined || entry.end === null || entry.dropped ? null : entry;
  }

  async pending(): Promise<Pending> {
    this.#refresh();
    const delayedHosts = new Set([...this.#delayed.keys()].map((id) => this.state.urls.get(id)!.url.host));
    const queues = [...this.#queues.values()];
    return {
      queued: queues.reduce((sum, queue) => sum + queued(queue), 0),
      leased: this.#leases.size,
      delayed: this.#delayed.size,
      hosts: queues.filter((q) => queued(q) > 0 || q.leased > 0 || delayedHosts.has(q.host)).length,
    };
  }

  async nextReadyAt(): Promise<Instant | null> {
    this.#refresh();
    const free = this.#free();
    const times = free.filter((queue) => queued(queue) > 0).map((queue) => queue.readyAt);
    for (const [id, at] of this.#delayed) {
      const queue = this.#queue(this.state.urls.get(id)!.url.host);
      if (free.includes(queue)) times.push(Math.max(at, queue.readyAt));
    }
    const next = Math.min(...times);
    return Number.isFinite(next) ? next : null;
  }

  async find({ fpHi, fpLo }: Sought): Promise<UrlRecord | null> {
    return this.byId(this.state.ids.get(MemoryState.fingerprint(fpHi, fpLo)) ?? 0);
  }

  async byId(id: number): Promise<UrlRecord | null> {
    this.#refresh();
    const entry = this.state.urls.get(id);
    return entry === undefined ? null : this.#recordOf(entry);
  }

  async importance(id: number): Promise<number> {
    return cashOf(this.state.urls.get(id)?.level ?? 0);
  }

  async *urls({ endedOnly = false, afterId = 0 } = {}): AsyncIterable<UrlRecord> {
    this.#refresh();
    for (const entry of this.state.urls.values())
      if (entry.id > afterId && (entry.end !== null || !endedOnly)) yield this.#recordOf(entry);
  }

  async topHosts(n: number): Promise<{ host: HostKey; requests: number; pending: number }[]> {
    const pending = (host: HostKey) =>
      [...this.state.urls.values()].filter((entry) => entry.end === null && entry.url.host === host).length;
    return [...this.#queues.keys()]
      .map((host) => ({ host, requests: this.state.hostStates.get(host)?.requests ?? 0, pending: pending(host) }))
      .sort((a, b) => b.requests - a.requests)
      .slice(0, n);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Brings leases and delays up to the clock: what has expired is queued again, what is due is queued. */
  #refresh(): Instant {
    const now = this.#clock.now();
    // The last first, each to the front: the one leased first ends up in front.
    for (const lease of [...this.#leases.values()].reverse()) {
      if (lease.expiresAt > now) continue;
      this.#close(lease, 0);
      this.#attempts.set(lease.url.id, lease.attempt + 1);
      this.#queue(lease.url.host).returned.unshift(lease.url.id);
    }
    const due = [...this.#delayed].filter(([, at]) => at <= now).sort((a, b) => a[1] - b[1] || a[0] - b[0]);
    for (const [id] of due) {
      this.#delayed.delete(id);
      this.#queue(this.state.urls.get(id)!.url.host).returned.push(id);
    }
    return now;
  }

  /** Hosts below their concurrency, those of the lowest tier and due first in front. */
  #free(): Queue[] {
    return [...this.#queues.values()]
      .filter((queue) => queue.leased < this.#concurrency)
      .sort((a, b) => a.tier - b.tier || a.readyAt - b.readyAt);
  }

  #queue(host: HostKey): Queue {
    let queue = this.#queues.get(host);
    if (queue === undefined) {
      const readyAt = this.state.hosts.get(host) ?? 0;
      queue = newQueue(host, readyAt, this.#firstTier(host));
      this.#queues.set(host, queue);
      this.state.hosts.set(host, readyAt);
    }
    return queue;
  }

  /** `on`: the page that has them as links. `share`: what each is given of its cash. */
  #admit(urls: readonly NewUrl[], on: Lease | null, share: number): { admitted: number; dropped: number } {
    const now = this.#clock.now();
    const counts = { admitted: 0, dropped: 0 };
    for (const url of urls) {
      const fingerprint = MemoryState.fingerprint(url.fpHi, url.fpLo);
      const known = this.#known(url.fpHi, url.fpLo);
      if (known !== undefined) {
        if (url.drop !== undefined) continue;
        if (!known.dropped) {
          if (carriesCash(url)) this.#give(known, share, on);
          continue;
        }
        this.state.urls.delete(known.id);
        this.state.visits.splice(this.state.visits.indexOf(known.visit!), 1);
      }
      const id = ++this.state.lastId;
      this.state.ids.set(fingerprint, id);
      this.state.urls.set(id, {
        id,
        url,
        admittedAt: url.at ?? now,
        end: url.drop?.reason ?? null,
        dropped: url.drop !== undefined,
        place: ++this.state.lastPlace,
        priority: url.priority,
        previous: null,
        dueAt: null,
        visit: null,
        level: this.#firstLevel(url, share),
      });
      const queue = this.#queue(url.host);
      if (url.drop === undefined) {
        counts.admitted++;
        push(queue, id, url.priority);
        if (this.#firstCash !== null) offer(queue, id, this.state.urls.get(id)!.level);
      } else {
        counts.dropped++;
        this.#record(dropRecord(id, url.href, url.drop, url.at ?? now));
      }
    }
    return counts;
  }

  #known(fpHi: number, fpLo: number): MemoryUrl | undefined {
    return this.state.urls.get(this.state.ids.get(MemoryState.fingerprint(fpHi, fpLo)) ?? 0);
  }

  /** Promise 8: what each link of a page is given of its cash. */
  #shareOf({ lease, verdict, links, linksAgain }: Settled): number {
    if (verdict.kind !== "end") return 0;
    return shareOf(this.state.urls.get(lease.url.id)!.level, links, linksAgain);
  }

  #firstLevel(url: NewUrl, share: number): number {
    if (this.#firstCash === null || url.drop !== undefined) return 0;
    return this.#levels.after(FIRST_LEVEL, this.#firstCash(url) + (carriesCash(url) ? share : 0));
  }

  #give(to: MemoryUrl | undefined, amount: number, on: Lease | null): void {
    if (this.#firstCash === null || to === undefined || amount === 0 || to.id === on?.url.id) return;
    if (on !== null && on.previous !== null) return; // it gave them theirs when it came first
    const level = this.#levels.after(to.level, amount);
    if (level === to.level) return;
    to.level = level;
    if (to.previous === null) offer(this.#queue(to.url.host), to.id, level); // else it comes back
  }

  #settle({ lease, verdict, hostReadyAt, hostTier, dueAt = null }: Settled): void {
    const { id, host } = lease.url;
    this.#close(lease, hostReadyAt, hostTier);
    const entry = this.state.urls.get(id)!;
    switch (verdict.kind) {
      case "end":
        entry.end = verdict.end;
        if (verdict.dropped === true && entry.previous === null) entry.dropped = true;
        else entry.dueAt = dueAt;
        this.state.retries.delete(id);
        this.#attempts.delete(id);
        return;
      case "retry":
        this.state.retries.set(id, { attempt: lease.attempt + 1, at: verdict.at });
        this.#delay(id, lease.attempt + 1, verdict.at);
        return;
      case "follow":
        this.state.urls.set(id, { ...entry, url: { ...entry.url, href: verdict.href, hops: verdict.hops } });
        this.#queue(host).returned.unshift(id);
        return;
      case "again":
        this.#queue(host).returned.unshift(id);
        return;
      default:
        never(verdict);
    }
  }

  /** A host that was set aside is so for this opening alone. */
  #keepClock(host: HostKey): void {
    const { readyAt } = this.#queue(host);
    this.state.hosts.set(host, Number.isFinite(readyAt) ? readyAt : 0);
  }

  #delay(id: number, attempt: number, at: Instant): void {
    this.#attempts.set(id, attempt);
    this.#delayed.set(id, at);
  }

  #close(lease: Lease, hostReadyAt: Instant, hostTier?: number): void {
    this.#leases.delete(lease.token);
    const queue = this.#queue(lease.url.host);
    queue.leased--;
    queue.readyAt = Math.max(queue.readyAt, hostReadyAt);
    queue.tier = hostTier ?? queue.tier;
  }

  #record(visit: VisitRecord): void {
    this.state.visits.push(visit);
    this.state.urls.get(visit.urlId)!.visit = visit;
  }

  #recordOf({ id, url, admittedAt, end, dueAt, visit }: MemoryUrl): UrlRecord {
    const { href, host, depth, hops, via, source, priority } = url;
    const leased = () => [...this.#leases.values()].some((lease) => lease.url.id === id);
    const state = end !== null ? "ended" : this.#delayed.has(id) ? "delayed" : leased() ? "leased" : "queued";
    return { id, href, host, depth, hops, via, source, priority, admittedAt, state, dueAt, visit };
  }
}
