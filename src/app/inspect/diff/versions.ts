/** The versions of a URL in the archive, and which two of them are to be compared. */
import type { Instant } from "../../../base/clock.ts";
import { distance, parseSimhash } from "../../../dedup/simhash.ts";
import { document } from "../../../media/document.ts";
import type { Href } from "../../../model/url.ts";
import { contentCodings, decodeBody } from "../../../net/decode.ts";
import { sniffAnswer } from "../../../policy/media-type.ts";
import type { Readable } from "../../../ports/media-handler.ts";
import { MOST_BODY_BYTES, MOST_RATIO } from "../../dir/answers.ts";
import type { CrawlArchive } from "../../dir/crawl-archive.ts";
import { simhashOf } from "../../page-content.ts";
import { type Captured, type CaptureRead, type Found, nearest } from "../find-captures.ts";

export interface Version extends Omit<Captured, "read"> {
  /** From 1, in order of time. */
  readonly n: number;
  /** Null when its body is not to be found. */
  readonly read: CaptureRead | null;
  /** Of the SimHashes, from the version before, in bits; null where one of the two has none. */
  readonly distance: number | null;
}

/** What only the archive can tell is read from there, once for each content; what says no more than that nothing had changed is what it was before. */
export async function versionsOf({ url, captures }: Found, archive: CrawlArchive): Promise<Version[]> {
  const known = new Map<string, CaptureRead>();
  const versions: Version[] = [];
  for (const one of captures) {
    const read = known.get(one.digest) ?? one.read ?? (await readOf(one, url, archive));
    if (read?.mediaType != null) known.set(one.digest, read);
    const before = versions.at(-1)?.read ?? null;
    versions.push({ ...one, n: versions.length + 1, read, distance: distanceOf(before, read) });
  }
  return versions;
}

function distanceOf(before: CaptureRead | null, after: CaptureRead | null): number | null {
  if (before?.simhash == null || after?.simhash == null) return null;
  return distance(parseSimhash(before.simhash), parseSimhash(after.simhash));
}

async function readOf(one: Captured, url: string, archive: CrawlArchive): Promise<CaptureRead | null> {
  const found = await documentOf(one, url, archive);
  if (found === null) return null;
  const { bytes, readable } = found;
  // What a reader cannot read has no SimHash, as when it was fetched.
  const simhash = await simhashOf(readable).catch(() => null);
  return { bytes, mediaType: readable.mediaType, simhash };
}

/** A version as it was read when it was fetched; `bytes` long in the archive. Null when its body is not to be found. */
export async function documentOf(
  { place, body, read }: Captured | Version,
  url: string,
  archive: CrawlArchive,
): Promise<{ readonly bytes: number; readonly readable: Readable } | null> {
  if (body === null) return null;
  const { rawHeaders, warcHeaders, body: archived } = await archive.answer(place, body);
  const whole = !warcHeaders.some((name, i) => i % 2 === 0 && name.toLowerCase() === "warc-truncated");
  const limits = { maxBytes: MOST_BODY_BYTES, maxRatio: MOST_RATIO };
  const { bytes, error } = await decodeBody(archived, contentCodings(rawHeaders), whole, limits);
  const mediaType = read?.mediaType ?? sniffAnswer(rawHeaders, bytes);
  const readable = document(url as Href, mediaType, bytes, !whole || error !== null, rawHeaders);
  return { bytes: archived.length, readable };
}

/** Asked for by its number in the list, or by a time: then the nearest. */
export type Which = { readonly n: number } | { readonly at: Instant };

export type Pair = { readonly from: Version; readonly to: Version };

/**
 * The two to compare; what is left open is the latest change: pages that were there, one after the other, that are not
 * the same. A sentence when there are no such two.
 */
export function pairOf(versions: readonly Version[], from: Which | null, to: Which | null): Pair | string {
  const chosen = { from: pick(versions, from), to: pick(versions, to) };
  for (const [which, version] of [[from, chosen.from] as const, [to, chosen.to] as const])
    if (which !== null && version === null)
      return `there is no version ${"n" in which ? which.n : ""}; there are ${versions.length}`;
  const pages = versions.filter(({ status, body }) => (status < 300 || status === 304) && body !== null);
  const known = pages.length > 1 ? pages : versions;
  const last = chosen.to ?? (chosen.from === null ? latestChange(known) : known.at(-1)!);
  if (last === null) return versions.length === 1 ? "there is but one version" : "all versions are the same";
  if (chosen.from !== null) return { from: chosen.from, to: last };
  const before = known.findLast(({ n, digest }) => n < last.n && digest !== last.digest);
  return before === undefined ? `no version before ${last.n} differs from it` : { from: before, to: last };
}

const pick = (versions: readonly Version[], which: Which | null): Version | null =>
  which === null ? null : "n" in which ? (versions[which.n - 1] ?? null) : nearest(versions, which.at);

function latestChange(versions: readonly Version[]): Version | null {
  return versions.findLast(({ digest }, i) => i > 0 && digest !== versions[i - 1]!.digest) ?? null;
}
