/** What sitemaps and feeds say of when a URL changes. */
import type { Instant } from "../base/clock.ts";

/** The words of sitemaps.org 0.9, the most frequent first. */
export const CHANGE_FREQUENCIES = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"] as const;

export type ChangeFrequency = (typeof CHANGE_FREQUENCIES)[number];

/** What was said last of one URL. */
export interface Listed {
  /** When it changed last; the start of the day (UTC) where only a day was given. */
  readonly lastmod: Instant | null;
  readonly changefreq: ChangeFrequency | null;
}

/** Looks at pages again, what they found and what was to be expected. May be fractions: what is long ago counts less. */
export interface LookCounts {
  readonly looks: number;
  /** Of these, those that found a change. */
  readonly found: number;
  /** As many would have, by the rates of the pages alone. */
  readonly expected: number;
}

/** How a host's dates have stood the test: all looks at pages that had one, and of these those that it called for. */
export interface HintTrust {
  readonly all: LookCounts;
  readonly called: LookCounts;
}

/**
 * What one document says of many, packed to cross threads: LISTED_WORDS words each. The two of the URL's fingerprint, the
 * lastmod in seconds (0: none), the change frequency (0: none, else its place in the list, from 1).
 */
export type ListedWords = Uint32Array;

export const LISTED_WORDS = 4;

export function listedAt(words: ListedWords, at: number): Listed {
  const seconds = words[at + 2]!;
  return {
    lastmod: seconds === 0 ? null : seconds * 1000,
    changefreq: CHANGE_FREQUENCIES[words[at + 3]! - 1] ?? null,
  };
}

/** The third and the fourth word. */
export function listedWords({ lastmod, changefreq }: Listed): readonly [number, number] {
  return [
    lastmod === null ? 0 : Math.floor(lastmod / 1000),
    changefreq === null ? 0 : CHANGE_FREQUENCIES.indexOf(changefreq) + 1,
  ];
}
