/** What has become of pages as JSON lines: one object a change, every field in every line. */
import type { ChangeEvent } from "../model/event.ts";
import type { Cell } from "./columns.ts";

interface Field {
  readonly name: string;
  readonly says: string;
  readonly of: (event: ChangeEvent) => Cell;
}

const date = (at: number): string => new Date(at).toISOString();

export const changeFields = [
  {
    name: "event",
    says: "new, changed, gone (404, 410), moved (led to another URL), denied (by robots.txt), or back after any of these",
    of: (e) => e.kind,
  },
  { name: "id", says: "number of the URL in the crawl", of: (e) => e.urlId },
  { name: "url", says: "the URL as it was asked for", of: (e) => e.href },
  { name: "at", says: "when the visit began that found it so (ISO 8601, UTC)", of: (e) => date(e.at) },
  {
    name: "seen_before",
    says: "when its content was seen before; null when it never was",
    of: (e) => (e.seenAt === null ? null : date(e.seenAt)),
  },
  { name: "status", says: "HTTP status; null when nothing was asked", of: (e) => e.status },
  {
    name: "distance",
    says: "bits of the SimHash that differ from those at its last change; null where texts were not compared",
    of: (e) => e.distance,
  },
  { name: "digest", says: "sha1:BASE32 of the body now; null when there is none", of: (e) => e.digest },
  { name: "digest_before", says: "that of the body seen before", of: (e) => e.digestBefore },
  { name: "redirect_to", says: "of one that moved, where to", of: (e) => e.to },
] as const satisfies readonly Field[];

/** One line with its line feed. */
export function changeLine(event: ChangeEvent): string {
  return `${JSON.stringify(Object.fromEntries(changeFields.map(({ name, of }) => [name, of(event)])))}\n`;
}
