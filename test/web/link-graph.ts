/** A seeded graph of pages with known PageRank, and a crawl of it by a real frontier, without a network. */
import type { Clock } from "../../src/base/clock.ts";
import { hashText } from "../../src/base/hash.ts";
import { Told } from "../../src/crawl/told.ts";
import { RecentLinks } from "../../src/dedup/recent.ts";
import { pageRank } from "../../src/export/page-rank.ts";
import type { HostKey } from "../../src/model/host.ts";
import type { NewUrl } from "../../src/model/link.ts";
import type { Href } from "../../src/model/url.ts";
import { priorityOf } from "../../src/policy/priority.ts";
import type { Backend } from "../../src/ports/frontier.ts";
import { random } from "./random.ts";

const LINKS = 20;

export interface Graph {
  readonly hosts: number;
  readonly hostOf: Uint32Array;
  /** Links of page p: targets[first[p]] up to targets[first[p + 1]]. */
  readonly first: Uint32Array;
  readonly targets: Uint32Array;
}

/** Hosts of Zipf size; menus, and links within the host and to elsewhere that prefer what is linked to already. */
export function linkGraph(pages: number, seed: number): Graph {
  const from = random(seed, "importance");
  const HOSTS = Math.max(Math.round(pages / 100), 10);
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
  /** The same within each host; what they begin with stands anywhere in it. */
  const loved = Array.from({ length: HOSTS }, (_, host) => [from.int(starts[host]!, starts[host + 1]! - 1)]);
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
      const [known, lowest, highest] = from.chance(0.7) ? [loved[host]!, low, high] : [famous, 0, size - 1];
      const target = from.chance(0.8) ? from.pick(known) : from.int(lowest, highest);
      known.push(target);
      targets.push(target);
    }
    first[page + 1] = targets.length;
  }
  return { hosts: HOSTS, hostOf, first, targets: Uint32Array.from(targets) };
}

/** Of each page; the sum is 1. */
export async function ranksOf({ hostOf, first, targets }: Graph): Promise<Float64Array> {
  const links = new Uint32Array(2 * targets.length);
  for (let page = 0, at = 0; page < hostOf.length; page++)
    for (let link = first[page]!; link < first[page + 1]!; link++) {
      links[at++] = page + 1;
      links[at++] = targets[link]! + 1;
    }
  const { rank } = await pageRank({ last: hostOf.length, count: hostOf.length, has: () => true }, async function* () {
    yield links;
  });
  return rank.subarray(1);
}

/** The time is set by who crawls. */
export class SteppedClock implements Clock {
  time = 1_700_000_000_000;
  now(): number {
    return this.time;
  }
  async sleep(): Promise<void> {}
}

const DELAY_MS = 1_000;

/** The pages in the order in which a frontier gives them out, each host one a second. */
export async function* frontierVisits(
  { hostOf, first, targets, hosts }: Graph,
  backend: Backend,
  clock: SteppedClock,
  classOf: typeof priorityOf = priorityOf,
): AsyncGenerator<number> {
  const lately = new RecentLinks();
  const urlOf = (page: number, depth: number, via: number): NewUrl => {
    const isRoot = page === 0 || hostOf[page - 1] !== hostOf[page];
    const host = `http://h${hostOf[page]}.test` as HostKey;
    const href = `${host}/${isRoot ? "" : page}` as Href;
    const [fpHi, fpLo] = hashText(String(page));
    const source = via === 0 ? "seed" : "link";
    return {
      href,
      host,
      fpHi,
      fpLo,
      depth,
      hops: 0,
      via,
      source,
      priority: classOf(source, depth, isRoot ? "/" : "/a"),
    };
  };
  const pageOf = ({ href, host }: { href: Href; host: HostKey }) => {
    const path = href.slice(host.length + 1);
    return path === "" ? hostOf.indexOf(Number(host.slice(8, -5))) : Number(path);
  };
  await backend.add([urlOf(0, 0, 0)]);
  for (;;) {
    const leases = await backend.lease(hosts);
    if (leases.length === 0) return;
    const settled = leases.map((lease) => {
      const { url } = lease;
      const page = pageOf(url);
      const told = new Told(url, lately);
      for (const to of new Set(targets.subarray(first[page]!, first[page + 1]!)))
        told.tell(urlOf(to, url.depth + 1, url.id));
      const verdict = { kind: "end", end: "fetched" } as const;
      const hostReadyAt = clock.time + DELAY_MS;
      return { lease, verdict, hostReadyAt, record: null, links: told.links, linksAgain: told.again() };
    });
    await backend.commit({ settled, hosts: [], robots: [], marks: [] });
    for (const { lease } of settled) yield pageOf(lease.url);
    clock.time += DELAY_MS;
  }
}

/** How much of all rank has been fetched after these shares of all visits. */
export async function massAfter(
  visits: AsyncIterable<number> | Iterable<number>,
  rank: Float64Array,
  shares: readonly number[],
): Promise<number[]> {
  const found: number[] = [];
  let count = 0;
  let mass = 0;
  for await (const page of visits) {
    mass += rank[page]!;
    if (++count === Math.round(shares[found.length]! * rank.length)) found.push(mass);
  }
  return found;
}
