/** What synthetic crawls are made of: hosts of Zipf size, numbers that are the same in every run, the record of a visit. */
import type { Instant } from "../src/base/clock.ts";
import type { HostKey } from "../src/model/host.ts";
import type { LeasedUrl } from "../src/model/lease.ts";
import type { VisitRecord } from "../src/model/record.ts";

/** mulberry32. `state` is all that goes on with the same numbers takes. */
export function mulberry32(state: { seed: number }): () => number {
  return () => {
    state.seed = (state.seed + 0x6d2b79f5) | 0;
    let t = Math.imul(state.seed ^ (state.seed >>> 15), 1 | state.seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const hostName = (nth: number) => `https://www.host-number-${nth}.example` as HostKey;

/** Vose's alias method: picks one of `count` with a probability of 1 / its rank, in two look-ups. */
export function zipf(count: number, random: () => number): () => number {
  const own = new Float64Array(count);
  const alias = new Int32Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += 1 / (i + 1);
  const small: number[] = [];
  const large: number[] = [];
  for (let i = 0; i < count; i++) {
    own[i] = count / (i + 1) / sum;
    (own[i]! < 1 ? small : large).push(i);
  }
  while (small.length > 0 && large.length > 0) {
    const less = small.pop()!;
    const more = large.pop()!;
    alias[less] = more;
    own[more]! -= 1 - own[less]!;
    (own[more]! < 1 ? small : large).push(more);
  }
  for (const i of [...small, ...large]) own[i] = 1;
  return () => {
    const column = Math.floor(random() * count);
    return random() < own[column]! ? column : alias[column]!;
  };
}

/** Of an ordinary page, fetched now. */
export function pageRecord(
  { url, attempt }: { readonly url: Pick<LeasedUrl, "id" | "href">; readonly attempt: number },
  now: Instant,
) {
  return {
    urlId: url.id,
    href: url.href,
    end: "fetched",
    detail: null,
    attempt,
    startedAt: now - 50,
    endedAt: now,
    status: 200,
    contentType: "text/html; charset=utf-8",
    bytes: 40_000,
    address: "192.0.2.10",
    redirectTo: null,
    etag: '"5f2-5e1c"',
    lastModified: "Mon, 30 Nov 2026 10:00:00 GMT",
    robotsId: 1,
    capture: {
      response: { file: "20261130-abcdef-1.warc.gz", offset: url.id * 9000, length: 9000 },
      at: now,
      digest: "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
      truncated: null,
    },
    duplicateOf: null,
    nearDuplicateOf: null,
    history: null,
    page: {
      mediaType: "text/html",
      charset: "UTF-8",
      title: "An article with a title of ordinary length",
      language: "en",
      description: null,
      canonical: null,
      noindex: false,
      nofollow: false,
      handler: "html",
      width: null,
      height: null,
      openGraph: null,
      jsonLd: null,
      linksFound: 100,
      readError: null,
      simhash: null,
    },
  } as const satisfies VisitRecord;
}
