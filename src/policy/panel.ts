/**
 * A sample of the pages that are to be visited again, and what is believed of each: from it come the prior of a new page,
 * and the price of a visit. All pages as long as they are few; then those whose id's hash is below a bound that is halved
 * whenever there are too many: so the same pages stay in it, and each page of the crawl has the same chance to be one.
 * 16,384 pages tell the price to within some 1 %; the whole takes 50 MB at most, however many pages there are.
 */
import { type Belief, priorOf, RATES } from "./change-rate.ts";
import { Demand, type RevisitBounds } from "./revisit-rate.ts";

export interface Panellist {
  readonly belief: Belief;
  /** Importance; 1 is that of a page of which nothing is known. */
  readonly weight: number;
  /** Which pages are alike: those of a host, and of these those of a pattern of URLs. */
  readonly host: string;
  readonly pattern: string;
  /** Visits a ms that it is given beyond what they are worth, to find out how fast it changes. */
  readonly soundings: number;
}

const MOST = 16_384;
/** A host's pages count as much as what is believed of all once there are so many; a pattern's as much as the host's. */
const LEANING = 8;
/** What is believed of all pages stands on what was believed before any was looked at, as on so many pages. */
const FIRST_LEANING = 50;

interface Group {
  pages: number;
  readonly sum: Float64Array;
}

export class Panel {
  readonly demand: Demand;
  readonly #first: Belief;
  readonly #most: number;
  readonly #pages = new Map<number, Panellist>();
  readonly #groups = new Map<string, Group>();
  readonly #all: Group = { pages: 0, sum: new Float64Array(RATES.length) };
  #soundings = 0;
  /** Ids with a hash of so many leading zeros are in it. */
  #zeros = 0;

  constructor(first: Belief, bounds: RevisitBounds, most = MOST) {
    this.#first = first;
    this.#most = most;
    this.demand = new Demand(bounds);
  }

  /** Pages in the crawl for each that is in the panel. */
  get scale(): number {
    return 2 ** this.#zeros;
  }

  /** Pages that are to be visited again, in all; counted as long as they are few, then estimated. */
  get pages(): number {
    return this.#pages.size * this.scale;
  }

  /** Visits a ms that all pages are given to find out how fast they change. */
  get soundings(): number {
    return Math.max(this.#soundings, 0) * this.scale;
  }

  get ids(): IterableIterator<number> {
    return this.#pages.keys();
  }

  holds(id: number): boolean {
    return Math.clz32(mixed(id)) >= this.#zeros;
  }

  put(id: number, page: Panellist): void {
    if (!this.holds(id)) return;
    this.remove(id);
    this.#pages.set(id, page);
    this.#count(page, 1);
    if (this.#pages.size > this.#most) this.thin(this.#zeros + 1);
  }

  remove(id: number): void {
    const page = this.#pages.get(id);
    if (page === undefined) return;
    this.#pages.delete(id);
    this.#count(page, -1);
  }

  /** How thin it is: each page in it stands for 2 ** zeros. */
  get zeros(): number {
    return this.#zeros;
  }

  /** Leaves out all but the ids with a hash of so many leading zeros. */
  thin(zeros: number): void {
    this.#zeros = zeros;
    for (const id of [...this.#pages.keys()]) if (!this.holds(id)) this.remove(id);
  }

  #count({ belief, weight, host, pattern, soundings }: Panellist, sign: 1 | -1): void {
    if (sign === 1) this.demand.add(belief, weight);
    else this.demand.remove(belief, weight);
    this.#soundings += sign * soundings;
    count(this.#all, belief, sign);
    for (const name of [host, `${host}${pattern}`]) {
      const group = this.#groups.get(name) ?? { pages: 0, sum: new Float64Array(RATES.length) };
      count(group, belief, sign);
      if (group.pages === 0) this.#groups.delete(name);
      else this.#groups.set(name, group);
    }
  }

  /** What to believe of a page before it is looked at again: as its pattern's pages, its host's, and all. */
  prior(host: string, pattern: string): Belief {
    const ofAll = priorOf(this.#all.sum, this.#all.pages, this.#first, FIRST_LEANING);
    return this.#of(`${host}${pattern}`, this.#of(host, ofAll));
  }

  #of(name: string, wider: Belief): Belief {
    const group = this.#groups.get(name);
    return group === undefined ? wider : priorOf(group.sum, group.pages, wider, LEANING);
  }
}

/** The ids of a panel, as thin as it must be to hold no more than `most`. */
export function thinned(zeros: number, ids: readonly number[], most = MOST): { zeros: number; ids: number[] } {
  const held = ids.filter((id) => Math.clz32(mixed(id)) >= zeros);
  return held.length > most ? thinned(zeros + 1, held, most) : { zeros, ids: held };
}

function count(group: Group, belief: Belief, sign: 1 | -1): void {
  group.pages += sign;
  for (let at = 0; at < belief.length; at++) group.sum[at]! += sign * belief[at]!;
}

/** Ids follow each other; their hashes do not (the finalizer of MurmurHash3). */
function mixed(id: number): number {
  let hash = id ^ (id / 2 ** 32);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
