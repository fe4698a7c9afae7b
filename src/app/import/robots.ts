/** The copies of robots.txt that an archive holds: kept as a crawl keeps its own, and which one was in force when. */
import type { Instant } from "../../base/clock.ts";
import { answerOf } from "../../crawl/visit.ts";
import type { Locator } from "../../model/capture.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import { accessOf, robotsExpiry } from "../../policy/robots-access.ts";
import type { Backend } from "../../ports/frontier.ts";
import type { WarcRecord } from "../../warc/reader.ts";
import { payloadDigest, targetOf } from "../../warc/record-facts.ts";
import type { PlannedCapture } from "./plan.ts";
import { type ReadLimits, responseOf } from "./record.ts";

export interface CopiesContext {
  readonly backend: Backend;
  /** The record at a place of the archive. */
  readonly recordAt: (place: Locator) => Promise<WarcRecord>;
  readonly limits: ReadLimits;
}

export class RobotsCopies {
  readonly #context: CopiesContext;
  /** By host, in order of time. */
  readonly #copies = new Map<string, { readonly id: number; readonly at: Instant }[]>();

  constructor(context: CopiesContext) {
    this.#context = context;
  }

  /** All copies of a host come together and by time. How many were taken, and how many had been here before. */
  async take(captures: readonly PlannedCapture[]): Promise<{ readonly taken: number; readonly known: number }> {
    const { backend, limits } = this.#context;
    const copies: RobotsCopy[] = [];
    for (const capture of captures) {
      const record = await this.#context.recordAt(capture.place);
      const url = targetOf(record.fields)!;
      const response = await responseOf(record, url, capture, null, limits);
      if (response === null || (response.status >= 300 && response.status < 400)) continue; // the last hop is the answer
      const { status, endedAt } = response;
      const access = accessOf({ kind: "answer", status });
      copies.push({
        ...{ id: 0, host: url.host, fetchedAt: endedAt, access, status, failure: null, href: url.href },
        expiresAt: robotsExpiry(access, endedAt, null),
        body: access === "rules" ? (answerOf(response, { task: "robots", held: null }).robotsBody ?? "") : "",
        capture: {
          response: capture.place,
          at: response.startedAt,
          digest: payloadDigest(record) ?? "",
          truncated: response.truncated,
        },
      });
    }
    // What is not newer than the newest known one has been here before.
    const fresh: RobotsCopy[] = [];
    for (const copy of copies) {
      const newest = await backend.robots(copy.host);
      if (newest === null || newest.fetchedAt < copy.fetchedAt) fresh.push(copy);
      else this.#copies.set(copy.host, [{ id: newest.id, at: newest.fetchedAt }]);
    }
    const counts = { taken: fresh.length, known: copies.length - fresh.length };
    if (fresh.length === 0) return counts;
    const { robotsIds } = await backend.commit({ settled: [], hosts: [], robots: fresh, marks: [] });
    for (const [nth, { host, fetchedAt }] of fresh.entries()) {
      const copiesOf = this.#copies.get(host) ?? [];
      copiesOf.push({ id: robotsIds[nth]!, at: fetchedAt });
      this.#copies.set(host, copiesOf);
    }
    return counts;
  }

  /** The copy in force: the newest that was there at the time. */
  at(host: string, at: Instant): number {
    return this.#copies.get(host)?.findLast((copy) => copy.at <= at)?.id ?? 0;
  }
}
