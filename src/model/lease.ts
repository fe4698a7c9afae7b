/** A lease: one URL, handed out to be visited, by a host that is due. */
import type { Instant } from "../base/clock.ts";
import type { EndReason } from "./end.ts";
import type { HostKey } from "./host.ts";
import type { UrlSource } from "./link.ts";
import type { VisitRecord } from "./record.ts";
import type { Href } from "./url.ts";

export interface LeasedUrl {
  /** Unique in the crawl, positive, grows with admission. */
  readonly id: number;
  readonly href: Href;
  readonly host: HostKey;
  readonly depth: number;
  readonly hops: number;
  readonly via: number;
  readonly source: UrlSource;
  readonly priority: number;
  readonly admittedAt: Instant;
}

/** How long a lease is good for, in ms, unless a back end is told otherwise. */
export const LEASE_MS = 600_000;

export interface Lease {
  /** Unique among all leases of the crawl; what ends a lease must show it. */
  readonly token: number;
  readonly url: LeasedUrl;
  /** 1 for the first visit, and again for the first of each time that it comes back. */
  readonly attempt: number;
  readonly expiresAt: Instant;
  /** That of its host when it was leased. */
  readonly tier: number;
  /** Of a URL that comes back, the latest record with which it has ended; null for one that has never ended. */
  readonly previous: VisitRecord | null;
  /** The cash that the URL had been given by then (`dedup/cash-levels`): 1 is a seed's. 0 where none is kept. */
  readonly importance: number;
  /** Others have had leases on its host since this crawler had one: what is remembered of the host may be old. */
  readonly hostMoved?: boolean;
}

/** What becomes of the leased URL. */
export type Verdict =
  /**
   * It has ended, for good in this crawl. `dropped`: before anything was asked, by a rule that the next run may not have:
   * it counts as dropped on admission.
   */
  | { readonly kind: "end"; readonly end: EndReason; readonly detail?: string; readonly dropped?: true }
  /** It failed in a way that may pass: back in the queue, not before `at`, one attempt older. */
  | { readonly kind: "retry"; readonly at: Instant; readonly reason: EndReason }
  /** It was not asked for (the turn went to robots.txt, or the address was not due): back at the head, no older. */
  | { readonly kind: "again" }
  /** A redirect to its own key: back at the head under the new fetch form. */
  | { readonly kind: "follow"; readonly href: Href; readonly hops: number };

/** `hostReadyAt` is all that the frontier knows of politeness: policy computes it, the frontier compares it with the clock. */
export interface Settlement {
  readonly lease: Lease;
  readonly verdict: Verdict;
  readonly hostReadyAt: Instant;
  /** The host's tier from now on; left out, it stays what it is. */
  readonly hostTier?: number | undefined;
}
