/**
 * A synthetic crawl of the embedded store alone: no network, 10 new URLs a page, 100,000 hosts of Zipf size.
 *
 *   [CASH=no] npx node --expose-gc bench/store.ts [URLS=1e6] [DIR]
 *
 * Grows to 1, 10, 50 million URLs and so on, up to URLS. At each size the process that crawls kills itself (SIGKILL), and
 * another opens what is left and goes on. Prints CPU microseconds a page of the thread that is inside the store, wall
 * time a page, CPU milliseconds of the longest commit, the memory gained, and how long opening took.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../src/base/clock.ts";
import { type HostKey, newHostState } from "../src/model/host.ts";
import type { Lease } from "../src/model/lease.ts";
import { AGAIN_WORDS, type LinksAgain, type NewUrl } from "../src/model/link.ts";
import type { Href } from "../src/model/url.ts";
import { firstCash } from "../src/policy/priority.ts";
import type { Backend, Commit, Settled } from "../src/ports/frontier.ts";
import { openEmbedded } from "../src/store/embedded/backend.ts";
import { hostName, mulberry32, pageRecord, zipf } from "./synthetic.ts";

const SIZES = [1e6, 1e7, 5e7];
const HOSTS = 100_000;
const LINKS = 10;
/** Whether cash is kept; so many links a page lead to what is known then, as a visit thread names them. */
const CASH = process.env.CASH !== "no";
const AGAIN = 8;
/** URLs that these are drawn from. */
const REMEMBERED = 1 << 16;
const BATCH = 200;
const SEEDS = 20_000;
/** Lines on the way to a size; the last is its figure. */
const LINES = 5;
/** What is allowed for a known URL; what is left is put down to the active hosts. */
const BYTES_A_URL = 16;

/** What has to be known to go on with the same crawl in another process. */
interface Progress {
  time: number;
  seed: number;
  made: number;
  pages: number;
}
const at: Progress = { time: 1_700_000_000_000, seed: 42, made: 0, pages: 0 };
const clock: Clock = { now: () => at.time, sleep: async () => {} };

/** The same crawl in every run. */
const random = mulberry32(at);
const pick = zipf(HOSTS, random);

const bytes = Buffer.alloc(256);

/** A string as it comes out of a thread's message: flat, and nobody else's. */
const flat = (text: string): string => bytes.toString("latin1", 0, bytes.write(text, "latin1"));

/** What is known: the two words of a fingerprint and the number of the host, by place. */
const known = new Uint32Array(REMEMBERED * AGAIN_WORDS);
let knownCount = 0;

/** Links to what was told before. The numbers are not of `random`: with cash and without it is the same crawl. */
function linksAgain(page: number): LinksAgain | null {
  if (!CASH || knownCount === 0) return null;
  const words = new Uint32Array(AGAIN * AGAIN_WORDS);
  const hosts: HostKey[] = [];
  for (let i = 0; i < AGAIN; i++) {
    const from = ((page * 7_919 + i * 104_729) % knownCount) * AGAIN_WORDS;
    hosts.push(flat(hostName(known[from + 2]!)) as HostKey);
    words.set([known[from]!, known[from + 1]!, hosts.length], i * AGAIN_WORDS);
  }
  return { count: 90, words, hosts };
}

function newUrl(via: number): NewUrl {
  const host = pick();
  const name = hostName(host);
  const { made } = at;
  at.made++;
  const fpHi = Math.floor(random() * 2 ** 32);
  const fpLo = Math.floor(random() * 2 ** 32);
  // Another process begins with none of them, so the places are filled in order.
  known.set([fpHi, fpLo, host], (knownCount < REMEMBERED ? knownCount++ : made % REMEMBERED) * AGAIN_WORDS);
  return {
    href: flat(`${name}/section-${made % 97}/an-article-with-a-title-${made}.html`) as Href,
    host: flat(name) as HostKey,
    fpHi,
    fpLo,
    depth: 1,
    hops: 0,
    via,
    source: "link",
    priority: made % 2,
  };
}

function settle(lease: Lease): Settled {
  const { url } = lease;
  const links = Array.from({ length: LINKS }, () => newUrl(url.id));
  return {
    lease,
    verdict: { kind: "end", end: "fetched" },
    hostReadyAt: at.time + 1000,
    record: pageRecord(lease, at.time),
    links,
    linksAgain: linksAgain(url.id),
  };
}

/** Bytes: of the whole process, and of live objects and arrays (SQLite's page cache is not in the second). */
function memory(): { readonly rss: number; readonly live: number } {
  // Arrays are let go of after a collection, by a thread; the next one waits for it.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { rss, live: heapUsed + arrayBuffers };
}

class Meter {
  cpuUs = 0;
  wallMs = 0;
  longestMs = 0;

  /** Only what happens in here is counted. */
  async time<T>(work: () => Promise<T>): Promise<T> {
    const before = process.threadCpuUsage();
    const began = performance.now();
    const result = await work();
    this.wallMs += performance.now() - began;
    const { user, system } = process.threadCpuUsage(before);
    this.cpuUs += user + system;
    this.longestMs = Math.max(this.longestMs, (user + system) / 1000);
    return result;
  }
}

const row = (...cells: readonly (string | number)[]) =>
  console.log(cells.map((cell) => String(cell).padStart(11)).join(""));

async function page200(backend: Backend, meter: Meter): Promise<void> {
  const leases = await meter.time(() => backend.lease(BATCH));
  if (leases.length < BATCH) at.time = Math.max(at.time + 1, (await backend.nextReadyAt()) ?? 0);
  if (leases.length === 0) return;
  at.time += 50;
  const readyAt = at.time + 1000;
  const hosts = leases.map(({ url }) => ({
    ...newHostState(url.host),
    readyAt,
    delayUntil: readyAt,
    smoothedMs: 51.25,
    address: "192.0.2.10",
    requests: 1,
  }));
  const batch: Commit = { settled: leases.map(settle), hosts, robots: [], marks: [{ file: "a", bytes: at.pages }] };
  await meter.time(() => backend.commit(batch));
  at.pages += leases.length;
  // As a crawl does between two commits: what was begun beside it (snapshots) gets its turn.
  await setImmediate();
}

/** Opens what there is, crawls until `urls` are known, and dies. With `urls` = 0 it only opens. */
async function crawl(dir: string, urls: number): Promise<void> {
  const empty = memory();
  const opening = new Meter();
  let backend: Backend | undefined;
  await opening.time(async () => {
    backend = openEmbedded(dir, { clock, ...(CASH && { firstCash }) });
  });
  if (backend === undefined) throw new Error("not opened");
  const fact = await backend.fact("bench");
  if (fact !== null) {
    const { counts, ...progress } = JSON.parse(fact) as Progress & { counts: unknown };
    Object.assign(at, progress);
    const size = statSync(join(dir, "state.db")).size + statSync(join(dir, "state.db-wal")).size;
    console.log(
      `opened again after SIGKILL: ${(opening.wallMs / 1000).toFixed(1)} s (CPU ${(opening.cpuUs / 1e6).toFixed(1)} s); ${(size / at.made).toFixed(0)} bytes on disk a URL`,
    );
    if (JSON.stringify(await backend.pending()) !== JSON.stringify(counts))
      throw new Error("the counts differ after opening");
  }
  if (urls === 0) return backend[Symbol.asyncDispose]();
  if (fact === null) await backend.add(Array.from({ length: SEEDS }, () => newUrl(0)));
  let meter = new Meter();
  let pagesBefore = at.pages;
  for (let line = Math.floor((at.made / urls) * LINES) + 1; at.made < urls; ) {
    await page200(backend, meter);
    if (at.made < (urls * line) / LINES) continue;
    line++;
    const pages = at.pages - pagesBefore;
    const { rss, live } = memory();
    const { hosts } = await backend.pending();
    const gained = live - empty.live;
    row(
      at.made,
      at.pages,
      (meter.cpuUs / pages).toFixed(1),
      ((meter.wallMs * 1000) / pages).toFixed(1),
      meter.longestMs.toFixed(0),
      ((rss - empty.rss) / 1e6).toFixed(0),
      (gained / 1e6).toFixed(0),
      hosts,
      ((gained - at.made * BYTES_A_URL) / hosts).toFixed(0),
    );
    meter = new Meter();
    pagesBefore = at.pages;
  }
  const { queued, leased, delayed, hosts } = await backend.pending();
  await backend.setFact(
    "bench",
    JSON.stringify({ ...at, counts: { queued: queued + leased, leased: 0, delayed, hosts } }),
  );
  process.kill(process.pid, "SIGKILL");
}

function main(urls: number, dir: string): void {
  const sizes = [...SIZES.filter((size) => size < urls), urls, 0];
  row("URLs", "pages", "us CPU/pg", "us wall/pg", "ms longest", "MB RSS", "MB live", "hosts", "B/host*");
  for (const size of sizes) {
    const { status, signal } = spawnSync(
      process.execPath,
      [...process.execArgv, import.meta.filename, "crawl", dir, `${size}`],
      {
        stdio: "inherit",
      },
    );
    if (size === 0 ? status !== 0 : signal !== "SIGKILL") process.exit(1);
  }
  console.log(`* an active host, beyond ${BYTES_A_URL} bytes a URL`);
}

const [first, second, third] = process.argv.slice(2);
if (first === "crawl") await crawl(second!, Number(third));
else {
  const dir = second ?? mkdtempSync(join(tmpdir(), "trawl-bench-"));
  main(Number(first ?? 1e6), dir);
  if (second === undefined) rmSync(dir, { recursive: true });
}
