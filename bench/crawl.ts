/**
 * Trawl beside its peers: the same site, the same machine, in turn, each measured from outside.
 *
 *   npm run bench -- [--rounds 3] [--copies 2] [--docs postgresql-doc-15|python3.11-doc] [--without crawlee|wget2]
 *
 * Prints a table of medians, and ratios to Trawl: a ratio is taken within a round, then the median of them, so that a
 * busy or a slow machine blurs it little. The server's own time is not counted. How to read it: docs/bench/crawl.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, release, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CRAWLERS, type Crawler } from "./crawlers.ts";
import { DOCS, type DocsPackage, type DocsWeb, docsWeb, type Served } from "./docs-web.ts";
import { type Cost, measured } from "./measure.ts";

/** One crawl of everything, and one of a single page right before it. */
interface Run extends Served {
  readonly all: Cost;
  readonly one: Cost;
}

const MOST_TRIES = 3;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    copies: { type: "string", default: "2" },
    docs: { type: "string", multiple: true, default: Object.keys(DOCS) },
    without: { type: "string", multiple: true, default: [] },
  },
});

async function main(): Promise<void> {
  const rounds = count("rounds", values.rounds);
  const packages = values.docs.map((name) => oneOf("docs", name, Object.keys(DOCS) as DocsPackage[]));
  const peers = Object.keys(CRAWLERS).filter((name) => name !== "trawl") as (keyof typeof CRAWLERS)[];
  const without = values.without.map((name) => oneOf("without", name, peers));
  const crawlers: Crawler[] = [];
  for (const name of ["trawl", ...peers] as const) if (!without.includes(name)) crawlers.push(await CRAWLERS[name]());

  await using web = await docsWeb(packages, count("copies", values.copies));
  console.log(machine());
  console.log(crawlers.map(({ name, version }) => `${name} ${version}`).join(", "));
  const runs = new Map<Crawler, Run[]>(crawlers.map((crawler) => [crawler, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const crawler of crawlers) {
      const run = await runOf(crawler, web);
      runs.get(crawler)!.push(run);
      const { cpuMs, wallMs } = run.all;
      const facts = `${run.pages} pages, ${seconds(cpuMs)} s CPU, ${seconds(wallMs)} s`;
      console.log(`round ${round}: ${crawler.name}: ${facts}; start-up ${seconds(run.one.cpuMs)} s CPU`);
    }
  }
  console.log(`\n${table(runs)}`);
}

/** Says so and begins again when the crawler breaks off, as Crawlee now and then does over the locks of its queue. */
async function runOf(crawler: Crawler, web: DocsWeb): Promise<Run> {
  for (let tries = 1; ; tries++) {
    try {
      const one = await inFolder((dir) => measured(crawler.command(web.one, dir), dir));
      await web.served();
      const all = await inFolder((dir) => measured(crawler.command(web.all, dir), dir));
      return { one, all, ...(await web.served()) };
    } catch (cause) {
      if (tries === MOST_TRIES) throw cause;
      console.log(`${crawler.name} broke off and runs again: ${(cause as Error).message}`);
    }
  }
}

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Every measure of a run that the table shows; "x" columns compare it with Trawl's in the same round. */
const COLUMNS: readonly (readonly [head: string, of: (run: Run) => number, digits: number])[] = [
  ["pages", (run) => run.pages, 0],
  ["requests", (run) => run.requests, 0],
  ["KB/page", (run) => run.bytesPerPage / 1000, 1],
  ["pages/s", (run) => (run.pages / run.all.wallMs) * 1000, 0],
  ["us CPU/page", grossMicros, 0],
  ["start-up ms CPU", (run) => run.one.cpuMs, 0],
  ["us CPU/page net", netMicros, 0],
  ["peak MB", (run) => run.all.peakBytes / 1e6, 0],
];
const RATIOS: readonly (readonly [head: string, of: (run: Run) => number])[] = [
  ["x CPU", grossMicros],
  ["x CPU net", netMicros],
  ["x wall", (run) => run.all.wallMs / run.pages],
  ["x peak", (run) => run.all.peakBytes],
];

function grossMicros(run: Run): number {
  return (run.all.cpuMs * 1000) / run.pages;
}

/** Without what starting and stopping cost. Warming up is still in it. */
function netMicros(run: Run): number {
  return ((run.all.cpuMs - run.one.cpuMs) * 1000) / (run.pages - 1);
}

function table(runs: ReadonlyMap<Crawler, readonly Run[]>): string {
  const [base] = runs.values();
  const rows = [["", ...COLUMNS.map(([head]) => head), ...RATIOS.map(([head]) => head)]];
  rows.push(rows[0]!.map((_, column) => (column === 0 ? "---" : "---:")));
  for (const [crawler, its] of runs) {
    const measures = COLUMNS.map(([, of, digits]) => median(its.map(of)).toFixed(digits));
    const ratios = RATIOS.map(([, of]) => median(its.map((run, round) => of(run) / of(base![round]!))).toFixed(2));
    rows.push([crawler.name, ...measures, ...ratios]);
  }
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function machine(): string {
  const load = loadavg()[0]!.toFixed(1);
  return `${availableParallelism()} x ${cpus()[0]?.model.trim()}, Linux ${release()}, Node ${process.versions.node}, load ${load} at the start`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

function count(option: string, text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`--${option} ${text}: a number from 1 to 9999 is meant`);
}

function oneOf<T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw new Error(`--${option} ${text}: one of ${choices.join(", ")} is meant`);
}

await main();
