/** What is asked of the records of a crawl: rows in the shards, and what they point to in the object store. */

import { cashOf } from "../../dedup/cash-levels.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { UrlName } from "../../model/link.ts";
import { contentOf, dropRecord, type KnownContent, type UrlRecord, type VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import type { StateQueries } from "../../ports/frontier.ts";
import type { Word } from "./connection.ts";
import { type Crawl, pairs } from "./crawl.ts";
import { type Entry, type Pointer, pointerOf } from "./entry.ts";
import type { Manifest } from "./manifest.ts";
import { type Recorded, recorded } from "./recorded.ts";
import { endOf, type KeptUrl, urlOf } from "./rows.ts";
import type { Segments } from "./segments.ts";
import type { Shards } from "./shards.ts";
import type { Spill } from "./spill.ts";
import { ROWS } from "./standing.ts";

/** As tell.lua says it. */
type Told = readonly [
  local: number,
  state: UrlRecord["state"] | "gone" | "spilled",
  host: HostKey,
  dueAt: string,
  visit: string,
  reason: string,
  level: number,
  tail: string,
  fpHi: number,
  fpLo: number,
];

interface Row {
  readonly url: KeptUrl;
  readonly fpHi: number;
  readonly fpLo: number;
  readonly state: UrlRecord["state"];
  readonly isDrop: boolean;
  readonly dueAt: number | null;
  /** Where its latest record stands; of a drop, behind which record it comes. */
  readonly visit: Pointer | null;
  readonly end: EndReason | null;
  readonly level: number;
}

export interface RecordsParts {
  readonly shards: Shards;
  readonly crawl: Crawl;
  readonly segments: Segments;
  readonly manifest: Manifest;
  readonly spill: Spill;
}

/** So many rows are asked for at once when all are gone through. */
const AT_ONCE = 64 * ROWS;

export class ClusterRecords implements StateQueries {
  protected readonly shards: Shards;
  protected readonly crawl: Crawl;
  protected readonly segments: Segments;
  protected readonly manifest: Manifest;
  protected readonly spill: Spill;

  constructor({ shards, crawl, segments, manifest, spill }: RecordsParts) {
    this.shards = shards;
    this.crawl = crawl;
    this.segments = segments;
    this.manifest = manifest;
    this.spill = spill;
  }

  async host(host: HostKey): Promise<HostState | null> {
    const text = await this.#kept(host, ":state");
    return text === null ? null : (JSON.parse(text) as HostState);
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

  async find(fpHi: number, fpLo: number): Promise<UrlRecord | null> {
    // Its host is not told: it may be anywhere.
    const found = await this.shards.each((shard) => this.#told(shard, "seen", [fingerprintOf({ fpHi, fpLo })]));
    const row = found.flat().find((one) => one !== null);
    return row === undefined ? null : this.#recordOf(row!);
  }

  async byId(id: number): Promise<UrlRecord | null> {
    const row = await this.#row(id);
    return row === null ? null : this.#recordOf(row);
  }

  idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]> {
    return Promise.all(
      urls.map(async (url) => {
        const [row] = await this.#told(this.shards.of(url.host), "seen", [fingerprintOf(url)]);
        return row?.url.id ?? null;
      }),
    );
  }

  async nameOf(id: number): Promise<UrlName | null> {
    const row = await this.#row(id);
    return row === null ? null : { host: row.url.host, fpHi: row.fpHi, fpLo: row.fpLo };
  }

  async importance(id: number): Promise<number> {
    return cashOf((await this.#row(id))?.level ?? 0);
  }

  async *urls({ endedOnly = false, afterId = 0 } = {}): AsyncIterable<UrlRecord> {
    for await (const rows of this.#rows(afterId)) {
      const wanted = rows.filter(({ state, url }) => url.id > afterId && (state === "ended" || !endedOnly));
      yield* await this.#recordsOf(wanted);
    }
  }

  async visitsOf(urlId: number): Promise<readonly VisitRecord[]> {
    const row = await this.#row(urlId);
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

  async *requests(): AsyncIterable<RequestRecord> {
    const requests: RequestRecord[] = [];
    for await (const { entry } of this.#recorded()) {
      if (entry.kind === "request") requests.push(entry.value);
      if (entry.kind !== "visit") continue;
      const { href, address, startedAt, endedAt, status } = entry.value;
      if (address !== null) requests.push({ host: entry.host, href, address, startedAt, endedAt, status });
    }
    yield* requests.sort((a, b) => a.startedAt - b.startedAt);
  }

  async *endedAs(end: EndReason): AsyncIterable<{ href: Href; detail: string | null }> {
    if (!(await this.endCounts()).has(end)) return;
    const found: Row[] = [];
    for await (const rows of this.#rows(0)) found.push(...rows.filter((row) => row.end === end));
    found.sort((a, b) => compare(a.visit!, b.visit!) || Number(a.isDrop) - Number(b.isDrop) || a.url.id - b.url.id);
    for (const { visit } of await this.#recordsOf(found)) yield { href: visit!.href, detail: visit!.detail };
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
    const newest = (ids: readonly number[]) => Promise.all(ids.map(async (id) => (await this.#row(id))?.visit ?? null));
    return recorded({ segments, manifest, newest });
  }

  async #copy(host: HostKey, part: string): Promise<RobotsCopy | null> {
    const pointer = await this.#kept(host, part);
    return pointer === null ? null : ((await this.segments.read(pointerOf(pointer))).value as RobotsCopy);
  }

  #kept(host: HostKey, part: string): Promise<string | null> {
    return this.shards.command(this.shards.of(host), "HGET", part, host) as Promise<string | null>;
  }

  async #row(id: number): Promise<Row | null> {
    const { shard, local } = this.shards.localOf(id);
    const [row] = await this.#told(shard, "ids", [String(local)]);
    return row ?? null;
  }

  /** All of them, in the order of their ids, a few at a time. */
  async *#rows(afterId: number): AsyncIterable<Row[]> {
    const chunksAtOnce = Math.max(1, Math.floor(AT_ONCE / ROWS / this.shards.count));
    for (let from = Math.max(0, Math.floor((this.shards.localOf(afterId).local - 1) / ROWS)); ; from += chunksAtOnce) {
      const chunks = Array.from({ length: chunksAtOnce }, (_, nth) => String(from + nth));
      const told = (await this.shards.each((shard) => this.#told(shard, "rows", chunks))).flat();
      if (told.length === 0) return;
      yield told.filter((row) => row !== null).sort((a, b) => a.url.id - b.url.id);
    }
  }

  /** Null for an id under which a drop was recorded that is none any more. What is spilled is read where it is. */
  async #told(shard: number, what: "ids" | "rows" | "seen" | "given", which: readonly Word[]): Promise<(Row | null)[]> {
    const told = await this.shards.ask<Told[]>("tell", shard, [what, ...which]);
    const rows = told.map(([local, state, host, dueAt, visit, reason, level, tail, fpHi, fpLo]) => {
      if (state === "spilled") return this.#spilled(shard, local, host, what === "rows");
      if (state === "gone") return null;
      const url = urlOf(this.shards.idOf({ shard, local }), host, tail.slice(1));
      return {
        ...{ url, fpHi, fpLo, state, level, isDrop: tail.startsWith("d") },
        dueAt: dueAt === "" ? null : Number(dueAt),
        visit: visit === "" ? null : pointerOf(visit),
        end: reason === "" ? null : endOf(reason),
      };
    });
    return (await Promise.all(rows)).flat();
  }

  /** The row of an id, or all of its chunk. */
  async #spilled(shard: number, local: number, where: string, isWhole: boolean): Promise<(Row | null)[]> {
    const first = local - ((local - 1) % ROWS);
    const rows = await this.spill.read(where);
    const wanted = rows.flatMap((row, nth) => (isWhole || first + nth === local ? [String(first + nth), row] : []));
    return this.#told(shard, "given", wanted);
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

const compare = (a: Pointer, b: Pointer): number => a.ordinal - b.ordinal || a.index - b.index;

/** As the scripts know it: its low word first. */
function fingerprintOf({ fpHi, fpLo }: Pick<UrlName, "fpHi" | "fpLo">): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUInt32LE(fpHi, bytes.writeUInt32LE(fpLo));
  return bytes;
}
