/** URLs and visits as lines of text: what the scripts read of them stands in front. */
import type { Instant } from "../../base/clock.ts";
import type { EndReason } from "../../model/end.ts";
import type { HostKey } from "../../model/host.ts";
import type { LeasedUrl } from "../../model/lease.ts";
import type { NewUrl, UrlSource } from "../../model/link.ts";
import type { VisitRecord } from "../../model/record.ts";
import type { Href } from "../../model/url.ts";

/** Where a fingerprint stands in its shard. */
export interface SeenPlace {
  readonly bucket: string;
  /** Signed, in 64 bits: Redis keeps such numbers in 8 bytes. */
  readonly fingerprint: string;
}

/** `buckets`: a power of two. */
export function seenPlace(fpHi: number, fpLo: number, buckets: number): SeenPlace {
  const fingerprint = BigInt.asIntN(64, (BigInt(fpHi) << 32n) | BigInt(fpLo)).toString();
  return { bucket: String(fpLo & (buckets - 1)), fingerprint };
}

/** URLs have no tabs and no line ends: parsing a URL removes them. */
export function rowOf(
  { priority, via, depth, hops, source, href }: NewUrl,
  id: number,
  admittedAt: Instant,
  { bucket, fingerprint }: SeenPlace,
): string {
  return [id, priority, `${bucket}/${fingerprint}`, via, depth, hops, source, admittedAt, href].join("\t");
}

export function urlOf(row: string, host: HostKey): LeasedUrl {
  const [id, priority, , via, depth, hops, source, admittedAt, href] = row.split("\t");
  return {
    id: Number(id),
    href: href as Href,
    host,
    depth: Number(depth),
    hops: Number(hops),
    via: Number(via),
    source: source as UrlSource,
    priority: Number(priority),
    admittedAt: Number(admittedAt),
  };
}

/** A visit, and its place in the order of recording. */
export interface KeptVisit {
  readonly ordinal: number;
  readonly host: HostKey;
  readonly visit: VisitRecord;
}

/** JSON has no line ends and no tabs of its own. */
export function lineOf({ ordinal, host, visit }: KeptVisit): string {
  return `${ordinal}\t${host}\t${JSON.stringify(visit)}`;
}

export function visitsIn(lines: string): KeptVisit[] {
  return lines.split("\n").map((line) => {
    const [ordinal, host] = line.split("\t", 2) as [string, HostKey];
    const visit = JSON.parse(line.slice(ordinal.length + host.length + 2)) as VisitRecord;
    return { ordinal: Number(ordinal), host, visit };
  });
}

const END_COUNT = "end:";

export function endOf(field: string): EndReason | null {
  return field.startsWith(END_COUNT) ? (field.slice(END_COUNT.length) as EndReason) : null;
}
