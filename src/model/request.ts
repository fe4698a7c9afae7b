/** Requests as politeness counts them: who was asked, at which address, from when to when. */
import type { Instant } from "../base/clock.ts";
import type { HostKey } from "./host.ts";
import type { Href } from "./url.ts";

/** One request that was made, whatever for. */
export interface RequestRecord {
  /** Who was asked: with robots.txt that was redirected, the host of that hop. */
  readonly host: HostKey;
  readonly href: Href;
  readonly address: string;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  /** Null when there was no answer. */
  readonly status: number | null;
}
