/** What a reader asks of the records alone, whatever is queued or leased. */
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { UrlName } from "../../model/link.ts";
import { contentOf, type KnownContent, type VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import { MemoryState } from "./state.ts";

export class MemoryRecords {
  protected readonly state: MemoryState;

  constructor(state: MemoryState) {
    this.state = state;
  }

  async host(host: HostKey): Promise<HostState | null> {
    return this.state.hostStates.get(host) ?? null;
  }

  async robots(host: HostKey): Promise<RobotsCopy | null> {
    return this.state.robots.findLast((copy) => copy.host === host) ?? null;
  }

  async robotsReached(host: HostKey): Promise<RobotsCopy | null> {
    return this.state.robots.findLast((copy) => copy.host === host && copy.access !== "unreachable") ?? null;
  }

  async *robotsCopies(): AsyncIterable<RobotsCopy> {
    yield* this.state.robots;
  }

  async idsOf(urls: readonly UrlName[]): Promise<readonly (number | null)[]> {
    return urls.map(({ fpHi, fpLo }) => this.state.ids.get(MemoryState.fingerprint(fpHi, fpLo)) ?? null);
  }

  async nameOf(id: number): Promise<UrlName | null> {
    const url = this.state.urls.get(id)?.url;
    return url === undefined ? null : { host: url.host, fpHi: url.fpHi, fpLo: url.fpLo };
  }

  async visitsOf(urlId: number): Promise<readonly VisitRecord[]> {
    return this.state.visits.filter((visit) => visit.urlId === urlId);
  }

  async *captures(): AsyncIterable<VisitRecord> {
    for (const visit of this.state.visits) if (visit.capture !== null) yield visit;
  }

  async *contents(): AsyncIterable<KnownContent> {
    for (const visit of this.state.visits) {
      const content = contentOf(visit);
      if (content !== null) yield content;
    }
  }

  async *requests(): AsyncIterable<RequestRecord> {
    const visits = this.state.visits.flatMap(({ urlId, href, address, startedAt, endedAt, status }) => {
      const { host } = this.state.urls.get(urlId)!.url;
      return address === null ? [] : [{ host, href, address, startedAt, endedAt, status }];
    });
    yield* [...visits, ...this.state.requests].sort((a, b) => a.startedAt - b.startedAt);
  }

  async *endedAs(end: EndReason): AsyncIterable<{ href: Href; detail: string | null }> {
    for (const visit of this.state.visits) {
      const { urlId, href, detail } = visit;
      const url = this.state.urls.get(urlId)!;
      if (visit.end === end && visit === url.visit && url.end !== null) yield { href, detail };
    }
  }

  async endCounts(): Promise<ReadonlyMap<EndReason, number>> {
    const counts = new Map<EndReason, number>();
    for (const { end } of this.state.urls.values()) if (end !== null) counts.set(end, (counts.get(end) ?? 0) + 1);
    return counts;
  }

  async marks(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.state.marks);
  }

  async fact(name: string): Promise<string | null> {
    return this.state.facts.get(name) ?? null;
  }

  async setFact(name: string, value: string): Promise<void> {
    this.state.facts.set(name, value);
  }

  async sync(): Promise<void> {}
}
