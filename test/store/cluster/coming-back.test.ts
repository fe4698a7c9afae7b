/** Crawlers of one crawl visit its pages again together: each for what it looks after, all within one budget, whoever comes or dies. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as really } from "node:timers/promises";
import { silentLog } from "../../../src/base/log.ts";
import { Recrawl } from "../../../src/crawl/recrawl.ts";
import type { RecrawlRules } from "../../../src/policy/recrawl.ts";
import { ownersOf } from "../../../src/policy/rendezvous.ts";
import { type ClusterBackend, openCluster } from "../../../src/store/cluster/backend.ts";
import { type Members, openMembers } from "../../../src/store/cluster/crew/members.ts";
import { clusterParts } from "../../../src/store/cluster/crew/parts.ts";
import { ended, settled, url } from "../../conformance/frontier-world.ts";
import { uniform } from "../../crawl/changing-pages.ts";
import { HandClock } from "./hand-clock.ts";
import { type ClusterBench, clusterBench } from "./store.ts";

const SHARDS = 32;
const SECOND = 1_000;
const HOUR = 3_600_000;
const HOSTS = 30;
const PAGES = 5;
const ALL = HOSTS * PAGES;

/** A page in ten minutes, in the mean. */
const A_DAY = 6 * 24;
const RULES: RecrawlRules = {
  policy: "uniform",
  everyMs: HOUR,
  budget: A_DAY / (24 * HOUR),
  bounds: { minMs: 60 * SECOND, maxMs: 90 * 24 * HOUR },
  share: 0.5,
};

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

/** A crawler. One that is killed is one that does nothing more. */
interface Crawler {
  readonly clock: HandClock;
  readonly members: Members;
  readonly backend: ClusterBackend;
  readonly recrawl: Recrawl;
}

let crawls = 0;

class Crawl {
  readonly #name: string;
  /** Of a due pass. */
  readonly #until: number | null;
  time: number;
  living: Crawler[] = [];
  readonly #gone: Crawler[] = [];
  /** By URL. */
  readonly visits = new Map<string, number>();

  constructor(name = `together-${++crawls}`, until: number | null = null) {
    this.#name = name;
    this.#until = until;
    this.time = until ?? 1_000_000;
  }

  /** The same crawl at a later time: what is due by then. */
  passOver(ms: number): Crawl {
    return new Crawl(this.#name, this.time + ms);
  }

  async join(id: string): Promise<Crawler> {
    const clock = new HandClock();
    clock.time = this.time;
    const name = this.#name;
    const members = await openMembers(bench.connection, {
      ...{ name, id, clock, log: silentLog, shards: SHARDS, divide: ownersOf },
    });
    const backend = await openCluster(bench.connection, {
      ...{ name, shards: SHARDS, clock, owner: id, blobs: bench.blobs(name), hostConcurrency: ALL },
      joins: members.joins,
      prefers: (shard) => members.prefers(shard),
    });
    const parts = clusterParts(bench.connection, { name, shards: SHARDS, state: backend, members });
    const shared = { parts, log: silentLog, untilNow: async () => this.#until! };
    const world = { frontier: backend, urls: backend, clock, random: uniform(7, id), weightOf: () => 1 };
    const recrawl = new Recrawl({ ...world, shared, until: this.#until }, RULES);
    await recrawl.open(backend);
    await clock.until(1);
    const crawler = { clock, members, backend, recrawl };
    this.living.push(crawler);
    return crawler;
  }

  kill(crawler: Crawler): void {
    this.living = this.living.filter((other) => other !== crawler);
    this.#gone.push(crawler);
  }

  /** Time passes, and each who lives does what there is to do. */
  async pass(ms: number): Promise<void> {
    this.time += ms;
    for (const { clock } of this.living) {
      clock.pass(this.time - clock.time);
      await clock.until(1);
    }
    for (const crawler of this.living) await this.#work(crawler);
  }

  async #work({ backend, recrawl, clock }: Crawler): Promise<void> {
    while ((await recrawl.take()) > 0);
    const leases = await backend.lease(1_000);
    const ends = leases.map((lease) => {
      this.visits.set(lease.url.href, (this.visits.get(lease.url.href) ?? 0) + 1);
      return recrawl.settled(settled(lease, ended("fetched"), clock.time));
    });
    await backend.commit({ settled: ends, hosts: [], robots: [], marks: [] });
  }

  /** Beats, until they look after all pages together. */
  async calm(): Promise<void> {
    for (let tries = 0; tries < 60; tries++) {
      await this.pass(SECOND);
      await really(10);
      if (this.pages.reduce((sum, one) => sum + one, 0) !== ALL || tries < 2) continue;
      await this.pass(SECOND);
      await this.pass(SECOND); // and each has told the others
      return;
    }
    assert.fail(`${this.pages} pages`);
  }

  get pages(): number[] {
    return this.living.map(({ recrawl }) => recrawl.dueTimes.pages);
  }

  /** Of the budget, what all who live believe to be theirs. */
  get spent(): number {
    return this.living.reduce((sum, { recrawl }) => sum + recrawl.dueTimes.economy.visits, 0) / RULES.budget!;
  }

  get visited(): number {
    return [...this.visits.values()].reduce((sum, one) => sum + one, 0);
  }

  async end(): Promise<void> {
    for (const { members } of [...this.living, ...this.#gone]) await members[Symbol.asyncDispose]();
  }
}

const web = Array.from({ length: ALL }, (_, n) => url(`h${n % HOSTS}.test`, String(Math.floor(n / HOSTS))));

describe("crawlers that visit pages again together", () => {
  it("look after each page once, and divide the budget, as they come, leave and die", async () => {
    const crawl = new Crawl();
    const one = await crawl.join("one");
    await one.backend.add(web);
    await crawl.calm();
    assert.deepEqual([crawl.pages, crawl.spent], [[ALL], 1]);
    const two = await crawl.join("two");
    const three = await crawl.join("three");
    await crawl.calm();
    assert.ok(
      crawl.pages.every((pages) => pages > 0.1 * ALL),
      `${crawl.pages}`,
    );
    assert.ok(Math.abs(crawl.spent - 1) < 1e-9, `${crawl.spent} of the budget`);

    await crawl.pass(11 * SECOND); // what is believed is kept by then
    crawl.kill(two);
    const left = crawl.spent;
    assert.ok(left < 0.9);
    for (let beat = 0; beat < 7; beat++) {
      await crawl.pass(SECOND);
      assert.ok(Math.abs(crawl.spent - left) < 1e-6, "its part is nobody's as long as it may live");
    }
    await crawl.pass(2 * SECOND);
    await crawl.pass(SECOND);
    assert.ok(Math.abs(crawl.spent - 1) < 0.1, `${crawl.spent} of the budget, at once`);
    await crawl.calm();
    assert.ok(Math.abs(crawl.spent - 1) < 1e-9, `${crawl.spent} of the budget`);
    assert.deepEqual([...crawl.visits.values()], Array(ALL).fill(1));

    await three.recrawl.close();
    await three.members[Symbol.asyncDispose]();
    crawl.kill(three);
    await crawl.calm();
    assert.deepEqual([crawl.pages, crawl.spent], [[ALL], 1]);
    await crawl.end();
  });

  it("keep one budget for days, with one more, and with one less", async () => {
    const crawl = new Crawl();
    const one = await crawl.join("one");
    await crawl.join("two");
    await one.backend.add(web);
    await crawl.calm();
    const first = crawl.visited;
    const hours = 72;
    for (let hour = 1; hour <= hours; hour++) {
      if (hour === 20) await crawl.join("three");
      if (hour === 40) crawl.kill(crawl.living[1]!);
      await crawl.pass(HOUR);
      for (let beat = 0; beat < 10; beat++) await crawl.pass(SECOND);
      assert.ok(crawl.visited - first <= (A_DAY / 24) * hour + 1, `${crawl.visited - first} visits in ${hour} hours`);
    }
    const all = (A_DAY / 24) * hours;
    assert.ok(crawl.visited - first > 0.85 * all, `${crawl.visited - first} visits of ${all}`);
    await crawl.end();
  });

  it("end a due pass together, also when one dies in the middle: all that was due is visited once", async () => {
    const plain = new Crawl();
    const one = await plain.join("one");
    await one.backend.add(web);
    await plain.calm();
    await plain.end();
    const crawl = plain.passOver(200 * 24 * HOUR);
    for (const id of ["a", "b", "c"]) await crawl.join(id);
    const isOver = () => Promise.all(crawl.living.map(({ recrawl }) => recrawl.isOver()));
    assert.deepEqual(await isOver(), [false, false, false]);
    crawl.kill(crawl.living[1]!);
    await crawl.pass(SECOND);
    assert.deepEqual(await isOver(), [false, false], "what the dead one looked after is due still");
    assert.ok(crawl.visited < ALL);
    for (let beat = 0; beat < 12; beat++) await crawl.pass(SECOND);
    assert.deepEqual(await isOver(), [true, true]);
    assert.deepEqual([...crawl.visits.values()], Array(ALL).fill(1));
    await crawl.end();
  });
});
