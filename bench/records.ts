/**
 * What a segment of records costs, packed in several ways: bytes a visit in the store, and CPU microseconds a visit to write
 * it and to read it. The visits are alike as those of a crawl are: hosts, paths, titles, times and digests of their own.
 *
 *   npx node bench/records.ts [VISITS=200]
 */
import { createHash } from "node:crypto";
import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { HostKey } from "../src/model/host.ts";
import type { VisitRecord } from "../src/model/record.ts";
import type { Href } from "../src/model/url.ts";
import type { Entry } from "../src/store/cluster/segments/entry.ts";
import { pageRecord } from "./synthetic.ts";

const ROUNDS = 40;
const WORDS =
  "the of crawl archive page host record about how water river house city north museum guide report open data garden".split(
    " ",
  );

let seed = 7;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}
const words = (count: number, between: string) =>
  Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(between);

function entry(n: number): Entry {
  const host = `https://www.${words(2, "-")}-${random(1_000)}.example` as HostKey;
  const href = `${host}/${words(1, "")}/${words(5, "-")}-${random(100_000)}.html` as Href;
  const at = 1_700_000_000_000 + n * 7 + random(1_000) / 8;
  const sum = createHash("sha256").update(`${seed}`).digest("hex");
  const ordinary = pageRecord({ url: { id: random(2 ** 30), href }, attempt: 1 }, at);
  const value: VisitRecord = {
    ...ordinary,
    startedAt: at,
    endedAt: at + random(2_000) / 8,
    bytes: random(80_000),
    address: `192.0.2.${random(256)}`,
    etag: random(2) === 0 ? null : `"${sum.slice(0, 12)}"`,
    lastModified: random(2) === 0 ? null : new Date(at - random(2 ** 31)).toUTCString(),
    robotsId: random(100_000),
    capture: {
      ...ordinary.capture,
      response: { ...ordinary.capture.response, offset: random(2 ** 30), length: random(20_000) },
      digest: `sha1:${sum.slice(0, 32).toUpperCase()}`,
    },
    page: {
      ...ordinary.page,
      title: words(6, " "),
      description: random(2) === 0 ? null : words(20, " "),
      canonical: random(2) === 0 ? null : href,
      linksFound: random(200),
      simhash: sum.slice(0, 16),
    },
  };
  return { kind: "visit", host, previous: null, value };
}

/** Values alone, in the order of their fields. */
const bare = (value: unknown): unknown =>
  value !== null && typeof value === "object" ? Object.values(value).map(bare) : value;

const TEXTS = {
  "named fields": (entries: readonly Entry[]) => entries.map((one) => JSON.stringify(one)).join("\n"),
  "values alone": (entries: readonly Entry[]) => entries.map((one) => JSON.stringify(bare(one))).join("\n"),
};

const zstd = (level: number, dictionary?: Buffer) => ({
  pack: (text: Buffer) =>
    zstdCompressSync(text, {
      params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
      pledgedSrcSize: text.length,
      ...(dictionary && { dictionary }),
    }),
  unpack: (bytes: Buffer) => zstdDecompressSync(bytes, dictionary && { dictionary }),
});
const gzip = (level: number) => ({
  pack: (text: Buffer) => gzipSync(text, { level }),
  unpack: (bytes: Buffer) => gunzipSync(bytes),
});
/** Visits that are in none of the segments. */
const SAMPLE = (how: keyof typeof TEXTS) => Buffer.from(TEXTS[how](Array.from({ length: 40 }, (_, n) => entry(n))));

const row = (...cells: readonly string[]) => console.log(cells.map((cell) => cell.padStart(16)).join(""));

function main(visits: number): void {
  const segments = Array.from({ length: ROUNDS }, () => Array.from({ length: visits }, (_, n) => entry(n)));
  row("text", "packing", "bytes a visit", "us to write", "us to read");
  for (const how of Object.keys(TEXTS) as (keyof typeof TEXTS)[]) {
    const sample = SAMPLE(how);
    const packings = {
      none: { pack: (text: Buffer) => text, unpack: (bytes: Buffer) => bytes },
      "gzip 1": gzip(1),
      "gzip 6": gzip(6),
      "zstd 1": zstd(1),
      "zstd 3": zstd(3),
      "zstd 6": zstd(6),
      "zstd 9": zstd(9),
      "zstd 3 + sample": zstd(3, sample),
    };
    for (const [name, { pack, unpack }] of Object.entries(packings)) {
      const timed = <T, U>(all: readonly T[], work: (one: T) => U): [U[], number] => {
        work(all[0]!);
        const before = process.cpuUsage();
        const done = all.map(work);
        const { user, system } = process.cpuUsage(before);
        return [done, (user + system) / visits / ROUNDS];
      };
      const [packed, writing] = timed(segments, (entries) => pack(Buffer.from(TEXTS[how](entries))));
      const [, reading] = timed(packed, (bytes) =>
        unpack(bytes)
          .toString()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
      const size = packed.reduce((sum, { length }) => sum + length, 0) / visits / ROUNDS;
      row(how, name, size.toFixed(0), writing.toFixed(1), reading.toFixed(1));
    }
  }
}

main(Number(process.argv[2] ?? 200));
