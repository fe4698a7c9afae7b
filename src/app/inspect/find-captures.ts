/** The captures of a URL: from the state, or from the index of an archive that has none. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../../base/clock.ts";
import { hashText } from "../../base/hash.ts";
import type { Capture, Locator } from "../../model/capture.ts";
import type { EndReason } from "../../model/end.ts";
import { header } from "../../model/fetch-result.ts";
import type { ParsedUrl } from "../../model/url.ts";
import { urlKey } from "../../policy/url-key.ts";
import type { ReadOnlyState } from "../../ports/read-only.ts";
import { type CdxEntry, REVISIT_MIME } from "../../warc/cdxj.ts";
import { lookUp } from "../../warc/cdxj-lookup.ts";
import { bodyPlace } from "../dir/bodies.ts";
import type { CrawlArchive } from "../dir/crawl-archive.ts";
import { mustHoldCrawl } from "../dir/crawl-dir.ts";
import { INDEX_FILE } from "../dir/index-file.ts";
import type { Remains } from "../place/view.ts";
import { END_WORDS } from "./summary.ts";

export interface Captured {
  readonly at: Instant;
  readonly place: Locator;
  /** Of the record that holds the body; null when it is another one, and not to be found. */
  readonly body: Locator | null;
  readonly status: number;
  /** Of the payload. */
  readonly digest: string;
  /** What was found when it was fetched; undefined where only the archive can tell. */
  readonly read?: CaptureRead;
}

export interface CaptureRead {
  /** As received. */
  readonly bytes: number;
  /** After sniffing; null when it was not read. */
  readonly mediaType: string | null;
  readonly simhash: string | null;
}

export interface Found {
  /** In fetch form. */
  readonly url: string;
  /** In order of time. */
  readonly captures: readonly Captured[];
  /** Why there are none, when there are none. */
  readonly why: string;
}

/** By the state, or, where it is lost, by the index. Throws a `UsageError` when that is lost too. */
export async function findCaptures(crawl: Remains, url: ParsedUrl): Promise<Found> {
  if (crawl.state !== null) return capturesInState(crawl.state, url);
  const dir = crawl.dir!; // only what is in a directory can be there without its state
  const index = join(dir, INDEX_FILE);
  if (!existsSync(index)) await mustHoldCrawl(dir);
  return capturesInIndex(index, crawl.archive, url);
}

async function capturesInState(state: ReadOnlyState, { href, host, parts }: ParsedUrl): Promise<Found> {
  const [fpHi, fpLo] = hashText(urlKey(parts));
  const record = await state.find({ host, fpHi, fpLo });
  if (record === null) {
    const copies =
      parts.pathname === "/robots.txt"
        ? (await Array.fromAsync(state.robotsCopies())).filter((one) => one.host === host)
        : [];
    const captures: Captured[] = [];
    for (const { capture, status } of copies) captures.push(...(await captured(capture, status, state)));
    return { url: href, captures, why: "the crawl does not know it" };
  }
  const end = record.visit?.end;
  const words = end === undefined || end === "retry" || end === "follow" ? "" : `, ${END_WORDS[end]}`;
  const why = record.state === "ended" ? `it ended as ${end}${words}` : `it is ${record.state}`;
  const captures: Captured[] = [];
  for (const { capture, status, bytes, end, page } of await state.visitsOf(record.id)) {
    // The row of a look that found no content carries on the page that was there before.
    const own = CONTENT.has(end) ? page : null;
    const read = { bytes, mediaType: own?.mediaType ?? null, simhash: own?.simhash ?? null };
    for (const one of await captured(capture, status, state)) captures.push({ ...one, read });
  }
  captures.sort((one, other) => one.at - other.at); // a later import may have brought older ones
  return { url: href, captures, why };
}

const CONTENT: ReadonlySet<string> = new Set<EndReason>(["fetched", "sitemap", "not-modified"]);

async function captured(capture: Capture | null, status: number | null, state: ReadOnlyState): Promise<Captured[]> {
  if (capture === null) return [];
  const { at, response, digest } = capture;
  return [{ at, place: response, body: await bodyPlace(capture, state), status: status ?? 0, digest }];
}

async function capturesInIndex(index: string, archive: CrawlArchive, { href }: ParsedUrl): Promise<Found> {
  const entries = await lookUp(index, href);
  const captures: Captured[] = [];
  for (const entry of entries) {
    const place = placeOf(entry);
    const body = isRevisit(entry) ? await originalPlace(index, archive, place) : place;
    captures.push({ at: entry.at, place, body, status: entry.status, digest: entry.digest });
  }
  return { url: href, captures, why: "it is not in the index" };
}

const placeOf = ({ filename, offset, length }: CdxEntry): Locator => ({ file: filename, offset, length });

const isRevisit = ({ mime }: CdxEntry): boolean => mime === REVISIT_MIME;

/** What the revisit at `place` refers to, by the index: of that URL, with that digest, and of that time if there is one. */
async function originalPlace(index: string, archive: CrawlArchive, place: Locator): Promise<Locator | null> {
  const { warcHeaders } = await archive.at(place);
  const field = (name: string) => header(warcHeaders, name);
  const target = field("warc-refers-to-target-uri");
  if (target === null) return null;
  const digest = field("warc-payload-digest");
  const entries = await lookUp(index, target);
  const bodies = entries.filter((entry) => entry.url === target && entry.digest === digest && !isRevisit(entry));
  const at = Date.parse(field("warc-refers-to-date") ?? "");
  const original = bodies.find((entry) => entry.at === Math.floor(at / 1000) * 1000) ?? bodies[0];
  return original === undefined ? null : placeOf(original);
}

/** What to say of a capture whose body is not to be found. */
export async function bodyElsewhere(
  { name, archive }: Pick<Remains, "name" | "archive">,
  { place }: Pick<Captured, "place">,
): Promise<string> {
  const { warcHeaders } = await archive.at(place);
  const original = header(warcHeaders, "warc-refers-to-target-uri") ?? "another URL";
  return `its body is archived with ${original} alone, and that is not in ${name}`;
}

/** The one nearest to `at`, the earlier of two as near; the latest when no time is asked for. Null when there are none. */
export function nearest<T extends Pick<Captured, "at">>(captures: readonly T[], at: Instant | null): T | null {
  if (at === null) return captures.at(-1) ?? null;
  let best: T | null = null;
  for (const one of captures) if (best === null || Math.abs(one.at - at) < Math.abs(best.at - at)) best = one;
  return best;
}
