/** Dates in URLs that no calendar has anything to say of: a calendar that always has one more month is a trap. */
import type { Instant } from "../base/clock.ts";

/** Months and days announced ahead are honest for so many years. */
const YEARS_AHEAD = 2;
/** Where nothing says that it is a calendar, or where a year stands alone: plans and projections look further ahead. */
const YEARS_AHEAD_ELSEWHERE = 10;
/** Numbers beyond are ids; a calendar that marches comes through the years between. */
const EARLIEST = 1_800;
const LATEST = 2_400;
/** Of what is named a calendar: long before the web. An archive of newspapers has another name. */
const FIRST_YEAR = 1970;
const MS_A_YEAR = 31_556_952_000;

const MONTH = "(?:0[1-9]|1[0-2])";
const DAY = "(?:0[1-9]|[12]\\d|3[01])";
const YEAR = "(?<![\\d.])([1-9]\\d{3})";

/** `2031/05`, `2031-10-06`: as calendars write them. `/2031/10` may be the tenth page of a thread, `2031-05` a part number. */
const WRITTEN = new RegExp(`${YEAR}(?:([-/_])${MONTH}\\2${DAY}|/0[1-9])(?!\\d)`, "g");
/** `2031-05` too, among events. */
const OF_EVENTS = new RegExp(`${YEAR}(?:([-/_])${MONTH}\\2${DAY}|[-/_]0[1-9])(?!\\d)`, "g");
/** `2031/5`, where it is called a calendar; `/4711/5-km-run` is an event by its id. */
const LOOSE = new RegExp(`${YEAR}[-/_](?:0?[1-9]|1[0-2])(?:[-/_](?:0?[1-9]|[12]\\d|3[01]))?(?=[/?&;.]|$)`, "g");
/** `date=2031-10`, `date=20311006`. */
const DATED = new RegExp(
  `[?&](?:tribe-bar-)?(?:start_?)?(?:date|day|month|week|datum|monat|mois|cal)=([1-9]\\d{3})(?:[-/_.]?${MONTH}(?:[-/_.]?${DAY})?)(?!\\d)`,
  "gi",
);
/** `year=2031` */
const NAMED = /[?&](?:year|yr|jahr|annee|anno)=([1-9]\d{3})(?!\d)/gi;
const WITH_MONTH = /[?&](?:month|mon|monat|mois|mes|week|day)=\d/i;
const IS_CALENDAR = /(?:^|[^a-z])(?:calendar|kalender|calendrier|calendario|datepicker)(?![a-z])/i;
const HAS_EVENTS = /(?:^|[^a-z])(?:events?|agenda|termine|schedule|cal)(?![a-z])/i;

/** Whether no number in the text could be such a year: known by one walk, of most URLs. Numbers of 6 and 8 digits may be dates. */
function hasNoFarYear(text: string, now: Instant): boolean {
  const soon = yearOf(now) + YEARS_AHEAD;
  let digits = 0;
  let value = 0;
  for (let at = 0; at <= text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30; // NaN at the end
    if (digit >= 0 && digit <= 9) {
      digits++;
      value = value * 10 + digit;
    } else if (digits !== 0) {
      if (digits === 4 ? value < FIRST_YEAR || value > soon : digits === 6 || digits === 8) return false;
      digits = 0;
      value = 0;
    }
  }
  return true;
}

const yearOf = (now: Instant): number => 1970 + Math.floor(now / MS_A_YEAR);

/** The date that marches beyond the plausible, or null. `target`: path and query. */
export function calendarMarch(target: string, now: Instant): string | null {
  if (hasNoFarYear(target, now)) return null;
  const year = yearOf(now);
  const soon = year + YEARS_AHEAD;
  const late = year + YEARS_AHEAD_ELSEWHERE;
  const inPath = IS_CALENDAR.test(target)
    ? beyond(LOOSE, target, FIRST_YEAR, soon, EARLIEST, LATEST)
    : HAS_EVENTS.test(target)
      ? beyond(OF_EVENTS, target, 0, soon, 0, LATEST)
      : beyond(WRITTEN, target, 0, late, 0, LATEST);
  if (inPath !== null || !target.includes("?")) return inPath;
  return beyond(DATED, target, 0, soon) ?? beyond(NAMED, target, 0, WITH_MONTH.test(target) ? soon : late);
}

/** The first date of the form whose year is before `first` but not before `least`, or after `last` but not after `most`. */
function beyond(
  form: RegExp,
  target: string,
  first: number,
  last: number,
  least = 0,
  most = Number.POSITIVE_INFINITY,
): string | null {
  form.lastIndex = 0;
  for (let found = form.exec(target); found !== null; found = form.exec(target)) {
    const year = Number(found[1]);
    if ((year < first && year >= least) || (year > last && year <= most)) return found[0].replace(/^[?&]/, "");
  }
  return null;
}
