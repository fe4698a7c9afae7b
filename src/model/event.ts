/** What has become of a page since it was seen before: told to those who keep something made of it. */
import type { Instant } from "../base/clock.ts";
import type { Href } from "./url.ts";

export const EVENT_KINDS = [
  "new", // seen for the first time
  "changed", // other content than when it changed last
  "gone", // 404, 410, or the page that the host shows for what it has not
  "moved", // led to another URL
  "denied", // robots.txt says no
  "back", // there again after any of these
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

export interface ChangeEvent {
  readonly kind: EventKind;
  readonly urlId: number;
  readonly href: Href;
  /** When the visit began that found it so. */
  readonly at: Instant;
  /** When its content was seen before; null: never. */
  readonly seenAt: Instant | null;
  /** Null where nothing was asked. */
  readonly status: number | null;
  /** Bits of the SimHash that differ from those at its last change; null where texts were not compared. */
  readonly distance: number | null;
  /** `sha1:BASE32` of the content, now (null: there is none) and when it was seen before. */
  readonly digest: string | null;
  readonly digestBefore: string | null;
  /** Of one that moved: where to. */
  readonly to: Href | null;
}
