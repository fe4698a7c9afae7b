/**
 * Which order of visits finds the important pages first? A crawl of a seeded graph without a network, by breadth first,
 * by links seen so far, by OPIC's cash (Abiteboul, Preda and Cobena 2003), and by the PageRank that nobody knows before
 * the end (the oracle): how much of all PageRank has been fetched after 10, 30 and 50 % of the visits.
 *
 *   npx node bench/importance.ts [PAGES=100000] [SEED=1]
 *
 * In "any page" the best page known is visited; in "hosts in turn" the best page of the host whose turn it is, as
 * politeness has it. docs/bench/importance.md has what was found.
 */
import { pageRank } from "../src/export/page-rank.ts";
import { random } from "../test/web/random.ts";

const [pages = 100_000, seed = 1] = process.argv.slice(2).map(Number);
const HOSTS = Math.max(Math.round(pages / 100), 10);
const LINKS = 20;
const MARKS = [0.1, 0.3, 0.5];

interface Graph {
  readonly hostOf: Uint32Array;
  /** Links of page p: targets[first[p]] up to targets[first[p + 1]]. */
  readonly first: Uint32Array;
  readonly targets: Uint32Array;
}

/** Hosts of Zipf size; menus, links within the host, and links to elsewhere that prefer what is linked to already. */
function makeGraph(): Graph {
  const from = random(seed, "importance");
  const weights = Array.from({ length: HOSTS }, (_, host) => 1 / (host + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const starts: number[] = [];
  let next = 0;
  for (const weight of weights) {
    starts.push(next);
    next += Math.max(Math.floor((weight / sum) * pages), 1);
  }
  const size = next;
  starts.push(size);
  const hostOf = new Uint32Array(size);
  for (let host = 0; host < HOSTS; host++) hostOf.fill(host, starts[host]!, starts[host + 1]!);
  const first = new Uint32Array(size + 1);
  const targets: number[] = [];
  /** Targets of links between hosts, once for each: drawn from, it prefers what has many. */
  const famous: number[] = starts.slice(0, -1);
  for (let page = 0; page < size; page++) {
    const host = hostOf[page]!;
    const low = starts[host]!;
    const high = starts[host + 1]! - 1;
    for (let item = low; item <= Math.min(low + 4, high); item++) targets.push(item);
    // A tree of four children, so that every page can be reached.
    for (let child = (page - low) * 4 + 1; child <= (page - low) * 4 + 4; child++)
      if (low + child <= high) targets.push(low + child);
    if (page === low)
      for (let child = host * 3 + 1; child <= host * 3 + 3; child++) if (child < HOSTS) targets.push(starts[child]!);
    for (let n = from.int(0, LINKS); n > 0; n--) {
      if (from.chance(0.7)) targets.push(low + Math.floor((high - low + 1) * (from.int(0, 999_999) / 1e6) ** 2));
      else {
        const target = from.chance(0.8) ? famous[from.int(0, famous.length - 1)]! : from.int(0, size - 1);
        famous.push(target);
        targets.push(target);
      }
    }
    first[page + 1] = targets.length;
  }
  return { hostOf, first, targets: Uint32Array.from(targets) };
}

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
  oracle: (page, { rank }) => rank[page + 1]!,
};

function* visits(
  graph: Graph,
  scoreOf: (typeof ORDERS)[string],
  rank: Float64Array,
  inTurn: boolean,
): Generator<number> {
  const { hostOf, first, targets } = graph;
  const size = hostOf.length;
  const known: Known = { seen: new Float64Array(size), cash: new Float64Array(size), rank };
  const score = new Float64Array(size);
  const since = new Float64Array(size);
  const fetched = new Uint8Array(size);
  const queues = Array.from({ length: inTurn ? HOSTS : 1 }, () => new Best());
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

const graph = makeGraph();
const size = graph.hostOf.length;
async function* pairs() {
  const links = new Uint32Array(2 * graph.targets.length);
  for (let page = 0, at = 0; page < size; page++)
    for (let link = graph.first[page]!; link < graph.first[page + 1]!; link++) {
      links[at++] = page + 1;
      links[at++] = graph.targets[link]! + 1;
    }
  yield links;
}
const { rank } = await pageRank(size, pairs);
console.log(`${size} pages on ${HOSTS} hosts, ${graph.targets.length} links, seed ${seed}`);
console.log(`${"".padEnd(26)}${"any page".padEnd(24)}hosts in turn`);
console.log(`PageRank fetched after    ${"10 %    30 %    50 %    ".repeat(2)}`);
for (const [order, scoreOf] of Object.entries(ORDERS)) {
  let line = order.padEnd(26);
  for (const inTurn of [false, true]) {
    let count = 0;
    let mass = 0;
    const found: string[] = [];
    for (const page of visits(graph, scoreOf, rank, inTurn)) {
      mass += rank[page + 1]!;
      if (++count === Math.round(MARKS[found.length]! * size)) found.push(mass.toFixed(3).padEnd(8));
    }
    line += found.join("");
  }
  console.log(line);
}
