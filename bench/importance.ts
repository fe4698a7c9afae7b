/**
 * Which order of visits finds the important pages first? A crawl of a seeded graph without a network, by breadth first,
 * by links seen so far, by OPIC's cash (Abiteboul, Preda and Cobena 2003), and by the PageRank that nobody knows before
 * the end (the oracle): how much of all PageRank has been fetched after 10, 30 and 50 % of the visits.
 *
 *   npx node bench/importance.ts [PAGES=100000] [SEED=1]
 *
 * In "any page" the best page known is visited; in "hosts in turn" the best page of the host whose turn it is, as
 * politeness has it. Below the same of the embedded frontier itself, with cash and without. docs/bench/importance.md has
 * what was found.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstCash } from "../src/policy/priority.ts";
import { openEmbedded } from "../src/store/embedded/backend.ts";
import { frontierVisits, linkGraph, massAfter, ranksOf, SteppedClock } from "../test/web/link-graph.ts";

const [pages = 100_000, seed = 1] = process.argv.slice(2).map(Number);
const MARKS = [0.1, 0.3, 0.5];
const graph = linkGraph(pages, seed);
const rank = await ranksOf(graph);

interface Entry {
  readonly page: number;
  readonly score: number;
  /** When the page was first seen: of equals the first goes first. */
  readonly since: number;
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.score > other.score || (one.score === other.score && one.since < other.since);

/** A heap of pages, the best first. A page whose score grows is put in again: the older entry comes up later. */
class Best {
  readonly #heap: Entry[] = [];

  push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(entry, heap[parent]!); parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  pop(): number | null {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) return null;
    if (heap.length === 0) return top.page;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top.page;
  }
}

interface Known {
  /** Links seen to a page, and cash that came with them, by page. */
  readonly seen: Float64Array;
  readonly cash: Float64Array;
  readonly rank: Float64Array;
}

const ORDERS: Readonly<Record<string, (page: number, known: Known) => number>> = {
  "breadth first": () => 0,
  "links seen": (page, { seen }) => seen[page]!,
  "links seen, in classes": (page, { seen }) => Math.floor(Math.log2(seen[page]!)),
  OPIC: (page, { cash }) => cash[page]!,
  "OPIC, in classes": (page, { cash }) => Math.floor(Math.log2(cash[page]!)),
  oracle: (page, { rank }) => rank[page]!,
};

function* visits(scoreOf: (typeof ORDERS)[string], inTurn: boolean): Generator<number> {
  const { hostOf, first, targets } = graph;
  const size = hostOf.length;
  const known: Known = { seen: new Float64Array(size), cash: new Float64Array(size), rank };
  const score = new Float64Array(size);
  const since = new Float64Array(size);
  const fetched = new Uint8Array(size);
  const queues = Array.from({ length: inTurn ? graph.hosts : 1 }, () => new Best());
  let found = 0;
  const see = (page: number, cash: number): void => {
    known.seen[page]!++;
    known.cash[page]! += cash;
    const now = scoreOf(page, known);
    const isNew = since[page] === 0;
    if (fetched[page] === 1 || (!isNew && now === score[page])) return;
    if (isNew) since[page] = ++found;
    score[page] = now;
    queues[inTurn ? hostOf[page]! : 0]!.push({ page, score: now, since: since[page]! });
  };
  see(0, 1);
  for (let idle = 0, turn = 0; idle < queues.length; turn = (turn + 1) % queues.length) {
    let page = queues[turn]!.pop();
    while (page !== null && fetched[page] === 1) page = queues[turn]!.pop();
    if (page === null) {
      idle++;
      continue;
    }
    idle = 0;
    fetched[page] = 1;
    yield page;
    const share = known.cash[page]! / (first[page + 1]! - first[page]!);
    for (let at = first[page]!; at < first[page + 1]!; at++) see(targets[at]!, share);
    known.cash[page] = 0;
  }
}

async function ofFrontier(cash: boolean): Promise<number[]> {
  const dir = mkdtempSync(join(tmpdir(), "trawl-importance-"));
  const clock = new SteppedClock();
  const backend = openEmbedded(dir, { clock, ...(cash && { firstCash }) });
  const found = await massAfter(frontierVisits(graph, backend, clock), rank, MARKS);
  await backend[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
  return found;
}

const printed = (found: readonly number[]): string => found.map((mass) => mass.toFixed(3).padEnd(8)).join("");

console.log(`${graph.hostOf.length} pages on ${graph.hosts} hosts, ${graph.targets.length} links, seed ${seed}`);
console.log(`${"".padEnd(26)}${"any page".padEnd(24)}hosts in turn`);
console.log(`PageRank fetched after    ${"10 %    30 %    50 %    ".repeat(2)}`);
for (const [order, scoreOf] of Object.entries(ORDERS)) {
  const any = await massAfter(visits(scoreOf, false), rank, MARKS);
  const inTurn = await massAfter(visits(scoreOf, true), rank, MARKS);
  console.log(order.padEnd(26) + printed(any) + printed(inTurn));
}
console.log("The embedded frontier:".padEnd(50));
console.log("by class".padEnd(50) + printed(await ofFrontier(false)));
console.log("by class and cash".padEnd(50) + printed(await ofFrontier(true)));
