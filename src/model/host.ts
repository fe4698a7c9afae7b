/** A host is what has one queue, one robots.txt and one clock: scheme, name and port. */
import type { Instant } from "../base/clock.ts";
import type { HintTrust } from "./listed.ts";

/** `scheme://name:port`, the default port left out, the name in lower-case punycode: what `URL.origin` prints. All files are one host, `file://`. */
export type HostKey = string & { readonly __brand: "HostKey" };

export function hostKeyOf(url: URL): HostKey {
  return `${url.protocol}//${url.host}` as HostKey;
}

/** The name in a host key: `http://[::1]:80` -> `[::1]`. */
export function hostnameOf(host: HostKey): string {
  const name = host.slice(host.indexOf("//") + 2);
  const port = name.lastIndexOf(":");
  return port > name.lastIndexOf("]") ? name.slice(0, port) : name;
}

/** Whether it is a host of the web: others have no robots.txt, no address, no cookies. */
export function isWebHost(host: HostKey): boolean {
  return host.startsWith("http");
}

/** What politeness and robots remember of a host. Plain data: it is stored with the commit that changed it. */
export interface HostState {
  readonly host: HostKey;
  /** No request to this host may start before: the later of the two clocks below. */
  readonly readyAt: Instant;
  /** The first clock: end of the last request plus the effective delay. */
  readonly delayUntil: Instant;
  /** The second clock: back-off after 429, 503, refusals and the like. 0 when it does not run. */
  readonly backoffUntil: Instant;
  /** Failures in a row that made the host back off; 0 after a success. */
  readonly backoffSteps: number;
  /** True once the host has answered 429 or 503: adaptive delay is never lowered again in this crawl. */
  readonly slowed: boolean;
  /** Exponentially smoothed response time in ms; 0 before the first answer. */
  readonly smoothedMs: number;
  /** The address last connected to, or null. */
  readonly address: string | null;
  /** For its URLs while they were new; looks at those that came back are not counted, nor robots.txt. */
  readonly requests: number;
  /** Set when the host is given up for this crawl (dead name, nobody listening, robots.txt out of reach): why. */
  readonly dead: HostDeath | null;
  /** What coming back to its pages has told of it; null while none has come back. */
  readonly again: HostAgain | null;
  /** What its pages have brought that were worth nothing (policy/pattern-budget); null: none has. */
  readonly lessons: HostLessons | null;
}

/** What a crawler, or the next run, goes on from; bounded in size. */
export interface HostLessons {
  /** What each pattern might bring at first: by another budget it means nothing. */
  readonly budget: number;
  /** Pages that these have been learnt from: of two that with more is the newer. */
  readonly pages: number;
  /** The id of its first URL; pages that were of use, and that another host had before; which host that was last. */
  readonly first: number;
  readonly useful: number;
  readonly copied: number;
  readonly mirrors: HostKey | null;
  /** By pattern of URLs, those with least credit first: credit, useful, gap, refused, probe. */
  readonly patterns: readonly (readonly [string, number, number, number, number, number])[];
}

export interface HostAgain {
  /** Looks at pages with a validator: those that asked only for what has changed, and those that asked for the whole. */
  readonly conditional: number;
  readonly whole: number;
  /** How much speaks for its saying "not modified" of what has changed (policy/conditional). */
  readonly doubt: number;
  /** It was caught at that: its pages are asked for whole. */
  readonly liar: boolean;
  /** Times that it was given up and asked again. */
  readonly revived: number;
  /** How the dates of its sitemaps and feeds have stood the test; null: no look was called for by one. */
  readonly hints: HintTrust | null;
}

export const NEVER_AGAIN: HostAgain = { conditional: 0, whole: 0, doubt: 0, liar: false, revived: 0, hints: null };

export type HostDeath = "dns" | "connect" | "timeout" | "tls" | "robots-unreachable" | "refused-address";

export function newHostState(host: HostKey): HostState {
  return {
    host,
    readyAt: 0,
    delayUntil: 0,
    backoffUntil: 0,
    backoffSteps: 0,
    slowed: false,
    smoothedMs: 0,
    address: null,
    requests: 0,
    dead: null,
    again: null,
    lessons: null,
  };
}
