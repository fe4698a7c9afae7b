/** What has been recorded, in order: the segments that count, and of those that no crawler has confirmed what was settled. */
import type { Entry, Pointer } from "./entry.ts";
import type { Manifest } from "./manifest.ts";
import type { Segment, Segments } from "./segments.ts";

export interface RecordedParts {
  readonly segments: Segments;
  readonly manifest: Manifest;
  /** Where the newest record of each of these URLs stands; null for one that has none. */
  readonly newest: (urlIds: readonly number[]) => Promise<readonly (Pointer | null)[]>;
}

export interface Recorded {
  readonly at: Pointer;
  readonly entry: Entry;
}

/**
 * Everything recorded, in order of recording. A visit that was written and not settled (its crawler died, or was too late)
 * is none: the URL was visited again. Requests and copies of robots.txt beside it were made all the same.
 * @throws BlobError when a segment that was confirmed is missing or damaged.
 */
export async function* recorded(parts: RecordedParts): AsyncGenerator<Recorded> {
  const { segments, manifest } = parts;
  const { last, open, refused } = await manifest.state();
  let due = 1;
  const missing = (before: number): void => {
    for (; due < before; due++) if (!open.has(due)) throw segments.missing(due);
    due++;
  };
  for await (const segment of segments.all(1, last)) {
    const { ordinal, entries } = segment;
    missing(ordinal);
    const not = open.has(ordinal) ? await unsettled(segment, parts) : refused.get(ordinal);
    for (const [index, entry] of entries.entries())
      if (not?.has(index) !== true) yield { at: { ordinal, index }, entry };
  }
  missing(last + 1);
}

/** Indices of visits that are not in the chain of records that begins at the newest of their URL. */
async function unsettled(
  { ordinal, entries }: Segment,
  { segments, newest }: RecordedParts,
): Promise<ReadonlySet<number>> {
  const visits = [...entries.entries()].flatMap(([index, { kind, value }]) =>
    kind === "visit" ? [{ index, urlId: value.urlId }] : [],
  );
  const latest = await newest(visits.map(({ urlId }) => urlId));
  const not = new Set<number>();
  for (const [nth, { index }] of visits.entries()) {
    let at = latest[nth] ?? null;
    while (at !== null && at.ordinal > ordinal) at = (await segments.read(at)).previous;
    if (at?.ordinal !== ordinal || at.index !== index) not.add(index);
  }
  return not;
}
