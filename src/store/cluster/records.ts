/** What is asked of the records of a crawl: every shard is asked, and what comes back is put in order. */
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { UrlName } from "../../model/link.ts";
import type { KnownContent, UrlRecord, VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import type { StateQueries } from "../../ports/frontier.ts";
import { type Crawl, pairs } from "./crawl.ts";
import { endOf, type KeptVisit, seenPlace, urlOf, visitsIn } from "./rows.ts";
import type { Shards } from "./shards.ts";

type Told = readonly [state: UrlRecord["state"], host: HostKey, row: string];

export class ClusterRecords implements StateQueries {
  protected readonly shards: Shards;
  protected readonly crawl: Crawl;

  constructor(shards: Shards, crawl: Crawl) {
    this.shards = shards;
    this.crawl = crawl;
  }

  host(host: HostKey): Promise<HostState | null> {
    return this.#kept<HostState>(host, ":state");
  }

  robots(host: HostKey): Promise<RobotsCopy | null> {
    return this.#kept<RobotsCopy>(host, ":robots");
  }

  robotsReached(host: HostKey): Promise<RobotsCopy | null> {
    return this.#kept<RobotsCopy>(host, ":reached");
  }

  async *robotsCopies(): AsyncIterable<RobotsCopy> {
    const kept = await this.#each((shard) => this.shards.command(shard, "LRANGE", ":copies", "0", "-1"));
    const copies = kept.flatMap((lines) => (lines as string[]).map((line) => JSON.parse(line) as RobotsCopy));
    yield* copies.sort((a, b) => a.id - b.id);
  }

  async idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]> {
    return Promise.all(
      urls.map(async ({ host, fpHi, fpLo }) => {
        const { bucket, fingerprint } = seenPlace(fpHi, fpLo, this.crawl.buckets);
        const id = await this.shards.command(this.shards.of(host), "HGET", `:seen:${bucket}`, fingerprint);
        return id === null ? null : Math.abs(Number(id));
      }),
    );
  }

  async find(fpHi: number, fpLo: number): Promise<UrlRecord | null> {
    const { bucket, fingerprint } = seenPlace(fpHi, fpLo, this.crawl.buckets);
    const ids = await this.#each((shard) => this.shards.command(shard, "HGET", `:seen:${bucket}`, fingerprint));
    const id = ids.find((one) => one !== null);
    return id === undefined ? null : this.byId(Math.abs(Number(id)));
  }

  async byId(id: number): Promise<UrlRecord | null> {
    const found = await this.#each(async (shard) => {
      const [told] = await this.shards.ask<Told[]>("rows", shard, [String(id)]);
      if (told === undefined) return null;
      const lines = (await this.shards.command(shard, "HGET", ":visits", String(id))) as string | null;
      return recordOf(told, lines);
    });
    return found.find((one) => one !== null) ?? null;
  }

  /** No cash is kept. */
  async importance(): Promise<number> {
    return 0;
  }

  async *urls({ endedOnly = false, afterId = 0 } = {}): AsyncIterable<UrlRecord> {
    const records = await this.#each(async (shard) => {
      const [told, visits] = await Promise.all([
        this.shards.ask<Told[]>("rows", shard, [""]),
        this.shards.command(shard, "HGETALL", ":visits"),
      ]);
      const lines = new Map(pairs(visits));
      return told.map((one) => recordOf(one, lines.get(idOf(one)) ?? null));
    });
    for (const record of records.flat().sort((a, b) => a.id - b.id))
      if (record.id > afterId && (record.state === "ended" || !endedOnly)) yield record;
  }

  async visitsOf(urlId: number): Promise<readonly VisitRecord[]> {
    const lines = await this.#each((shard) => this.shards.command(shard, "HGET", ":visits", String(urlId)));
    return lines.flatMap((one) => (one === null ? [] : visitsIn(one as string).map(({ visit }) => visit)));
  }

  async *captures(): AsyncIterable<VisitRecord> {
    for (const { visit } of await this.#visits()) if (visit.capture !== null) yield visit;
  }

  async *contents(): AsyncIterable<KnownContent> {
    for (const { visit } of await this.#visits()) {
      const { urlId, end, bytes, capture, page, duplicateOf, nearDuplicateOf, history } = visit;
      if (history !== null && history.checks > 0) continue;
      if (end !== "fetched" || bytes === 0 || page === null || duplicateOf !== null) continue;
      if (capture === null || capture.truncated !== null) continue;
      yield { urlId, digest: capture.digest, simhash: nearDuplicateOf === null ? page.simhash : null };
    }
  }

  async *requests(): AsyncIterable<RequestRecord> {
    const others = await this.#each((shard) => this.shards.command(shard, "LRANGE", ":requests", "0", "-1"));
    const requests = others.flatMap((lines) => (lines as string[]).map((line) => JSON.parse(line) as RequestRecord));
    for (const { host, visit } of await this.#visits()) {
      const { href, address, startedAt, endedAt, status } = visit;
      if (address !== null) requests.push({ host, href, address, startedAt, endedAt, status });
    }
    yield* requests.sort((a, b) => a.startedAt - b.startedAt);
  }

  async *endedAs(end: EndReason): AsyncIterable<{ href: Href; detail: string | null }> {
    for (const { visit } of await this.#visits())
      if (visit.end === end) yield { href: visit.href, detail: visit.detail };
  }

  async endCounts(): Promise<ReadonlyMap<EndReason, number>> {
    const counts = new Map<EndReason, number>();
    for (const fields of await this.#each((shard) => this.shards.command(shard, "HGETALL", "")))
      for (const [field, count] of pairs(fields)) {
        const end = endOf(field);
        const sum = end === null ? 0 : Number(count) + (counts.get(end) ?? 0);
        if (end !== null && sum > 0) counts.set(end, sum);
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
    const hosts = await this.#each(async (shard) => {
      const names = pairs(await this.shards.command(shard, "HGETALL", ":names"));
      return Promise.all(
        names.map(async ([name, order]) => {
          const host = name as HostKey;
          const [state, counts] = await Promise.all([
            this.host(host),
            this.shards.command(shard, "HMGET", `:host:${order}`, "waiting", "leased", "delayed"),
          ]);
          const pending = (counts as (string | null)[]).reduce((sum, one) => sum + Number(one), 0);
          return { host, order, requests: state?.requests ?? 0, pending };
        }),
      );
    });
    return hosts
      .flat()
      .sort((a, b) => b.requests - a.requests || (a.order < b.order ? -1 : 1))
      .slice(0, n)
      .map(({ host, requests, pending }) => ({ host, requests, pending }));
  }

  /** All of them, in the order of their recording. */
  async #visits(): Promise<KeptVisit[]> {
    const kept = await this.#each((shard) => this.shards.command(shard, "HVALS", ":visits"));
    return kept.flatMap((lines) => (lines as string[]).flatMap(visitsIn)).sort((a, b) => a.ordinal - b.ordinal);
  }

  async #kept<T>(host: HostKey, part: string): Promise<T | null> {
    const text = (await this.shards.command(this.shards.of(host), "HGET", part, host)) as string | null;
    return text === null ? null : (JSON.parse(text) as T);
  }

  #each<T>(work: (shard: number) => Promise<T>): Promise<T[]> {
    return Promise.all(Array.from({ length: this.shards.count }, (_, shard) => work(shard)));
  }
}

const idOf = ([, , row]: Told): string => row.slice(0, row.indexOf("\t"));

function recordOf([state, host, row]: Told, lines: string | null): UrlRecord {
  const visit = lines === null ? null : visitsIn(lines).at(-1)!.visit;
  return { ...urlOf(row, host), state, dueAt: null, visit };
}
