/** What the tables alone answer, to the writer as to a reader beside it. */
import type { Instant } from "../../base/clock.ts";
import { streamed } from "../../base/streamed.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey } from "../../model/host.ts";
import type { UrlName } from "../../model/link.ts";
import type { KnownContent, VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import type { Due } from "../../ports/revisits.ts";
import type { Queries } from "./queries.ts";

export class Stored {
  /** Set by the constructor of whoever extends this. */
  protected queries!: Queries;

  async robots(host: HostKey): Promise<RobotsCopy | null> {
    return this.queries.robots(host);
  }

  async robotsReached(host: HostKey): Promise<RobotsCopy | null> {
    return this.queries.robotsReached(host);
  }

  async nameOf(id: number): Promise<UrlName | null> {
    return this.queries.nameOf(id);
  }

  async due(until: Instant, max: number): Promise<readonly Due[]> {
    return this.queries.due(until, max);
  }

  async nextDueAt(): Promise<Instant | null> {
    return this.queries.nextDueAt();
  }

  async visitsOf(urlId: number): Promise<readonly VisitRecord[]> {
    return this.queries.visitsOf(urlId);
  }

  captures(): AsyncIterable<VisitRecord> {
    return streamed(this.queries.captures());
  }

  contents(): AsyncIterable<KnownContent> {
    return streamed(this.queries.contents());
  }

  requests(): AsyncIterable<RequestRecord> {
    return streamed(this.queries.requests());
  }

  endedAs(end: EndReason): AsyncIterable<{ href: Href; detail: string | null }> {
    return streamed(this.queries.endedAs(end));
  }

  async marks(): Promise<ReadonlyMap<string, number>> {
    return this.queries.marks();
  }

  async fact(name: string): Promise<string | null> {
    return this.queries.fact(name);
  }

  robotsCopies(): AsyncIterable<RobotsCopy> {
    return streamed(this.queries.robotsCopies());
  }
}
