/**
 * A synthetic crawl of the embedded store alone: no network, 10 new URLs a page, 100,000 hosts of Zipf size.
 *
 *   npx node --expose-gc bench/store.ts [URLS=1e6] [DIR]
 *
 * Prints, as the crawl grows, CPU microseconds a page of the control thread while inside the store, wall time a page, the
 * memory gained, and at the end the time to reopen as after a kill.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../src/base/clock.ts";
import { type HostKey, newHostState } from "../src/model/host.ts";
import type { Lease } from "../src/model/lease.ts";
import type { NewUrl } from "../src/model/link.ts";
import type { Href } from "../src/model/url.ts";
import type { Commit, Settled } from "../src/ports/frontier.ts";
import { openEmbedded } from "../src/store/embedded/backend.ts";

const URLS = Number(process.argv[2] ?? 1e6);
const HOSTS = 100_000;
const LINKS = 10;
const BATCH = 200;
const REPORTS = 8;
/** What is allowed for a known URL; what is left is put down to the active hosts. */
const BYTES_A_URL = 16;
const dir = process.argv[3] ?? mkdtempSync(join(tmpdir(), "trawl-bench-"));

let time = 1_700_000_000_000;
const clock: Clock = { now: () => time, sleep: async () => {} };

let seed = 42;
/** mulberry32: the same crawl in every run. */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

const names = Array.from({ length: HOSTS }, (_, i) => `https://www.host-number-${i}.example` as HostKey);
const zipf = new Float64Array(HOSTS);
for (let i = 0, sum = 0; i < HOSTS; i++) zipf[i] = sum += 1 / (i + 1);
function someHost(): HostKey {
  const target = random() * zipf[HOSTS - 1]!;
  let low = 0;
  let high = HOSTS - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (zipf[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return names[low]!;
}

let made = 0;
function newUrl(via: number): NewUrl {
  const host = someHost();
  // Through bytes: a flat string, as one that has come from another thread, and not a tree of its parts.
  const href = Buffer.from(`${host}/section-${made % 97}/an-article-with-a-title-${made++}.html`).toString(
    "latin1",
  ) as Href;
  const fpHi = Math.floor(random() * 2 ** 32);
  const fpLo = Math.floor(random() * 2 ** 32);
  return { href, host, fpHi, fpLo, depth: 1, hops: 0, via, source: "link", priority: made % 2 };
}

function settle(lease: Lease): Settled {
  const { url, attempt } = lease;
  const record = {
    urlId: url.id,
    href: url.href,
    end: "fetched",
    detail: null,
    attempt,
    startedAt: time - 50,
    endedAt: time,
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
      at: time,
      digest: "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
      truncated: null,
    },
    duplicateOf: null,
    nearDuplicateOf: null,
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
  } as const;
  const links = Array.from({ length: LINKS }, () => newUrl(url.id));
  return { lease, verdict: { kind: "end", end: "fetched" }, hostReadyAt: time + 1000, record, links };
}

/** Bytes: of the whole process, and of live objects and arrays (SQLite's page cache is not in the second). */
function memory(): { readonly rss: number; readonly live: number } {
  globalThis.gc?.();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { rss, live: heapUsed + arrayBuffers };
}

let backend = openEmbedded(dir, { clock });
const empty = memory();
await backend.add(Array.from({ length: 20_000 }, () => newUrl(0)));

let cpu = 0;
let wall = 0;
/** Only what happens in here is counted. */
async function timed<T>(work: () => Promise<T>): Promise<T> {
  const before = process.threadCpuUsage();
  const began = performance.now();
  const result = await work();
  wall += performance.now() - began;
  const { user, system } = process.threadCpuUsage(before);
  cpu += user + system;
  return result;
}

const row = (...cells: readonly (string | number)[]) =>
  console.log(cells.map((cell) => String(cell).padStart(11)).join(""));
row("URLs", "pages", "us CPU/pg", "us wall/pg", "MB RSS", "MB live", "hosts", "B/host");
let pages = 0;
let pagesAtReport = 0;
let nextReport = URLS / REPORTS;
while (made < URLS) {
  const leases = await timed(() => backend.lease(BATCH));
  if (leases.length < BATCH) time = Math.max(time + 1, backend.nextReadyAt() ?? 0);
  if (leases.length === 0) continue;
  time += 50;
  const hosts = leases.map((lease) => ({
    ...newHostState(lease.url.host),
    readyAt: time + 1000,
    delayUntil: time + 1000,
    smoothedMs: 51.25,
    address: "192.0.2.10",
    requests: 1,
  }));
  const batch: Commit = { settled: leases.map(settle), hosts, robots: [], marks: [{ file: "a", bytes: pages }] };
  await timed(() => backend.commit(batch));
  pages += leases.length;
  if (made < nextReport) continue;
  const n = pages - pagesAtReport;
  const { rss, live } = memory();
  const { hosts: active } = backend.pending();
  row(
    made,
    pages,
    (cpu / n).toFixed(1),
    ((wall * 1000) / n).toFixed(1),
    ((rss - empty.rss) / 1e6).toFixed(0),
    ((live - empty.live) / 1e6).toFixed(0),
    active,
    ((live - empty.live - made * BYTES_A_URL) / active).toFixed(0),
  );
  nextReport += URLS / REPORTS;
  pagesAtReport = pages;
  cpu = 0;
  wall = 0;
}

const before = backend.pending();
await backend[Symbol.asyncDispose]();
const began = performance.now();
backend = openEmbedded(dir, { clock });
console.log(
  `reopened in ${((performance.now() - began) / 1000).toFixed(2)} s; state.db ${(statSync(join(dir, "state.db")).size / made).toFixed(0)} bytes/URL`,
);
if (JSON.stringify(before) !== JSON.stringify(backend.pending())) throw new Error("the counts differ after reopening");
await backend[Symbol.asyncDispose]();
if (process.argv[3] === undefined) rmSync(dir, { recursive: true });
