/**
 * What sitemaps and feeds say of changes, and how far it is believed. Many write the time at which the sitemap was made
 * for the time at which the page changed; so a host's dates call for a look of their own only once looks that would have
 * come anyway have shown that a change was found where they said so, more often than without them.
 */
import type { Instant } from "../base/clock.ts";
import type { ChangeFrequency, HintTrust, Listed, LookCounts } from "../model/listed.ts";
import { around, type Belief, bothOf } from "./change-rate.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A clock that is ahead, or local time written as UTC, is no lie. */
const AHEAD_MS = DAY_MS;

/** Fewer dates may be near each other, and near now, by chance. */
const FEWEST_GENERATED = 5;
/** Of dates that were made with the document so many of a hundred are the same, some pages being dated by hand. */
const SAME_PERCENT = 90;
/** A day in the west of the world began, in UTC, so long ago at most. */
const TODAY_MS = 36 * HOUR_MS;

const isDayAlone = (date: Instant): boolean => date % DAY_MS === 0;

/**
 * Which of the dates of one document say anything, at the time when it was read: not those to come, and none at all when
 * nearly all are the time at which the document was made.
 */
export function believable(dates: readonly Instant[], now: Instant): (date: Instant) => boolean {
  const past = (date: Instant) => date <= now + AHEAD_MS;
  return areGenerated(dates.filter(past), now) ? () => false : past;
}

function areGenerated(dates: readonly Instant[], now: Instant): boolean {
  if (dates.length < FEWEST_GENERATED) return false;
  const middle = [...dates].sort((a, b) => a - b)[Math.floor(dates.length / 2)]!;
  if (middle < now - (isDayAlone(middle) ? TODAY_MS : HOUR_MS)) return false;
  const same = dates.filter((date) => Math.abs(date - middle) <= MINUTE_MS).length;
  return same * 100 >= dates.length * SAME_PERCENT;
}

/** The look before: when it was, and what was said of the page then. */
export interface LookBefore {
  readonly seenAt: Instant;
  readonly listed: Listed | null;
}

/**
 * Whether the page is said to have changed since the look before. A day alone may mean its last minute; but what was said
 * already at that look was seen by it.
 */
export function saysChanged({ lastmod }: Listed, { seenAt, listed }: LookBefore): boolean {
  if (lastmod === null || lastmod <= (listed?.lastmod ?? Number.NEGATIVE_INFINITY)) return false;
  return (isDayAlone(lastmod) ? lastmod + DAY_MS : lastmod) > seenAt;
}

const NO_LOOKS: LookCounts = { looks: 0, found: 0, expected: 0 };

/** A host that has been right for years, and no longer is, is found out in some hundred looks. */
const REMEMBERED = 200;

/** A look at a page that had a date. */
export interface DatedLook {
  /** By the date the page had changed since the look before. */
  readonly called: boolean;
  readonly changed: boolean;
  /** That it had, by its own rate and the time since the look before, whatever was said. */
  readonly chance: number;
}

export function afterDated(trust: HintTrust | null, look: DatedLook): HintTrust {
  const { all, called } = trust ?? { all: NO_LOOKS, called: NO_LOOKS };
  const after = { all: counted(all, look), called: look.called ? counted(called, look) : called };
  return after.all.looks < REMEMBERED ? after : { all: halved(after.all), called: halved(after.called) };
}

const counted = ({ looks, found, expected }: LookCounts, { changed, chance }: DatedLook): LookCounts => ({
  looks: looks + 1,
  found: found + Number(changed),
  expected: expected + chance,
});

const halved = ({ looks, found, expected }: LookCounts): LookCounts => ({
  looks: looks / 2,
  found: found / 2,
  expected: expected / 2,
});

/** Fewer looks prove nothing. */
const FEWEST_CALLED = 3;
/** Standard deviations: the question is put again after each look, and a wrong yes costs a visit to every page listed. */
const SURE = 3;

/**
 * Whether what is said calls for a look: the share of such looks that find a change is, by `SURE` standard deviations of
 * the Beta distribution that the counts leave (begun with one look of each kind), above that of the same looks without it.
 * The rates may be wrong for a whole host, as long as it is new: they are held against all its dated looks first. So dates
 * that always call can never be trusted, for there is nothing else to hold them against.
 */
export function isTrusted(trust: HintTrust | null): boolean {
  if (trust === null || trust.called.looks < FEWEST_CALLED) return false;
  const { looks, found, expected } = trust.called;
  const hits = found + 1;
  const misses = looks - found + 1;
  const tried = hits + misses;
  const deviation = Math.sqrt((hits * misses) / (tried * tried * (tried + 1)));
  const { all } = trust;
  const one = all.expected / all.looks; // a look more, as it was expected to be
  const ratesAreOff = (all.found + one) / (all.expected + one);
  return hits / tried - SURE * deviation > (expected / looks) * ratesAreOff;
}

/** How long, by the words of a sitemap, from one change to the next. */
const EVERY_MS: { readonly [F in ChangeFrequency]: number } = {
  always: 10 * MINUTE_MS,
  hourly: HOUR_MS,
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
  monthly: 30 * DAY_MS,
  yearly: 365 * DAY_MS,
  never: 10 * 365 * DAY_MS,
};

/** The words are a generator's setting more often than an observation: as far off as pages of all kinds, nearly. */
const WORD_SPREAD = 2;

/** What is believed of a page before it was looked at twice, with the word of a sitemap. */
export const priorWith = (changefreq: ChangeFrequency | null, prior: Belief): Belief =>
  changefreq === null ? prior : bothOf(prior, around(1 / EVERY_MS[changefreq], WORD_SPREAD));
