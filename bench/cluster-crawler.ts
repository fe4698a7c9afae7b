/** A crawler of bench/cluster: leases, invents what it has found there, commits. It visits nothing. Its parent says how far it goes. */
import { on } from "node:events";
import { systemClock } from "../src/base/clock.ts";
import { hashText } from "../src/base/hash.ts";
import { directoryBlobs } from "../src/blobs/directory.ts";
import { Told } from "../src/crawl/told.ts";
import { RecentLinks } from "../src/dedup/recent.ts";
import { type HostKey, newHostState } from "../src/model/host.ts";
import type { Lease, LeasedUrl } from "../src/model/lease.ts";
import type { NewUrl } from "../src/model/link.ts";
import type { Href } from "../src/model/url.ts";
import { firstCash } from "../src/policy/priority.ts";
import type { Settled } from "../src/ports/frontier.ts";
import { type ClusterBackend, openCluster } from "../src/store/cluster/backend.ts";
import type { ClusterAddress } from "../src/store/cluster/redis/client.ts";
import { Connection } from "../src/store/cluster/redis/connection.ts";
import type { SharedSeen } from "../src/store/cluster/shards/seen-filter.ts";
import { hostName, mulberry32, pageRecord, zipf } from "./synthetic.ts";

/** What a crawler is told at the start. */
export interface CrawlerTask {
  readonly nodes: readonly ClusterAddress[];
  readonly name: string;
  readonly blobs: string;
  readonly nth: number;
  readonly crawlers: number;
  readonly shards: number;
  /** Exactly unless told. */
  readonly seen?: SharedSeen;
}

/** What it says after each stretch. */
export interface Stretch {
  readonly pages: number;
  /** Of the whole process, inside the store. */
  readonly cpuUs: number;
  /** Links that the frontier was told, and those of them that it knew to be in Redis without asking. */
  readonly asked: number;
  readonly met: number;
}

const HOSTS = 100_000;
const SEEDS = 20_000;
const BATCH = 200;
const DELAY_MS = 1_000;
/** Links of a page: to URLs that nobody knows yet, to some that were told lately, to any of all that this crawler knows. */
const NEW = 10;
const LATELY = 40;
const EVER = 10;
/** So many of ten lead to the page's own host. */
const AT_HOME = 8;
/** Of a host's URLs, so many are in its menu: those told last. */
const MENU = 64;
const REMEMBERED = 1 << 16;
const clock = systemClock;

class Web {
  readonly #task: CrawlerTask;
  readonly #random: () => number;
  readonly #pick: () => number;
  readonly #lately = new RecentLinks();
  /** The host of each URL that this crawler has told, by its number. */
  readonly #hostOf: number[] = [];
  /** By host: URLs told last. */
  readonly #menus = new Map<number, number[]>();

  constructor(task: CrawlerTask) {
    this.#task = task;
    this.#random = mulberry32({ seed: 42 + task.nth });
    this.#pick = zipf(HOSTS, this.#random);
  }

  seed(): NewUrl {
    return this.#url(this.#number(this.#pick()), null);
  }

  read(page: LeasedUrl): Told {
    const told = new Told(page, this.#lately);
    const home = Number(/\d+/.exec(page.host)![0]);
    for (let i = 0; i < NEW; i++) told.tell(this.#url(this.#number(i < AT_HOME ? home : this.#pick()), page));
    const known = this.#hostOf.length;
    const menu = this.#menus.get(home) ?? [];
    for (let i = 0; i < LATELY; i++) {
      const isAtHome = i < (LATELY / 10) * AT_HOME && menu.length > 0;
      told.tell(
        this.#url(
          isAtHome ? menu[this.#below(menu.length)]! : known - 1 - this.#below(Math.min(known, REMEMBERED)),
          page,
        ),
      );
    }
    for (let i = 0; i < EVER; i++) told.tell(this.#url(this.#below(known), page));
    return told;
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  /** Of a URL that is new. */
  #number(host: number): number {
    const number = this.#hostOf.push(host) - 1;
    const menu = this.#menus.get(host);
    if (menu === undefined) this.#menus.set(host, [number]);
    else menu[menu.length < MENU ? menu.length : number % MENU] = number;
    return number;
  }

  #url(number: number, page: LeasedUrl | null): NewUrl {
    const host = hostName(this.#hostOf[number]!);
    const href = `${host}/section-${number % 97}/an-article-with-a-title-${this.#task.nth}-${number}.html` as Href;
    const [fpHi, fpLo] = hashText(href);
    const found = { hops: 0, via: page?.id ?? 0, source: page === null ? "seed" : "link" } as const;
    const depth = page === null ? 0 : page.depth + 1;
    return { href, host: host as HostKey, fpHi, fpLo, depth, priority: page === null ? 0 : 2 + (number % 2), ...found };
  }
}

class Crawler {
  readonly #backend: ClusterBackend;
  readonly #web: Web;
  #pages = 0;
  #cpuUs = 0;

  constructor(backend: ClusterBackend, web: Web) {
    this.#backend = backend;
    this.#web = web;
  }

  async seed(): Promise<void> {
    for (let i = 0; i < SEEDS; i += BATCH)
      await this.#backend.add(Array.from({ length: BATCH }, () => this.#web.seed()));
  }

  async go(pages: number): Promise<Stretch> {
    this.#pages = 0;
    this.#cpuUs = 0;
    const { asked, met } = this.#backend.known;
    while (this.#pages < pages) {
      const leases = await this.#inside(() => this.#backend.lease(BATCH));
      if (leases.length === 0) await clock.sleep(10);
      else await this.#commit(leases);
    }
    const { known } = this.#backend;
    return { pages: this.#pages, cpuUs: this.#cpuUs, asked: known.asked - asked, met: known.met - met };
  }

  async #commit(leases: readonly Lease[]): Promise<void> {
    const now = clock.now();
    const readyAt = now + DELAY_MS;
    const settled = leases.map((lease): Settled => {
      const told = this.#web.read(lease.url);
      return {
        lease,
        verdict: { kind: "end", end: "fetched" },
        hostReadyAt: readyAt,
        record: pageRecord(lease, now),
        links: told.links,
        linksAgain: told.again(),
      };
    });
    const hosts = leases.map(({ url }) => ({
      ...newHostState(url.host),
      readyAt,
      delayUntil: readyAt,
      smoothedMs: 51.25,
      address: "192.0.2.10",
      requests: 1,
    }));
    await this.#inside(() => this.#backend.commit({ settled, hosts, robots: [], marks: [] }));
    this.#pages += leases.length;
  }

  /** Only what happens in here is counted. */
  async #inside<T>(work: () => Promise<T>): Promise<T> {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    this.#cpuUs += user + system;
    return result;
  }
}

async function main(task: CrawlerTask): Promise<void> {
  const { nodes, name, nth, crawlers, shards, seen } = task;
  await using connection = await Connection.open({ nodes });
  await using backend = await openCluster(connection, {
    name,
    clock,
    firstCash,
    blobs: directoryBlobs(task.blobs),
    shards,
    ...(seen !== undefined && { seen }),
    joins: nth > 0,
    owner: String(nth),
    prefers: (shard) => shard % crawlers === nth,
  });
  const crawler = new Crawler(backend, new Web(task));
  if (nth === 0) await crawler.seed();
  process.send!(null);
  for await (const [pages] of on(process, "message", { close: ["disconnect"] }))
    process.send!(await crawler.go(pages as number));
}

const TASK = process.env.CRAWLER_TASK;
if (TASK === undefined) throw new Error("bench/cluster.ts starts this");
await main(JSON.parse(TASK) as CrawlerTask);
