/**
 * Moves a state from one back end into another, by nothing but what every back end promises: there URLs are admitted,
 * leased and settled as they once were here, at the times of then, with the records of then. What waits, waits there in
 * the order of its admission.
 */
import type { Clock, Instant } from "../../base/clock.ts";
import { hashText } from "../../base/hash.ts";
import { inBatches } from "../../base/streamed.ts";
import { REVISITS } from "../../crawl/recrawl.ts";
import { cashOf, FIRST_LEVEL } from "../../dedup/cash-levels.ts";
import { FingerprintTable } from "../../dedup/fingerprint-table.ts";
import type { ArchiveMark } from "../../model/capture.ts";
import type { DropReason } from "../../model/end.ts";
import type { HostKey } from "../../model/host.ts";
import type { Lease, Verdict } from "../../model/lease.ts";
import type { NewUrl, UrlName } from "../../model/link.ts";
import type { UrlRecord, VisitRecord } from "../../model/record.ts";
import { KNOWN, parseUrl } from "../../model/url.ts";
import { urlKey } from "../../policy/url-key.ts";
import type { Backend, FrontierOptions, Settled } from "../../ports/frontier.ts";
import type { ReadOnlyState } from "../../ports/read-only.ts";
import { ClusterError } from "../../store/cluster/redis/errors.ts";
import { Ids } from "./ids.ts";

/** A clock that stands where it is put. */
class Hand implements Clock {
  time: Instant = 0;
  now = (): Instant => this.time;
  async sleep(): Promise<void> {}
}

const AT_ONCE = 500;
/** Of many shards each has some of them. */
const ADMITTED_AT_ONCE = 4_000;
/** Of a URL that was visited: it is admitted, then visited. */
const HALF = 0.5;
/** Leases of one host at a time: nobody is asked for anything. */
const MANY = 1_000_000_000;

export type OnProgress = (urls: number, total: number) => void;

export interface MoveParts {
  readonly from: ReadOnlyState;
  /** Opens what is moved into; it is empty, and closed when all is there. */
  readonly open: (options: FrontierOptions) => Promise<Backend>;
  /** How much counts of what archive files there are. */
  readonly marks: readonly ArchiveMark[];
  readonly now: Instant;
  /** Told how many of so many URLs are there: half of one that is admitted and not yet visited, in word. */
  readonly onProgress?: OnProgress;
}

/** URLs with all that has become of them, copies of robots.txt, requests, hosts. Facts are the caller's. */
export async function moveState({ from, open, marks, now, onProgress = () => {} }: MoveParts): Promise<void> {
  const clock = new Hand();
  const cash = new Map<string, number>();
  const firstCash = (url: NewUrl): number => cash.get(nameText(url)) ?? 0;
  await using to = await open({ clock, hostConcurrency: MANY, hostShare: MANY, firstCash });
  const move = new Move(from, to, clock, cash, onProgress, await urlsIn(from));
  await move.robots(now);
  await move.urls(({ visit }) => visit !== null);
  await move.visits(now);
  await move.urls(({ visit }) => visit === null);
  await move.rest(now);
  await to.commit({ settled: [], hosts: [], robots: [], marks });
}

class Move {
  readonly #from: ReadOnlyState;
  readonly #to: Backend;
  readonly #clock: Hand;
  readonly #cash: Map<string, number>;
  readonly #onProgress: OnProgress;
  readonly #total: number;
  /** Ids here, by ids there; the ids of what has visits the other way round too. */
  readonly #ids = new Ids();
  readonly #before = new Ids();
  readonly #robotsIds = new Map<number, number>();
  readonly #hosts = new Set<HostKey>();
  /** Of visits, the requests that they record. */
  readonly #asked = new FingerprintTable();
  #done = 0;

  constructor(
    from: ReadOnlyState,
    to: Backend,
    clock: Hand,
    cash: Map<string, number>,
    onProgress: OnProgress,
    total: number,
  ) {
    this.#from = from;
    this.#to = to;
    this.#clock = clock;
    this.#cash = cash;
    this.#onProgress = onProgress;
    this.#total = total;
  }

  async robots(now: Instant): Promise<void> {
    this.#clock.time = now;
    for await (const copies of inBatches(this.#from.robotsCopies(), AT_ONCE)) {
      const robots = copies.map((copy) => ({ ...copy, id: 0 }));
      const { robotsIds } = await this.#to.commit({ settled: [], hosts: [], robots, marks: [] });
      for (const [nth, copy] of copies.entries()) this.#robotsIds.set(copy.id, robotsIds[nth]!);
      for (const { host } of copies) this.#hosts.add(host);
    }
  }

  /** Admits those that are meant, in order. */
  async urls(isMeant: (record: UrlRecord) => boolean): Promise<void> {
    for await (const records of inBatches(filtered(this.#from.urls(), isMeant), ADMITTED_AT_ONCE)) {
      const urls = await this.#named(records);
      this.#cash.clear();
      await Promise.all(
        records.map(async ({ id }, nth) => {
          const level = cashOf(FIRST_LEVEL);
          this.#cash.set(nameText(urls[nth]!), Math.max(0, (await this.#from.importance(id)) - level));
        }),
      );
      for (const run of runsOf(records)) await this.#admit(records.slice(...run), urls.slice(...run));
      this.#count(records.reduce((sum, record) => sum + (record.visit === null || isDrop(record) ? 1 : HALF), 0));
    }
  }

  async #admit(records: readonly UrlRecord[], names: readonly UrlName[]): Promise<void> {
    const urls = records.map((record, nth) => this.#urlOf(record, names[nth]!));
    await this.#to.add(urls);
    const ids = await this.#to.idsOf(urls);
    // Only a filter loses one, and only when a master dies: what was moved there by then is not to be told from what was not.
    if (ids.includes(null))
      throw new ClusterError("away", "a master of Redis was lost meanwhile; give the command again");
    for (const [nth, { id, host, visit }] of records.entries()) {
      this.#ids.set(id, ids[nth]!);
      if (visit !== null) this.#before.set(ids[nth]!, id);
      this.#hosts.add(host);
    }
  }

  #urlOf(record: UrlRecord, { fpHi, fpLo }: UrlName): NewUrl {
    const { href, host, depth, hops, source, priority, visit } = record;
    const via = this.#ids.get(record.via) ?? 0;
    const url = { href, host, fpHi, fpLo, depth, hops, via, source, priority, at: timeOf(record) };
    if (!isDrop(record)) return url;
    const detail = visit!.detail;
    return { ...url, drop: { reason: visit!.end as DropReason, ...(detail === null ? {} : { detail }) } };
  }

  /** By what each is found again: most by their keys. */
  async #named(records: readonly UrlRecord[]): Promise<UrlName[]> {
    const names = records.map(({ href, host }): UrlName => {
      const url = parseUrl(href, undefined, KNOWN);
      const [fpHi, fpLo] = url.ok ? hashText(urlKey(url.value.parts)) : [0, 0];
      return { host, fpHi, fpLo };
    });
    const ids = await this.#from.idsOf(names);
    return Promise.all(
      names.map(async (name, nth) => {
        const { id } = records[nth]!;
        return ids[nth] === id ? name : (await this.#from.nameOf(id))!;
      }),
    );
  }

  /** Visits again, in word, all that was visited: each as often as it was. */
  async visits(now: Instant): Promise<void> {
    this.#clock.time = now;
    const begun = new Map<number, readonly VisitRecord[]>();
    for (;;) {
      const leases = await this.#to.lease(AT_ONCE);
      if (leases.length === 0) return;
      const settled: Settled[] = [];
      const returning: number[] = [];
      const steps = await Promise.all(leases.map((lease) => this.#step(lease, begun)));
      let done = 0;
      for (const [nth, step] of steps.entries()) {
        if (step === null || step.isLast) done += HALF;
        if (step === null) continue;
        settled.push(step.settled);
        if (step.comesBack) returning.push(leases[nth]!.url.id);
      }
      if (settled.length > 0) await this.#to.commit({ settled, hosts: [], robots: [], marks: [] });
      if (returning.length > 0) await this.#to.revisit(returning.map((id) => ({ id, priority: REVISITS })));
      this.#count(done);
    }
  }

  /** The next visit of a leased URL. Null when there was no more: it waits, and its lease is given up with the opening. */
  async #step(
    lease: Lease,
    begun: Map<number, readonly VisitRecord[]>,
  ): Promise<{ readonly settled: Settled; readonly isLast: boolean; readonly comesBack: boolean } | null> {
    const id = this.#before.get(lease.url.id)!;
    const [visit, ...more] = begun.get(id) ?? (await this.#from.visitsOf(id));
    begun.delete(id);
    if (visit === undefined) return null;
    const record = (await this.#from.byId(id))!;
    const hasEnded = more.length === 0 && record.state === "ended";
    if (!hasEnded) begun.set(id, more);
    const verdict = this.#verdictOf(visit, record);
    return {
      isLast: hasEnded,
      comesBack: verdict.kind === "end" && !hasEnded,
      settled: {
        ...{ lease, verdict, links: [], hostReadyAt: 0, record: this.#recordOf(visit, lease.url.id) },
        dueAt: hasEnded ? record.dueAt : null,
      },
    };
  }

  #verdictOf({ end }: VisitRecord, { href, hops }: UrlRecord): Verdict {
    if (end === "retry") return { kind: "retry", at: this.#clock.time, reason: "timeout" };
    return end === "follow" ? { kind: "follow", href, hops } : { kind: "end", end };
  }

  #recordOf(visit: VisitRecord, urlId: number): VisitRecord {
    const { href, address, startedAt, endedAt, capture, duplicateOf, nearDuplicateOf, robotsId } = visit;
    if (address !== null) {
      const [hi, lo] = hashText(requestText({ href, startedAt, endedAt }));
      this.#asked.insert(hi, lo, 1);
    }
    const idOf = (id: number | null) => (id === null ? null : (this.#ids.get(id) ?? null));
    return {
      ...visit,
      urlId,
      robotsId: this.#robotsIds.get(robotsId) ?? 0,
      duplicateOf: idOf(duplicateOf),
      nearDuplicateOf: idOf(nearDuplicateOf),
      capture:
        capture?.revisitOf === undefined ? capture : { ...capture, revisitOf: this.#ids.get(capture.revisitOf)! },
    };
  }

  /** Hosts, and the requests that no visit records. */
  async rest(now: Instant): Promise<void> {
    this.#clock.time = now;
    for await (const hosts of inBatches(this.#hosts, AT_ONCE)) {
      const told = await Promise.all(hosts.map((host) => this.#from.host(host)));
      // What pages have brought is told by ids that are others here: it is learnt anew.
      const states = told.flatMap((state) => (state === null ? [] : [{ ...state, lessons: null }]));
      await this.#to.commit({ settled: [], hosts: states, robots: [], marks: [] });
    }
    const isOther = (request: { href: string; startedAt: Instant; endedAt: Instant }): boolean => {
      const [hi, lo] = hashText(requestText(request));
      return this.#asked.find(hi, lo) === 0;
    };
    for await (const requests of inBatches(filtered(this.#from.requests(), isOther), AT_ONCE))
      await this.#to.commit({ settled: [], hosts: [], robots: [], requests, marks: [] });
  }

  #count(urls: number): void {
    this.#done += urls;
    this.#onProgress(Math.floor(this.#done), this.#total);
  }
}

async function urlsIn(state: ReadOnlyState): Promise<number> {
  const { queued, leased, delayed } = await state.pending();
  return [...(await state.endCounts()).values()].reduce((sum, ended) => sum + ended, queued + leased + delayed);
}

/** A rule has ended it, and nobody was asked. */
const isDrop = ({ state, visit }: UrlRecord): boolean => state === "ended" && visit?.attempt === 0;

/** When it came to be as it is told. */
const timeOf = (record: UrlRecord): Instant => (isDrop(record) ? record.visit!.startedAt : record.admittedAt);

const nameText = ({ fpHi, fpLo }: UrlName | NewUrl): string => `${fpHi}:${fpLo}`;

const requestText = ({
  href,
  startedAt,
  endedAt,
}: {
  readonly href: string;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
}): string => `${href} ${startedAt} ${endedAt}`;

/** From and to: none of them found on another. */
function* runsOf(records: readonly UrlRecord[]): Generator<[from: number, to: number]> {
  let from = 0;
  let ids = new Set<number>();
  for (const [nth, record] of records.entries()) {
    if (ids.has(record.via)) {
      yield [from, nth];
      from = nth;
      ids = new Set();
    }
    ids.add(record.id);
  }
  if (from < records.length) yield [from, records.length];
}

async function* filtered<T>(items: AsyncIterable<T>, isMeant: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) if (isMeant(item)) yield item;
}
