/** The captures of a URL: from the state, or from the index of an archive that has none. */
import { join } from "node:path";
import type { Instant } from "../../base/clock.ts";
import { hashText } from "../../base/hash.ts";
import type { Capture, Locator } from "../../model/capture.ts";
import type { ParsedUrl } from "../../model/url.ts";
import { urlKey } from "../../policy/url-key.ts";
import type { ReadOnlyState } from "../../store/embedded/read-only.ts";
import { lookUp } from "../../warc/cdxj-lookup.ts";
import { INDEX_FILE } from "../dir/index-file.ts";
import { END_WORDS } from "./summary.ts";

export interface Captured {
  readonly at: Instant;
  readonly place: Locator;
}

export interface Found {
  /** In fetch form. */
  readonly url: string;
  /** In order of time. */
  readonly captures: readonly Captured[];
  /** Why there are none, when there are none. */
  readonly why: string;
}

export function capturesInState(state: ReadOnlyState, { href, host, parts }: ParsedUrl): Found {
  const [hi, lo] = hashText(urlKey(parts));
  const record = state.find(hi, lo);
  if (record === null) {
    const copies = parts.pathname === "/robots.txt" ? [...state.robotsCopies()].filter((one) => one.host === host) : [];
    return { url: href, captures: captured(copies), why: "the crawl does not know it" };
  }
  const end = record.visit?.end;
  const words = end === undefined || end === "retry" || end === "follow" ? "" : `, ${END_WORDS[end]}`;
  const why = record.state === "ended" ? `it ended as ${end}${words}` : `it is ${record.state}`;
  return { url: href, captures: captured(state.visitsOf(record.id)), why };
}

function captured(ones: readonly { readonly capture: Capture | null }[]): Captured[] {
  return ones.flatMap(({ capture }) => (capture === null ? [] : { at: capture.at, place: capture.response }));
}

export async function capturesInIndex(dir: string, { href }: ParsedUrl): Promise<Found> {
  const entries = await lookUp(join(dir, INDEX_FILE), href);
  const captures = entries.map(({ at, filename, offset, length }) => ({
    at,
    place: { file: filename, offset, length },
  }));
  return { url: href, captures, why: "it is not in the index" };
}

/** The one nearest to `at`, the earlier of two as near; the latest when no time is asked for. Null when there are none. */
export function nearest(captures: readonly Captured[], at: Instant | null): Captured | null {
  if (at === null) return captures.at(-1) ?? null;
  let best: Captured | null = null;
  for (const one of captures) if (best === null || Math.abs(one.at - at) < Math.abs(best.at - at)) best = one;
  return best;
}
