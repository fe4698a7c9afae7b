/** What a domain has had is one sum for all crawlers of a crawl, and its limit holds for all of them together. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { type Clock, systemClock } from "../../../../src/base/clock.ts";
import type { SharedDomains } from "../../../../src/crawl/domains.ts";
import { untilNext } from "../../../../src/policy/budget.ts";
import type { DomainPages } from "../../../../src/ports/domain-counts.ts";
import { type ClusterBackend, openCluster } from "../../../../src/store/cluster/backend.ts";
import { ClusterDomains } from "../../../../src/store/cluster/crew/domains.ts";
import { Connection } from "../../../../src/store/cluster/redis/connection.ts";
import { TestClock, url } from "../../../conformance/frontier-world.ts";
import { crawlWorld, type Reply, type World } from "../../../crawl/world.ts";
import { type ClusterBench, clusterBench, forgetful } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

let crawls = 0;
const newName = () => `domains-${++crawls}`;
const counts = (name: string, id: string, connection = bench.connection) =>
  new ClusterDomains(connection, { name, id });

/** So many that each part has some. */
const everywhere = (pages: number): DomainPages[] =>
  Array.from({ length: 200 }, (_, nth) => ({ domain: `d${nth}.test`, pages }));
const names = everywhere(0).map(({ domain }) => domain);
const all = (pages: number) => names.map(() => pages);

describe("what crawlers count of domains", () => {
  it("is one sum, of each crawl for itself", async () => {
    const name = newName();
    const [one, other] = [counts(name, "one"), counts(name, "other")];
    assert.deepEqual(await one.of(names), all(0));
    assert.deepEqual(await one.add(everywhere(2)), all(2));
    assert.deepEqual(await other.add(everywhere(3)), all(5));
    assert.deepEqual(await one.of(names), all(5));
    assert.deepEqual(await counts(newName(), "one").of(names), all(0));
  });

  it("is counted once, though each answer is lost and the call made again, and whoever was restarted", async () => {
    const name = newName();
    const unlucky = (id: string) => counts(name, id, forgetful(bench.connection));
    const [one, other] = [unlucky("one"), unlucky("other")];
    const added = [one.add(everywhere(1)), one.add(everywhere(1)), other.add(everywhere(1))];
    await Promise.all(added);
    assert.deepEqual(await unlucky("one").add(everywhere(4)), all(7));
  });

  it("is at least what is known from elsewhere", async () => {
    const name = newName();
    const one = counts(name, "one");
    await one.add(everywhere(2));
    await one.atLeast(everywhere(7));
    await one.atLeast(everywhere(3));
    assert.deepEqual(await one.add(everywhere(1)), all(8));
  });

  it("is not lost, and not counted twice, when a master dies with what its replica had not", async () => {
    const name = newName();
    await using connection = await Connection.open({ nodes: bench.redis.nodes });
    const one = counts(name, "one", connection);
    await one.add(everywhere(1));
    const [master, ...others] = bench.redis.nodes;
    const follows = await Promise.all(others.map((node) => bench.redis.ask(node, "ROLE")));
    const replica = others[follows.findIndex((role) => role.includes(`\n${master!.port}\n`))]!;
    bench.redis.pause(replica);
    // More than the system holds for a process that does not read: what comes then dies with the master.
    const junk = "x".repeat(2 ** 20);
    for (let nth = 0; nth < 96; nth++) {
      const key = `junk{${nth}}`;
      await connection.command(key, ["SET", key, junk]);
    }
    const added = one.add(everywhere(10));
    await sleep(500); // the master has answered, and waits for its replica
    const killed = bench.redis.kill(master!);
    await sleep(100);
    bench.redis.resume(replica);
    await killed;
    assert.deepEqual(await added, all(11));
    assert.deepEqual(await one.of(names), all(11));
    await bench.redis.start(master!);
  });
});

const CRAWLERS = 3;
/** Its hour is three minutes, so that nobody waits long for what crawlers look at seldom. */
const quick: Clock = {
  now: () => Date.now() * 20,
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
};
const ROOT = "http://seeds.example/";

interface Domain {
  readonly name: string;
  readonly hosts: number;
  /** Of each host, its root included. */
  readonly pages: number;
}

const web =
  (domains: readonly Domain[]) =>
  (href: string): Reply => {
    if (href.endsWith("/robots.txt")) return { status: 404, ms: 0 };
    const { hostname, pathname } = new URL(href);
    if (href === ROOT)
      return {
        links: domains.flatMap(({ name, hosts }) => Array.from({ length: hosts }, (_, n) => `http://h${n}.${name}/`)),
      };
    const { pages } = domains.find(({ name }) => hostname.endsWith(name))!;
    return { ms: 20, links: pathname === "/" ? Array.from({ length: pages - 1 }, (_, n) => `/${n}`) : [] };
  };

/** Three crawlers at once, each with a third of the shards; the first begins, and the others join. */
async function crawlTogether(name: string, domains: readonly Domain[], maxPerDomain: number | null): Promise<World[]> {
  const open = (nth: number): Promise<ClusterBackend> =>
    openCluster(bench.connection, {
      ...{ name, clock: quick, blobs: bench.blobs(name), shards: 8, owner: `crawler-${nth}`, joins: nth > 0 },
      prefers: (shard) => shard % CRAWLERS === nth,
    });
  const backends: ClusterBackend[] = [];
  for (let nth = 0; nth < CRAWLERS; nth++) backends.push(await open(nth));
  const shared = (nth: number): SharedDomains => ({
    counts: counts(name, `crawler-${nth}`),
    clock: quick,
    crawlers: () => CRAWLERS,
    untilNext: (pages) => untilNext(pages, { perDomain: null }, maxPerDomain),
  });
  return Promise.all(
    backends.map((backend, nth) =>
      crawlWorld({
        ...{ seeds: [ROOT], web: web(domains), maxPerDomain, delayMs: 20, obeyRobots: false, concurrency: 8 },
        ...{ clock: quick, backend: () => backend, domains: shared(nth) },
        addressOf: (hostname) =>
          `192.0.2.${[...hostname].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 250}`,
      }),
    ),
  );
}

const pagesOf = (worlds: readonly World[], domain: string): number =>
  worlds.flatMap(({ asked }) => asked).filter(({ host }) => host.endsWith(domain)).length;

describe("a limit of pages by domain", () => {
  it("holds for all crawlers together; nothing over it is lost, and a larger one brings it back", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ hosts: fc.integer({ min: 1, max: 9 }), pages: fc.integer({ min: 2, max: 14 }) }), {
          minLength: 2,
          maxLength: 4,
        }),
        fc.integer({ min: 1, max: 40 }),
        async (shapes, limit) => {
          const name = newName();
          const domains = shapes.map((shape, nth) => ({ ...shape, name: `many${nth}.test` }));
          const sizes = domains.map(({ hosts, pages }) => hosts * pages);
          const first = await crawlTogether(name, domains, limit);
          const isOver = sizes.some((size) => size > limit);
          for (const { end } of first) assert.equal(end, isOver ? "over-budget" : "done");
          const had = domains.map(({ name: domain }) => pagesOf(first, domain));
          for (const [nth, pages] of had.entries()) {
            // Each host is with one crawler, and has one page on its way at most: so many may not have been heard of.
            const most = limit + domains[nth]!.hosts;
            assert.ok(pages <= most, `${pages} pages of a domain that may have ${limit}, ${JSON.stringify(domains)}`);
            assert.ok(pages >= Math.min(limit, sizes[nth]!), `${pages} of ${sizes[nth]} pages, ${limit} allowed`);
          }
          assert.deepEqual(
            await counts(name, "x").of(domains.map((one) => one.name)),
            had,
            "and what was asked for is what was counted",
          );
          const { queued, leased, delayed } = await first[0]!.backend.pending();
          assert.deepEqual([leased, delayed], [0, 0]);
          const second = await crawlTogether(name, domains, null);
          for (const { end } of second) assert.equal(end, "done");
          const found = pagesOf(second, ".test");
          assert.deepEqual(
            domains.map(({ name: domain }) => pagesOf([...first, ...second], domain)),
            sizes,
          );
          assert.ok(found >= queued, `${queued} were queued, and ${found} were fetched`);
        },
      ),
      { numRuns: 12, seed: 8 },
    ));
});

it("hosts that were set aside are leased again by who brings them back, also while another may hold leases", async () => {
  const name = newName();
  const clock = new TestClock();
  const more = { name, clock, blobs: bench.blobs(name), shards: 8 };
  const one = await openCluster(bench.connection, { ...more, owner: "one" });
  await one.add(["a.test", "b.test"].flatMap((host) => [url(host, "1"), url(host, "2")]));
  const leases = await one.lease(2);
  const hostReadyAt = Number.POSITIVE_INFINITY;
  await one.release(leases.map((lease) => ({ lease, hostReadyAt })));
  const two = await openCluster(bench.connection, { ...more, owner: "two", joins: true });
  assert.deepEqual(await two.lease(2), []);
  assert.equal(await two.nextReadyAt(), null);
  const three = await openCluster(bench.connection, { ...more, owner: "three", joins: true, bringsBack: true });
  assert.equal((await three.lease(2)).length, 2);
});
