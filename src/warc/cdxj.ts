/**
 * The index of an archive: CDXJ (https://specs.webrecorder.net/cdxj/0.1.0/), one line a capture: SURT, 14-digit time,
 * a JSON object of texts. Sorted by bytes, so that tools find a URL by binary search.
 */

import type { Instant } from "../base/clock.ts";
import { ascii, SORT_LIMITS, type SortLimits, writeSorted } from "../base/sorted-lines.ts";
import type { Stream } from "../base/streamed.ts";
import type { VisitRecord } from "../model/record.ts";
import { surt } from "./surt.ts";

export interface CdxEntry {
  readonly url: string;
  readonly at: Instant;
  /** The declared media type, without parameters; "" when none was declared; `REVISIT_MIME` for a revisit. */
  readonly mime: string;
  readonly status: number;
  /** `sha1:BASE32` */
  readonly digest: string;
  readonly length: number;
  readonly offset: number;
  readonly filename: string;
}

/** What indexes say in place of a media type where the body is in another record. */
export const REVISIT_MIME = "warc/revisit";

/** The entry of a recorded visit; null when it has no capture. */
export function cdxEntry(visit: VisitRecord): CdxEntry | null {
  if (visit.capture === null) return null;
  const { response, at, digest, revisitOf } = visit.capture;
  return {
    url: visit.href,
    at,
    mime: revisitOf === undefined ? (visit.contentType ?? "").split(";", 1)[0]!.trim() : REVISIT_MIME,
    status: visit.status ?? 0,
    digest,
    length: response.length,
    offset: response.offset,
    filename: response.file,
  };
}

/** One line with its line feed. ASCII: anything else is escaped, so that the order of the lines is that of their bytes. */
export function cdxjLine(entry: CdxEntry): string {
  const { url, at, mime, status, digest, length, offset, filename } = entry;
  const facts = {
    url,
    mime: mime === "" ? "unk" : mime,
    status: String(status),
    digest,
    length: String(length),
    offset: String(offset),
    filename,
  };
  return `${ascii(surt(url)).replaceAll(" ", "%20")} ${timestamp(at)} ${ascii(JSON.stringify(facts))}\n`;
}

/** YYYYMMDDhhmmss, UTC. */
function timestamp(at: Instant): string {
  return new Date(at).toISOString().replace(/\D/g, "").slice(0, 14);
}

/**
 * Writes the index of the captures to `path`, sorted, an entry that comes twice once; it replaces an older one whole or
 * not at all. Memory is bounded by `limits`. Gives the number of lines.
 */
export async function writeCdxj(
  entries: Stream<CdxEntry>,
  path: string,
  limits: SortLimits = SORT_LIMITS,
): Promise<number> {
  return writeSorted(lines(entries), path, limits);
}

async function* lines(entries: Stream<CdxEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield cdxjLine(entry);
}
