/** What a test of a frontier needs: a clock it owns, URLs made of two numbers, and commits in one line. */
import assert from "node:assert/strict";
import type { Clock, Instant } from "../../src/base/clock.ts";
import { hashText } from "../../src/base/hash.ts";
import type { EndReason } from "../../src/model/end.ts";
import type { HostKey } from "../../src/model/host.ts";
import type { Lease, Verdict } from "../../src/model/lease.ts";
import type { LinksAgain, NewUrl } from "../../src/model/link.ts";
import type { VisitRecord } from "../../src/model/record.ts";
import type { Href } from "../../src/model/url.ts";
import type {
  Backend,
  Commit,
  CommitReport,
  FrontierOptions,
  FrontierState,
  Settled,
} from "../../src/ports/frontier.ts";

export class TestClock implements Clock {
  time: Instant = 1_000_000;

  now(): Instant {
    return this.time;
  }

  async sleep(ms: number): Promise<void> {
    this.time += ms;
  }
}

/** Unless a test says otherwise. */
export const LEASE_MS = 60_000;

/** Makes the world of one test. */
export type Begin<B extends FrontierState = FrontierState> = (
  options?: Omit<FrontierOptions, "clock">,
) => Promise<World<B>>;

/** One store, opened any number of times. */
export interface Store<B extends FrontierState = Backend> {
  open(options: FrontierOptions): B | Promise<B>;
  /** The store as a kill -9 leaves it now; the backend that is open is of no more use. */
  crash(): void | Promise<void>;
  close(): void | Promise<void>;
}

export function url(host: string, path: string, more: Partial<NewUrl> = {}): NewUrl {
  const href = `http://${host}/${path}` as Href;
  const [fpHi, fpLo] = hashText(href);
  const plain = { depth: 0, hops: 0, via: 0, source: "seed", priority: 0 } as const;
  return { href, host: `http://${host}` as HostKey, fpHi, fpLo, ...plain, ...more };
}

export function recordOf(lease: Lease, end: VisitRecord["end"], now: Instant): VisitRecord {
  return {
    urlId: lease.url.id,
    href: lease.url.href,
    end,
    detail: null,
    attempt: lease.attempt,
    startedAt: now,
    endedAt: now,
    status: 200,
    contentType: "text/html",
    bytes: 10,
    address: "192.0.2.1",
    redirectTo: null,
    etag: null,
    lastModified: null,
    robotsId: 0,
    capture: null,
    page: null,
    duplicateOf: null,
    nearDuplicateOf: null,
    history: null,
  };
}

export interface Settling {
  readonly hostReadyAt?: Instant;
  readonly hostTier?: number | undefined;
  readonly links?: readonly NewUrl[];
  readonly linksAgain?: LinksAgain;
  readonly record?: VisitRecord | null;
  readonly dueAt?: Instant | null;
}

export function settled(lease: Lease, verdict: Verdict, now: Instant, more: Settling = {}): Settled {
  const end = verdict.kind === "end" ? verdict.end : verdict.kind === "retry" ? "retry" : "follow";
  const record = verdict.kind === "again" ? null : recordOf(lease, end, now);
  const { hostReadyAt = 0, hostTier, links = [], linksAgain = null, dueAt = null } = more;
  return { lease, verdict, hostReadyAt, hostTier, links, linksAgain, record: more.record ?? record, dueAt };
}

/** Links on a page of `on`, of which these are named. */
export function again(on: string, to: readonly NewUrl[], count = to.length): LinksAgain {
  const hosts = [...new Set(to.map(({ host }) => host))].filter((host) => host !== `http://${on}`);
  const words = to.flatMap(({ fpHi, fpLo, host }) => [fpHi, fpLo, hosts.indexOf(host) + 1]);
  return { count, words: Uint32Array.from(words), hosts };
}

export const ended = (end: EndReason = "fetched"): Verdict => ({ kind: "end", end });

/** A frontier under test, with short forms of what tests do all the time. */
export class World<B extends FrontierState = FrontierState> {
  readonly clock: TestClock;
  readonly store: Store<B>;
  readonly #options: Omit<FrontierOptions, "clock">;
  backend: B;

  private constructor(store: Store<B>, options: Omit<FrontierOptions, "clock">, clock: TestClock, backend: B) {
    this.store = store;
    this.#options = options;
    this.clock = clock;
    this.backend = backend;
  }

  static async open<B extends FrontierState>(
    store: Store<B>,
    options: Omit<FrontierOptions, "clock"> = {},
  ): Promise<World<B>> {
    const clock = new TestClock();
    return new World(store, options, clock, await store.open({ clock, ...options }));
  }

  async reopen(): Promise<void> {
    await this.backend[Symbol.asyncDispose]();
    this.backend = await this.store.open({ clock: this.clock, ...this.#options });
  }

  async crash(): Promise<void> {
    await this.store.crash();
    await this.backend[Symbol.asyncDispose]();
    this.backend = await this.store.open({ clock: this.clock, ...this.#options });
  }

  async close(): Promise<void> {
    await this.backend[Symbol.asyncDispose]();
    await this.store.close();
  }

  async leaseOne(): Promise<Lease> {
    const [lease] = await this.backend.lease(1);
    assert.ok(lease, "something can be leased");
    return lease;
  }

  /** Leases up to `max` and answers the paths, in order. */
  async leasePaths(max: number): Promise<string[]> {
    return (await this.backend.lease(max)).map(pathOf);
  }

  commit(part: Partial<Commit>): Promise<CommitReport> {
    return this.backend.commit({ settled: [], hosts: [], robots: [], marks: [], ...part });
  }

  settle(lease: Lease, verdict: Verdict, more: Settling = {}): Promise<CommitReport> {
    return this.commit({ settled: [settled(lease, verdict, this.clock.time, more)] });
  }

  /** Leases and ends what is due, `max` at most, one at a time; the paths in the order in which they were leased. */
  async drain(max = Number.POSITIVE_INFINITY): Promise<string[]> {
    const paths: string[] = [];
    while (paths.length < max) {
      const [lease] = await this.backend.lease(1);
      if (lease === undefined) break;
      paths.push(pathOf(lease));
      await this.settle(lease, ended());
    }
    return paths;
  }
}

export const pathOf = (lease: Lease): string => lease.url.href.slice(lease.url.host.length + 1);
