/** What the tables alone answer, to the writer as to a reader beside it. */
import type { Instant } from "../../base/clock.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey } from "../../model/host.ts";
import type { KnownContent, VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { Href } from "../../model/url.ts";
import type { Due } from "../../ports/revisits.ts";
import type { Queries } from "./queries.ts";

export class Stored {
  /** Set by the constructor of whoever extends this. */
  protected queries!: Queries;

  robots(host: HostKey): RobotsCopy | null {
    return this.queries.robots(host);
  }

  robotsReached(host: HostKey): RobotsCopy | null {
    return this.queries.robotsReached(host);
  }

  async due(until: Instant, max: number): Promise<readonly Due[]> {
    return this.queries.due(until, max);
  }

  async nextDueAt(): Promise<Instant | null> {
    return this.queries.nextDueAt();
  }

  visitsOf(urlId: number): readonly VisitRecord[] {
    return this.queries.visitsOf(urlId);
  }

  captures(): IterableIterator<VisitRecord> {
    return this.queries.captures();
  }

  contents(): IterableIterator<KnownContent> {
    return this.queries.contents();
  }

  requests(): IterableIterator<RequestRecord> {
    return this.queries.requests();
  }

  endedAs(end: EndReason): IterableIterator<{ href: Href; detail: string | null }> {
    return this.queries.endedAs(end);
  }

  marks(): ReadonlyMap<string, number> {
    return this.queries.marks();
  }

  fact(name: string): string | null {
    return this.queries.fact(name);
  }

  robotsCopies(): IterableIterator<RobotsCopy> {
    return this.queries.robotsCopies();
  }
}
