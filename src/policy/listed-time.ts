/** Reads what sitemaps and feeds say of changes, as they write it. */
import type { Instant } from "../base/clock.ts";
import { CHANGE_FREQUENCIES, type ChangeFrequency } from "../model/listed.ts";

/** W3C date and time (the profile of ISO 8601 that sitemaps and Atom use), also with a blank for the T, or without a zone. */
const W3C = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)\s?(Z|[+-]\d\d:?\d\d)?)?$/i;
/** RFC 822 as RSS has it: "Mon, 30 Nov 2026 12:00:00 GMT". */
const RFC_822 =
  /^(?:[a-z]{3,9},?\s+)?\d{1,2}\s+[a-z]{3,9}\s+\d{2,4}\s+\d{1,2}:\d\d(?::\d\d)?(\s+(?:[a-z]{1,4}|[+-]\d{4}))?$/i;

/** Before the Web nothing on it changed. */
const EARLIEST = Date.UTC(1990, 0, 1);
/** Seconds are kept in 32 bits. */
const LATEST = (2 ** 32 - 1) * 1000;

/** The start of the day, in UTC, where there is only a day; null where it is no date, or only a month or a year. */
export function lastmodOf(text: string): Instant | null {
  const written = text.trim();
  const at = timeOf(written);
  return at >= EARLIEST && at <= LATEST ? at : null;
}

/** NaN when it is none. */
function timeOf(text: string): number {
  const w3c = W3C.exec(text);
  if (w3c !== null) {
    const [, day, time = "00:00", zone = "Z"] = w3c;
    return Date.parse(`${day}T${time.replace(",", ".")}${zone.replace(/^(...)(\d\d)$/, "$1:$2").toUpperCase()}`);
  }
  const mail = RFC_822.exec(text);
  if (mail === null) return Number.NaN;
  // A date without a zone would be taken for local time, and mean another time on each machine.
  return Date.parse(mail[1] === undefined ? `${text} GMT` : text);
}

/** Null when it is none of the words. */
export function changeFrequencyOf(text: string): ChangeFrequency | null {
  const word = text.trim().toLowerCase();
  return CHANGE_FREQUENCIES.find((one) => one === word) ?? null;
}
