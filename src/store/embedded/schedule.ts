/** The frontier in memory: who may be leased when. It knows nothing of the disk but that queues have chunks there. */
import type { Instant } from "../../base/clock.ts";
import type { HostKey } from "../../model/host.ts";
import type { Lease } from "../../model/lease.ts";
import type { Pending } from "../../ports/frontier.ts";
import { ActiveHost, Waiting } from "./active-host.ts";
import { ActiveHosts } from "./active-hosts.ts";
import { DelayHeap } from "./delay-heap.ts";
import type { HostChanges } from "./host-changes.ts";
import type { ChunkStore } from "./queues.ts";
import type { ReadyHeap } from "./ready-heap.ts";
import { ReadyHosts } from "./ready-hosts.ts";
import type { UrlStates } from "./url-states.ts";

/** So many hosts without URLs pending stay in memory, whatever the number of the others. */
const QUIET_HOSTS = 1000;

export interface OpenLease {
  readonly lease: Lease;
  readonly host: ActiveHost;
}

/** What is about to be leased. */
export interface Next {
  readonly id: number;
  readonly host: ActiveHost;
}

export interface ScheduleOptions {
  readonly leaseMs: number;
  readonly hostConcurrency: number;
  readonly hostShare: number;
  readonly firstTier: (host: HostKey) => number;
  /** No token of this crawl is this large yet. */
  readonly firstToken: number;
}

export class Schedule {
  readonly #leaseMs: number;
  readonly #concurrency: number;
  readonly #share: number;
  readonly #firstTier: (host: HostKey) => number;
  #nextToken: number;
  /** Hosts with URLs pending, and some that had lately. */
  readonly #hosts = new ActiveHosts();
  readonly #waiting = new Waiting();
  readonly #ready = new ReadyHosts(this.#hosts);
  readonly #delays = new DelayHeap();
  readonly #delayedIds = new Set<number>();
  /** By token; in order of leasing, and so of expiry. */
  readonly #leases = new Map<number, OpenLease>();
  readonly #leasedIds = new Set<number>();
  /** The number of the next attempt, where it is not 1. */
  readonly #attempts = new Map<number, number>();
  #pending = 0;
  #activeHosts = 0;

  constructor({ leaseMs, hostConcurrency, hostShare, firstTier, firstToken }: ScheduleOptions) {
    this.#firstTier = firstTier;
    this.#leaseMs = leaseMs;
    this.#concurrency = hostConcurrency;
    this.#share = hostShare;
    this.#nextToken = firstToken;
  }

  host(name: HostKey): ActiveHost | undefined {
    return this.#hosts.find(name);
  }

  /** Takes a host into memory: nothing of it is pending yet. `dueAt`: no lease before. */
  activate(id: number, name: HostKey, dueAt: Instant): ActiveHost {
    const host = new ActiveHost(id, name, dueAt, this.#firstTier(name), this.#waiting);
    this.#hosts.add(host);
    return host;
  }

  /** What memory holds: all hosts, and the blocks of ids of their queues. */
  get held(): { readonly hosts: number; readonly blocks: number } {
    return { hosts: this.#hosts.size, blocks: this.#waiting.queues.blocks };
  }

  /** Between transactions: lets go of hosts that have nothing pending, once they are many, and whose clocks do not `wait` to be on disk. */
  forgetQuietHosts(chunks: ChunkStore, clocks: Pick<HostChanges, "waits">): void {
    if (this.#hosts.size <= this.#activeHosts * 1.5 + QUIET_HOSTS) return;
    for (const host of this.#hosts) {
      if (host.pending > 0 || clocks.waits(host)) continue;
      host.clear(chunks);
      this.#hosts.delete(host);
    }
  }

  /** Counts URLs of the host as pending; the caller queues them. */
  admit(host: ActiveHost, count = 1): void {
    this.#pending += count;
    if (host.pending === 0) this.#activeHosts++;
    host.pending += count;
  }

  /** Puts the host where its clock, its queue and its leases say. */
  place(host: ActiveHost): void {
    if (host.queued > 0 && host.leased < this.#concurrency) this.#ready.place(host);
    else this.#ready.remove(host);
  }

  /** Expired leases come back one attempt older, and URLs whose time has come are queued. Before every question. */
  refresh(now: Instant): void {
    this.#expire(now);
    for (let first = this.#delays.first; first !== undefined && first.at <= now; first = this.#delays.first) {
      this.#delays.shift();
      this.#delayedIds.delete(first.id);
      first.host.pushReturned(first.id);
      this.place(first.host);
    }
  }

  /** Takes the next URL of the host that comes first; null when none is due. It is leased once it is given to `lease`. */
  next(now: Instant, chunks: ChunkStore, states: UrlStates): Next | null {
    const host = this.#nextDue(now);
    if (host === null) return null;
    const id = host.shift(chunks, states);
    host.leased++;
    this.place(host);
    return { id, host };
  }

  /** `about`: what the lease says of it. */
  lease({ host }: Next, about: Pick<Lease, "url" | "previous" | "importance">, now: Instant): Lease {
    const { url } = about;
    const lease: Lease = {
      token: this.#nextToken++,
      ...about,
      attempt: this.#attempts.get(url.id) ?? 1,
      expiresAt: now + this.#leaseMs,
      tier: host.tier,
    };
    this.#leases.set(lease.token, { lease, host });
    this.#leasedIds.add(url.id);
    return lease;
  }

  /** The host that comes first and holds less than its share; when all that are due hold theirs, nobody waits for them. */
  #nextDue(now: Instant): ActiveHost | null {
    let first: ActiveHost | null = null;
    for (const { hosts } of this.#ready.tiers) {
      const passed: ActiveHost[] = [];
      let host = dueFirst(hosts, now);
      for (; host !== null && host.leased >= this.#share; host = dueFirst(hosts, now)) {
        hosts.remove(host);
        passed.push(host);
      }
      for (const one of passed) hosts.place(one);
      if (host !== null) return host;
      first ??= passed[0] ?? null;
    }
    return first;
  }

  /** The open lease with this token, or null. */
  current(token: number): OpenLease | null {
    return this.#leases.get(token) ?? null;
  }

  /** The URL has ended. */
  end(open: OpenLease, hostReadyAt: Instant, hostTier: number | undefined): void {
    const { lease, host } = open;
    this.#close(open, hostReadyAt, hostTier);
    this.#attempts.delete(lease.url.id);
    this.#pending--;
    if (--host.pending === 0) this.#activeHosts--;
    this.place(host);
  }

  /** Back at the head of its host, no older. */
  giveBack(open: OpenLease, hostReadyAt: Instant, hostTier: number | undefined): void {
    this.#close(open, hostReadyAt, hostTier);
    open.host.unshift(open.lease.url.id);
    this.place(open.host);
  }

  /** Back when `at` has come. */
  putOff(open: OpenLease, hostReadyAt: Instant, hostTier: number | undefined, attempt: number, at: Instant): void {
    this.#close(open, hostReadyAt, hostTier);
    this.delay(open.lease.url.id, open.host, attempt, at);
    this.place(open.host);
  }

  delay(id: number, host: ActiveHost, attempt: number, at: Instant): void {
    this.#attempts.set(id, attempt);
    this.#delays.push({ id, at, host });
    this.#delayedIds.add(id);
  }

  /** Of a URL that has not ended. */
  stateOf(id: number): "queued" | "leased" | "delayed" {
    return this.#leasedIds.has(id) ? "leased" : this.#delayedIds.has(id) ? "delayed" : "queued";
  }

  counts(): Pending {
    const leased = this.#leases.size;
    const delayed = this.#delays.size;
    return { queued: this.#pending - leased - delayed, leased, delayed, hosts: this.#activeHosts };
  }

  nextReadyAt(): Instant | null {
    let queued = Number.POSITIVE_INFINITY;
    for (const { hosts } of this.#ready.tiers) queued = Math.min(queued, hosts.firstAt);
    // A host with queued URLs is due no later than any of its delayed ones, so only the others need be asked.
    const next = this.#delays.earliest(
      ({ at, host }) => (host.leased < this.#concurrency ? Math.max(at, host.readyAt) : Number.POSITIVE_INFINITY),
      queued,
    );
    return Number.isFinite(next) ? next : null;
  }

  #expire(now: Instant): void {
    const expired: OpenLease[] = [];
    for (const open of this.#leases.values()) {
      if (open.lease.expiresAt > now) break;
      expired.push(open);
    }
    // The last first, each to the front: the one leased first ends up in front.
    for (const open of expired.reverse()) {
      this.#attempts.set(open.lease.url.id, open.lease.attempt + 1);
      this.giveBack(open, 0, undefined);
    }
  }

  #close({ lease, host }: OpenLease, hostReadyAt: Instant, hostTier: number | undefined): void {
    this.#leases.delete(lease.token);
    this.#leasedIds.delete(lease.url.id);
    host.leased--;
    if (hostReadyAt > host.readyAt) host.readyAt = hostReadyAt;
    if (hostTier !== undefined) this.#ready.move(host, hostTier);
  }
}

function dueFirst(hosts: ReadyHeap, now: Instant): ActiveHost | null {
  return hosts.firstAt > now ? null : hosts.first!;
}
