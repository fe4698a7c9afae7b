/**
 * The inner data structures alone: seen sets beside `Set` and npm's Bloom filters, SimHash beside npm's, the index of
 * near-duplicates.
 *
 *   npm ci --prefix bench/peers && npx node bench/kernel.ts [N=1e6, 0 for SimHash alone] [PAGES=/usr/share/doc/postgresql-doc-15/html]
 *
 * Every set is measured in a process of its own. Times are CPU time, the best of the rounds for SimHash. What was found
 * is in docs/bench/kernel.md.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { hashText } from "../src/base/hash.ts";
import { Bloom } from "../src/dedup/bloom.ts";
import { CountingBloom } from "../src/dedup/counting-bloom.ts";
import { NearDuplicates } from "../src/dedup/near-duplicates.ts";
import { ScalableBloom } from "../src/dedup/scalable-bloom.ts";
import { ExactSet, type SeenSet } from "../src/dedup/seen-set.ts";
import { simhash } from "../src/dedup/simhash.ts";
import { document } from "../src/media/document.ts";
import { html } from "../src/media/html.ts";
import { visibleText } from "../src/media/visible-text.ts";
import type { Href } from "../src/model/url.ts";

const RATE = 1e-4;
const BATCH = 10_000;
/** Timed of the slow ones, on a filter made for all. */
const MOST_TIMED = 1e6;

interface UrlSet {
  add(url: string): unknown;
  has(url: string): boolean;
}

interface Peers {
  readonly BloomFilters: { create(size: number, rate: number): UrlSet };
  readonly Bloomfilter: {
    withTargetError(size: number, rate: number): { add(url: string): void; test(url: string): boolean };
  };
  readonly SimHash: new () => { hash(text: string): unknown };
}

const PEERS = "./peers/filters.js"; // not known to the type checker: a package of its own
const peers = (): Promise<Peers> => import(PEERS);

const ours = (set: SeenSet): UrlSet => ({
  add(url) {
    const [hi, lo] = hashText(url);
    return set.add(hi, lo);
  },
  has(url) {
    const [hi, lo] = hashText(url);
    return set.has(hi, lo);
  },
});

const SETS: Readonly<Record<string, (n: number) => UrlSet | Promise<UrlSet>>> = {
  "Set of strings": () => new Set<string>(),
  exact: () => ours(new ExactSet()),
  Bloom: (n) => ours(Bloom.for(n, RATE)),
  "scalable Bloom": (n) => ours(new ScalableBloom(n / 10, RATE)),
  "counting Bloom": (n) => ours(CountingBloom.for(n, RATE)),
  "npm bloom-filters": async (n) => (await peers()).BloomFilters.create(n, RATE),
  "npm bloomfilter": async (n) => {
    const filter = (await peers()).Bloomfilter.withTargetError(n, RATE);
    return { add: (url) => filter.add(url), has: (url) => filter.test(url) };
  },
};

interface Measured {
  readonly addNs: number;
  readonly hasNs: number;
  readonly bytes: number;
}

/** A URL of 64 bytes. */
const urlOf = (nth: number): string =>
  `https://www.example.org/articles/a-title-of-some-words/${String(nth).padStart(9, "0")}`;

function timed(from: number, to: number, work: (urls: readonly string[]) => void): number {
  let micros = 0;
  for (let at = from; at < to; at += BATCH) {
    const urls = Array.from({ length: Math.min(BATCH, to - at) }, (_, i) => urlOf(at + i));
    const before = process.cpuUsage();
    work(urls);
    const { user, system } = process.cpuUsage(before);
    micros += user + system;
  }
  return (micros * 1000) / (to - from);
}

async function measureSet(name: string, n: number): Promise<Measured> {
  const live = async () => {
    globalThis.gc?.();
    await setTimeout(50); // arrays are given back a little later
    globalThis.gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = await live();
  const set = await SETS[name]!(n);
  const count = name.startsWith("npm") ? Math.min(n, MOST_TIMED) : n;
  const addNs = timed(0, count, (urls) => {
    for (const url of urls) set.add(url);
  });
  const bytes = ((await live()) - before) / n;
  let found = 0;
  const asked = Math.min(count, MOST_TIMED);
  // Half of them are there.
  const hasNs = timed(count - asked / 2, count + asked / 2, (urls) => {
    for (const url of urls) if (set.has(url)) found++;
  });
  if (found < asked / 2 || found > asked * 0.51) throw new Error(`${name} found ${found} of ${asked / 2}`);
  return { addNs, hasNs, bytes };
}

function sets(n: number): void {
  console.log(`\nSeen sets, ${n} URLs of 64 bytes, filters for ${RATE}; ns of CPU each, the hash included`);
  console.log(`| set | add ns | look-up ns | bytes a URL |\n|---|---|---|---|`);
  for (const name of Object.keys(SETS)) {
    const args = ["--expose-gc", "--max-old-space-size=8192", import.meta.filename, "set", name, String(n)];
    const { addNs, hasNs, bytes } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Measured;
    console.log(`| ${name} | ${addNs.toFixed(0)} | ${hasNs.toFixed(0)} | ${bytes.toFixed(1)} |`);
  }
}

/** CPU microseconds a page, the best of many rounds. */
function best(pages: readonly Buffer[], rounds: number, work: (page: Buffer, nth: number) => void): string {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    pages.forEach(work);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / pages.length);
  }
  return least.toFixed(0);
}

/** A page as a visit thread reads it. */
const documentOf = (page: Buffer, wantsText: boolean) => ({
  ...document("http://docs.test/" as Href, "text/html", page, false, ["content-type", "text/html; charset=utf-8"]),
  wantsText,
});

/** What cannot be saved: each byte looked at once. */
function walk(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) sum = (sum + bytes[at]!) | 0;
  return sum;
}

async function texts(dir: string): Promise<void> {
  const pages = readdirSync(dir)
    .filter((file) => file.endsWith(".html"))
    .map((file) => readFileSync(join(dir, file)))
    .filter(({ length }) => length > 20_000 && length < 36_000);
  const seen = pages.map((page) => visibleText(page));
  const mean = (all: readonly { length: number }[]) => all.reduce((sum, { length }) => sum + length, 0) / all.length;
  const { SimHash } = await peers();
  const theirs = new SimHash();
  console.log(
    `\nSimHash, ${pages.length} pages of ${mean(pages).toFixed(0)} bytes, text ${mean(seen).toFixed(0)}; us of CPU a page`,
  );
  console.log("| step | us |\n|---|---|");
  console.log(`| a bare walk over the bytes, for comparison | ${best(pages, 60, (page) => void walk(page))} |`);
  const links = best(pages, 60, (page) => void html.read(documentOf(page, false)));
  const both = best(pages, 60, (page) => void html.read(documentOf(page, true)));
  console.log(`| links and facts of the page, without SimHash | ${links} |`);
  console.log(`| the same with SimHash | ${both} |`);
  console.log(`| **SimHash: the difference** | **${Number(both) - Number(links)}** |`);
  console.log(`| SimHash of the text, as a string | ${best(pages, 60, (_, nth) => void simhash(seen[nth]!))} |`);
  console.log(`| npm simhash-js, of the text | ${best(pages, 2, (_, nth) => void theirs.hash(seen[nth]!))} |`);
}

function near(n: number): void {
  const index = new NearDuplicates();
  const hash = (nth: number) => hashText(String(nth));
  for (let id = 0; id < n; id++) {
    const [hi, lo] = hash(id);
    index.add(hi, lo, id);
  }
  const probes = Array.from({ length: 20_000 }, (_, i) => hash(i % 2 === 0 ? i * 7 : n + i));
  let found = 0;
  const before = process.cpuUsage();
  for (const [hi, lo] of probes) if (index.nearest(hi ^ 0x10, lo ^ 0x80000001) !== null) found++;
  const { user, system } = process.cpuUsage(before);
  const us = ((user + system) / probes.length).toFixed(1);
  console.log(
    `\nNear-duplicates, ${n} hashes: ${us} us of CPU a look-up, ${(index.bytes / n).toFixed(1)} bytes a page (${found} found)`,
  );
}

if (process.argv[2] === "set") {
  console.log(JSON.stringify(await measureSet(process.argv[3]!, Number(process.argv[4]))));
} else {
  const n = Number(process.argv[2] ?? 1e6);
  if (n > 0) sets(n);
  await texts(process.argv[3] ?? "/usr/share/doc/postgresql-doc-15/html");
  if (n > 0) near(n);
}
