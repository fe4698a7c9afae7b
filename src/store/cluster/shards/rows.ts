/** What of a URL's row the client alone reads, as one line of text; and how an end is written, in one letter. */
import type { Instant } from "../../../base/clock.ts";
import type { EndReason } from "../../../model/end.ts";
import type { HostKey } from "../../../model/host.ts";
import type { LeasedUrl } from "../../../model/lease.ts";
import type { NewUrl, UrlSource } from "../../../model/link.ts";
import type { Href } from "../../../model/url.ts";

/** Kept for ever: letters may be added, never changed. */
const END_LETTERS = {
  scope: "a",
  trap: "b",
  depth: "c",
  budget: "d",
  "too-long": "e",
  robots: "f",
  "refused-address": "g",
  fetched: "h",
  sitemap: "i",
  "not-modified": "j",
  redirected: "k",
  "redirect-loop": "l",
  "soft-404": "m",
  "duplicate-of": "n",
  "http-4xx": "o",
  "http-5xx": "p",
  "http-other": "q",
  dns: "r",
  connect: "s",
  tls: "t",
  timeout: "u",
  closed: "v",
  protocol: "w",
  "robots-unreachable": "x",
  "unsupported-type": "y",
  "payment-required": "z",
  "blocked-challenge": "A",
} as const satisfies Record<EndReason, string>;

const SOURCE_LETTERS = {
  seed: "a",
  added: "b",
  link: "c",
  embed: "d",
  redirect: "e",
  sitemap: "f",
  listed: "g",
  imported: "h",
} as const satisfies Record<UrlSource, string>;

const turned = <K extends string>(letters: Record<K, string>): ReadonlyMap<string, K> =>
  new Map(Object.entries(letters).map(([name, letter]) => [letter as string, name as K]));

const ENDS = turned<EndReason>(END_LETTERS);
const SOURCES = turned<UrlSource>(SOURCE_LETTERS);

export const endLetter = (end: EndReason): string => END_LETTERS[end];
export const endOf = (letter: string): EndReason => ENDS.get(letter)!;

const RADIX = 36;

/** A time of whole milliseconds is short. */
const timeText = (at: Instant): string => (Number.isInteger(at) ? at.toString(RADIX) : `=${at}`);
const timeOf = (text: string): Instant => (text.startsWith("=") ? Number(text.slice(1)) : Number.parseInt(text, RADIX));

/** A URL without its host's part, which nearly all begin with. URLs have no tabs and no line ends: parsing removes them. */
export function tailOf(
  { priority, via, depth, hops, source, href, host }: Omit<NewUrl, "fpHi" | "fpLo">,
  admittedAt: Instant,
): string {
  const path = href.startsWith(`${host}/`) ? href.slice(host.length) : href;
  const numbers = [via.toString(RADIX), depth, hops, timeText(admittedAt)].join("\t");
  return `${priority}${SOURCE_LETTERS[source]}${numbers}\t${path}`;
}

/** `detail`: what a recorded drop has behind the path. */
export interface KeptUrl extends LeasedUrl {
  readonly detail: string | null;
}

export function urlOf(id: number, host: HostKey, tail: string): KeptUrl {
  const [via, depth, hops, admittedAt, path, detail] = tail.slice(2).split("\t");
  return {
    id,
    href: (path!.startsWith("/") ? host + path : path) as Href,
    host,
    depth: Number(depth),
    hops: Number(hops),
    via: Number.parseInt(via!, RADIX),
    source: SOURCES.get(tail[1]!)!,
    priority: Number(tail[0]),
    admittedAt: timeOf(admittedAt!),
    detail: detail ?? null,
  };
}
