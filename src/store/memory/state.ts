/** What of the reference store survives closing: plain maps. Two backends opened on one after the other are a restart. */
import type { Instant } from "../../base/clock.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import type { NewUrl } from "../../model/link.ts";
import type { VisitRecord } from "../../model/record.ts";
import type { RequestRecord } from "../../model/request.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";

export interface MemoryUrl {
  readonly id: number;
  /** As it was admitted; `href` and `hops` change when a redirect to its own key is followed. */
  readonly url: NewUrl;
  readonly admittedAt: Instant;
  /** Null while it is pending. */
  end: EndReason | null;
  /** Grows as URLs are queued: that of its admission, or of the last time that it came back. */
  place: number;
  /** The class that it was queued in then. */
  priority: number;
  /** Of one that comes back: the record with which it had ended. */
  previous: VisitRecord | null;
  /** When it is to be visited again. */
  dueAt: Instant | null;
  /** Ended without having been asked for, by a rule. */
  dropped: boolean;
  /** The latest recorded visit. */
  visit: VisitRecord | null;
  /** Of the cash that it was given. */
  level: number;
}

export interface MemoryRetry {
  readonly attempt: number;
  readonly at: Instant;
}

export class MemoryState {
  /** By id; ids grow with admission; that of a drop which was undone is gone. */
  readonly urls = new Map<number, MemoryUrl>();
  /** Ids by fingerprint. */
  readonly ids = new Map<string, number>();
  readonly visits: VisitRecord[] = [];
  /** Every host known, in order of becoming known, with the time before which it gives no lease. */
  readonly hosts = new Map<HostKey, Instant>();
  readonly hostStates = new Map<HostKey, HostState>();
  /** URLs that were put off and have not ended. */
  readonly retries = new Map<number, MemoryRetry>();
  readonly robots: RobotsCopy[] = [];
  /** Those that are no visits. */
  readonly requests: RequestRecord[] = [];
  readonly marks = new Map<string, number>();
  readonly facts = new Map<string, string>();
  /** The id of the URL admitted last. */
  lastId = 0;
  /** The place given last. */
  lastPlace = 0;
  /** The token of the last lease given. */
  lastToken = 0;

  static fingerprint(hi: number, lo: number): string {
    return `${hi}:${lo}`;
  }
}
