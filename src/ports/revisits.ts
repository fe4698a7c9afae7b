/**
 * Coming back: when URLs that have ended are due again, and how they are queued again. Part of what a back end promises
 * (`test/conformance`), numbered on from ports/frontier.ts.
 *
 * 9. A URL that has ended, and was not dropped on admission, may be queued again, in any class: behind what waits there
 *    then, before what comes later. From then on it is pending like any other, and no longer counted among the ends. Its
 *    attempts begin at 1, its lease carries the record with which it ended last, and a verdict that would drop it ends
 *    it. After a restart it waits in that class and place again, until it ends. It is given cash like any other, and not on a short list (promise 8).
 * 10. A URL that has ended may have a time at which it is due again. It is given by the end itself, in its transaction,
 *    or later; queueing the URL again takes it away. Where crawlers share the URLs, `due` and `nextDueAt` speak of those
 *    that this one looks after, `rests` of all.
 */
import type { Instant } from "../base/clock.ts";

/** A URL that is to be visited again, and when. */
export interface Due {
  /** Of the URL. */
  readonly id: number;
  readonly dueAt: Instant;
}

export interface Revisits {
  /** Queues URLs again, in order; the number of those queued. What has not ended, was dropped or is unknown is passed over. */
  revisit(urls: readonly { readonly id: number; readonly priority: number }[]): Promise<number>;
  /** Sets the times at which URLs are due, or takes them away (null). What has not ended, was dropped or is unknown is passed over. */
  schedule(urls: readonly { readonly id: number; readonly dueAt: Instant | null }[]): Promise<void>;
  /** Up to `max` URLs that are due by `until`, the earliest first, of equals the one admitted first. */
  due(until: Instant, max: number): Promise<readonly Due[]>;
  /** When the first is due; null when none ever is. */
  nextDueAt(): Promise<Instant | null>;
  /** Whether nothing is pending, and nothing due by then: in one look, so that what is queued meanwhile is not missed. */
  rests(until: Instant): Promise<boolean>;
}
