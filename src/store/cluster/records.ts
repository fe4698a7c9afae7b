/** What is asked of the records of a crawl: rows in the shards, and what they point to in the object store. */

import type { Instant } from "../../base/clock.ts";
import { ascii, sorted } from "../../base/sorted-lines.ts";
import { inBatches } from "../../base/streamed.ts";
import { cashOf } from "../../dedup/cash-levels.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { UrlName } from "../../model/link.ts";
import { contentOf, dropRecord, type KnownContent, type UrlRecord, type VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import type { Sought, StateQueries } from "../../ports/frontier.ts";
import { type Crawl, pairs } from "./crawl/crawl.ts";
import { type Entry, pointerOf } from "./segments/entry.ts";
import type { Manifest } from "./segments/manifest.ts";
import { type Recorded, recorded } from "./segments/recorded.ts";
import type { Segments } from "./segments/segments.ts";
import { KnownRows, ROWS_AT_ONCE, type Row } from "./shards/known-rows.ts";
import { endOf } from "./shards/rows.ts";
import type { SeenFilter } from "./shards/seen-filter.ts";
import type { Shards } from "./shards/shards.ts";
import type { Spill } from "./shards/spill.ts";
import { filteredIn } from "./shards/standing.ts";

/** As a shard keeps it. */
export interface KeptState extends HostState {
  /** The ordinal of the commit that said so. */
  readonly commit: number;
}

export interface RecordsParts {
  readonly shards: Shards;
  readonly crawl: Crawl;
  readonly segments: Segments;
  readonly manifest: Manifest;
  readonly spill: Spill;
  /** Null: what was seen is known exactly. */
  readonly seenFilter: SeenFilter | null;
}

export class ClusterRecords implements StateQueries {
  protected readonly shards: Shards;
  protected readonly crawl: Crawl;
  protected readonly segments: Segments;
  protected readonly manifest: Manifest;
  protected readonly spill: Spill;
  readonly #seenFilter: SeenFilter | null;
  readonly #rows: KnownRows;

  constructor({ shards, crawl, segments, manifest, spill, seenFilter }: RecordsParts) {
    this.shards = shards;
    this.crawl = crawl;
    this.segments = segments;
    this.manifest = manifest;
    this.spill = spill;
    this.#seenFilter = seenFilter;
    this.#rows = new KnownRows(shards, spill);
  }

  async host(host: HostKey): Promise<HostState | null> {
    const text = await this.#kept(host, ":state");
    if (text === null) return null;
    const { commit: _, ...state } = JSON.parse(text) as KeptState;
    return state;
  }

  robots(host: HostKey): Promise<RobotsCopy | null> {
    return this.#copy(host, ":robots");
  }

  robotsReached(host: HostKey): Promise<RobotsCopy | null> {
    return this.#copy(host, ":reached");
  }

  async *robotsCopies(): AsyncIterable<RobotsCopy> {
    for await (const { entry } of this.#recorded()) if (entry.kind === "robots") yield entry.value;
  }

  /** With a filter the rows of the shard are read, or of all whose filters have seen it where the host is not told: 16 bytes of memory each, kept for the next time. */
  async find(url: Sought): Promise<UrlRecord | null> {
    const ask = (shard: number) => this.#rows.find(shard, url);
    const found = url.host === undefined ? await this.shards.each(ask) : [await ask(this.shards.of(url.host))];
    const row = found.find((one) => one !== null);
    return row == null ? null : this.#recordOf(row);
  }

  async byId(id: number): Promise<UrlRecord | null> {
    const row = await this.#rows.row(id);
    return row === null ? null : this.#recordOf(row);
  }

  async idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]> {
    const rows = await this.#rows.named(urls);
    return rows.map((row) => row?.url.id ?? null);
  }

  async nameOf(id: number): Promise<UrlName | null> {
    const row = await this.#rows.row(id);
    return row === null ? null : { host: row.url.host, fpHi: row.fpHi, fpLo: row.fpLo };
  }

  async importance(id: number): Promise<number> {
    return cashOf((await this.#rows.row(id))?.level ?? 0);
  }

  async *urls({ endedOnly = false, afterId = 0 } = {}): AsyncIterable<UrlRecord> {
    for await (const rows of this.#rows.all(afterId)) {
      const wanted = rows.filter(({ state, url }) => url.id > afterId && (state === "ended" || !endedOnly));
      yield* await this.#recordsOf(wanted);
    }
  }

  /** All URLs of a shard that have ended, and the cash that each was given, in order of admission, streaming. */
  async *endedIn(shard: number): AsyncIterable<UrlRecord & { readonly importance: number }> {
    for await (const rows of this.#rows.in(shard)) {
      const ended = rows.filter(({ state }) => state === "ended");
      for (const [nth, record] of (await this.#recordsOf(ended)).entries())
        yield { ...record, importance: cashOf(ended[nth]!.level) };
    }
  }

  async visitsOf(urlId: number): Promise<readonly VisitRecord[]> {
    const row = await this.#rows.row(urlId);
    if (row === null) return [];
    if (row.isDrop) return [droppedBy(row)];
    const visits: VisitRecord[] = [];
    for (let at = row.visit; at !== null; ) {
      const entry = await this.segments.read(at);
      visits.unshift(visitIn(entry));
      at = entry.previous;
    }
    return visits;
  }

  async *captures(): AsyncIterable<VisitRecord> {
    for await (const { entry } of this.#recorded())
      if (entry.kind === "visit" && entry.value.capture !== null) yield entry.value;
  }

  async *contents(): AsyncIterable<KnownContent> {
    for await (const visit of this.captures()) {
      const content = contentOf(visit);
      if (content !== null) yield content;
    }
  }

  /** Sorted on disk: they may be more than fit into memory. */
  async *requests(): AsyncIterable<RequestRecord> {
    for await (const line of sorted(requestLines(this.#recorded()))) yield JSON.parse(line.slice(REQUEST_AT));
  }

  /** The same. */
  async *endedAs(end: EndReason): AsyncIterable<{ href: Href; detail: string | null }> {
    if (!(await this.endCounts()).has(end)) return;
    for await (const lines of inBatches(sorted(this.#endLines(end)), ROWS_AT_ONCE)) {
      const rows = await this.#rows.of(lines.map((line) => Number(line.slice(END_AT))));
      for (const { visit } of await this.#recordsOf(rows)) yield { href: visit!.href, detail: visit!.detail };
    }
  }

  /** The ids of those that have ended so, behind what puts them in the order of recording. */
  async *#endLines(end: EndReason): AsyncGenerator<string> {
    for await (const rows of this.#rows.all(0))
      for (const { url, visit, isDrop, end: ended } of rows)
        if (ended === end) yield `${digits(visit!.ordinal)}${digits(visit!.index)}${isDrop ? 1 : 0}${digits(url.id)}\n`;
  }

  async refused(): Promise<number> {
    const filter = this.#seenFilter;
    if (filter === null) return 0;
    const records = await this.shards.each((shard) => this.shards.bytes(shard, "GET", ""));
    return records.reduce<number>((sum, record) => sum + filter.refused(filteredIn(record as Buffer | null)), 0);
  }

  async endCounts(): Promise<ReadonlyMap<EndReason, number>> {
    const counts = new Map<EndReason, number>();
    for (const fields of await this.shards.each((shard) => this.shards.command(shard, "HGETALL", ":ends")))
      for (const [letter, count] of pairs(fields)) {
        const sum = Number(count) + (counts.get(endOf(letter)) ?? 0);
        if (sum > 0) counts.set(endOf(letter), sum);
      }
    return counts;
  }

  async dueCount(until: Instant): Promise<number> {
    const counts = await this.shards.each((shard) =>
      this.shards.command(shard, "ZCOUNT", ":again", "-inf", String(until)),
    );
    return counts.reduce((sum: number, count) => sum + Number(count), 0);
  }

  marks(): Promise<ReadonlyMap<string, number>> {
    return this.crawl.marks();
  }

  fact(name: string): Promise<string | null> {
    return this.crawl.fact(name);
  }

  async topHosts(n: number): Promise<{ host: HostKey; requests: number; pending: number }[]> {
    const hosts = await this.shards.each((shard) =>
      this.shards.ask<[HostKey, number, number][]>("top", shard, [String(n)]),
    );
    return hosts
      .flat()
      .map(([host, requests, pending]) => ({ host, requests, pending }))
      .sort((a, b) => b.requests - a.requests)
      .slice(0, n);
  }

  #recorded(): AsyncIterable<Recorded> {
    const { segments, manifest } = this;
    const newest = (ids: readonly number[]) =>
      Promise.all(ids.map(async (id) => (await this.#rows.row(id))?.visit ?? null));
    return recorded({ segments, manifest, newest });
  }

  async #copy(host: HostKey, part: string): Promise<RobotsCopy | null> {
    const pointer = await this.#kept(host, part);
    return pointer === null ? null : ((await this.segments.read(pointerOf(pointer))).value as RobotsCopy);
  }

  #kept(host: HostKey, part: string): Promise<string | null> {
    return this.shards.command(this.shards.of(host), "HGET", part, host) as Promise<string | null>;
  }

  async #recordOf(row: Row): Promise<UrlRecord> {
    const [record] = await this.#recordsOf([row]);
    return record!;
  }

  async #recordsOf(rows: readonly Row[]): Promise<UrlRecord[]> {
    const pointers = rows.flatMap(({ visit, isDrop }) => (visit === null || isDrop ? [] : [visit]));
    const entries = (await this.segments.readMany(pointers))[Symbol.iterator]();
    return rows.map((row) => {
      const { url, state, isDrop, dueAt } = row;
      const { detail: _, ...rest } = url;
      const visit = isDrop ? droppedBy(row) : row.visit === null ? null : visitIn(entries.next().value!);
      return { ...rest, state, dueAt, visit };
    });
  }
}

/** Of a URL that was dropped on admission nothing is recorded that its row does not say. */
function droppedBy({ url, end }: Row): VisitRecord {
  const drop = { reason: end, ...(url.detail === null ? {} : { detail: url.detail }) };
  return dropRecord(url.id, url.href, drop as Parameters<typeof dropRecord>[2], url.admittedAt);
}

const visitIn = (entry: Entry): VisitRecord => entry.value as VisitRecord;

const DIGITS = 16;
/** Of a time, with three places behind the point. */
const TIME_DIGITS = DIGITS + 4;
/** Behind a time, an ordinal and an index. */
const REQUEST_AT = TIME_DIGITS + 2 * DIGITS;
/** Behind an ordinal, an index, and whether it is a drop. */
const END_AT = 2 * DIGITS + 1;

const digits = (n: number): string => String(n).padStart(DIGITS, "0");

/** Each as JSON behind its start and where it stands. */
async function* requestLines(recorded: AsyncIterable<Recorded>): AsyncGenerator<string> {
  for await (const { at, entry } of recorded) {
    const request = requestIn(entry);
    if (request === null) continue;
    const start = request.startedAt.toFixed(3).padStart(TIME_DIGITS, "0");
    yield `${start}${digits(at.ordinal)}${digits(at.index)}${ascii(JSON.stringify(request))}\n`;
  }
}

function requestIn(entry: Entry): RequestRecord | null {
  if (entry.kind === "request") return entry.value;
  if (entry.kind !== "visit" || entry.value.address === null) return null;
  const { href, address, startedAt, endedAt, status } = entry.value;
  return { host: entry.host, href, address, startedAt, endedAt, status };
}
