/** Numbers as people read them: counts, sizes, rates, spans and times of day. */
import type { Instant } from "../base/clock.ts";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** `1,234`. */
export const count = (n: number): string => grouped.format(n);

/** `1 page`, `1,234 pages`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** Decimal units, three digits: `831 B`, `12.4 MB`. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  let value = bytes;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `0.03/s`, `9.8/s`, `1,480/s`; with the name of what is counted `9.8 pages/s`. */
export function rate(perSecond: number, what?: string): string {
  const unit = what === undefined ? "/s" : ` ${what}/s`;
  if (perSecond >= 99.95) return `${count(perSecond)}${unit}`;
  return `${perSecond.toFixed(perSecond < 0.095 && perSecond > 0 ? 2 : 1)}${unit}`;
}

/** `250 ms` below a second, `4.2 s` below ten, then `50 s`, `2m 03s`, `3h 04m`, `5d 06h`. */
export function span(ms: number): string {
  if (ms < 999.5) return `${Math.round(Math.max(ms, 0))} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (n: number): string => String(n).padStart(2, "0");
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** `2026-11-30 12:03:10Z`. */
export const timeInUtc = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}Z`;

/** A line that comes from elsewhere may hold anything, and a terminal obeys control characters; tabs do no harm. */
export const printable = (line: string): string => line.replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, "\ufffd");

/** Local time of day, `12:03:10`; with the date when it is more than half a day away from `now`. */
export function timeOfDay(at: Instant, now: Instant): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (Math.abs(at - now) < 43_200_000) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
