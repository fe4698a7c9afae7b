/** Several crawlers in several shards: what each finds is visited once, by whoever, and each has its own shards to look after. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type { Lease, Verdict } from "../../../src/model/lease.ts";
import type { NewUrl } from "../../../src/model/link.ts";
import { type ClusterBackend, type ClusterOptions, openCluster } from "../../../src/store/cluster/backend.ts";
import type { Connection } from "../../../src/store/cluster/redis/connection.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";
import { type ClusterBench, clusterBench } from "./store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

let crawls = 0;
const newName = () => `crawlers-${++crawls}`;
const LEASE_MS = 500;
const HOSTS = 7;

function open(
  name: string,
  more: Partial<ClusterOptions> & Pick<ClusterOptions, "clock">,
  connection = bench.connection,
) {
  return openCluster(connection, { name, blobs: bench.blobs(name), shards: 8, leaseMs: LEASE_MS, ...more });
}

/** Opens so many, each of which prefers the shards of its number. */
async function openAll(name: string, clock: TestClock, count: number): Promise<ClusterBackend[]> {
  const crawlers: ClusterBackend[] = [];
  for (let nth = 0; nth < count; nth++)
    crawlers.push(
      await open(name, {
        clock,
        owner: `crawler-${nth}`,
        joins: nth > 0,
        prefers: (shard) => shard % count === nth,
        firstCash: ({ source }) => (source === "seed" ? 1 : 0),
      }),
    );
  return crawlers;
}

/** A made-up web: page n of a host links to some others, for ever the same. */
function linksOf({ href }: { readonly href: string }, pages: number): NewUrl[] {
  const [, host, page] = /h(\d+)\.test\/(\d+)$/.exec(href)!;
  const n = Number(host) * pages + Number(page);
  return [n * 3 + 1, n * 5 + 2, n + 7, n].map((to) => pageOf(to % (HOSTS * pages), pages, "link"));
}

const pageOf = (n: number, pages: number, source: "seed" | "link"): NewUrl =>
  url(`h${Math.floor(n / pages)}.test`, String(n % pages), { source, priority: n % 3 });

/** All that can be reached from the seeds. */
function reachable(seeds: readonly NewUrl[], pages: number): Set<string> {
  const met = new Map(seeds.map((one) => [one.href as string, one]));
  for (const one of met.values())
    for (const link of linksOf(one, pages)) met.set(link.href, met.get(link.href) ?? link);
  return new Set(met.keys());
}

const step = fc.record({
  who: fc.nat(2),
  does: fc.constantFrom("lease", "lease", "settle", "settle", "settle", "release", "retry", "dies"),
  many: fc.integer({ min: 1, max: 6 }),
  readyIn: fc.integer({ min: -20, max: 120 }),
  wait: fc.nat(150),
});

describe("crawlers of one crawl", () => {
  it("visit together what one would, no host twice at a time and none early, whoever dies and comes back", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
        const [name, clock, pages] = [newName(), new TestClock(), 6];
        const crawlers = await openAll(name, clock, 3);
        const open = crawlers.map((): Lease[] => []);
        const readyAt = new Map<string, number>();
        const visited = new Map<string, number>();
        const seeds = [0, 9, 23].map((n) => pageOf(n, pages, "seed"));
        await crawlers[0]!.add(seeds);
        const settle = async (who: number, leases: readonly Lease[], verdict: Verdict, hostReadyAt: number) => {
          const parts = leases.map((lease) =>
            settled(lease, verdict, clock.time, { hostReadyAt, links: linksOf(lease.url, pages) }),
          );
          const { current } = await crawlers[who]!.commit({ settled: parts, hosts: [], robots: [], marks: [] });
          for (const [nth, { url: page, expiresAt }] of leases.entries()) {
            assert.equal(current[nth], expiresAt > clock.time, "a lease is current until it expires, whoever asks");
            if (!current[nth]) continue;
            readyAt.set(page.host, Math.max(readyAt.get(page.host) ?? 0, hostReadyAt));
            if (verdict.kind === "end") visited.set(page.href, (visited.get(page.href) ?? 0) + 1);
          }
        };
        const take = async (who: number, many: number) => {
          for (const lease of await crawlers[who]!.lease(many)) {
            const { host } = lease.url;
            const others = open
              .flat()
              .filter(({ url: { host: other }, expiresAt }) => other === host && expiresAt > clock.time);
            assert.deepEqual(others, [], `two leases on ${host}`);
            assert.ok(clock.time >= (readyAt.get(host) ?? 0), `a lease on ${host} before its time`);
            open[who]!.push(lease);
          }
        };
        for (const { who, does, many, readyIn, wait } of steps) {
          clock.time += wait;
          if (does === "lease") await take(who, many);
          else if (does === "dies") {
            open[who] = [];
            crawlers[who] = await (async () => {
              const options = {
                clock,
                owner: `crawler-${who}`,
                joins: true,
                prefers: (shard: number) => shard % 3 === who,
              };
              return openCluster(bench.connection, {
                name,
                blobs: bench.blobs(name),
                shards: 8,
                leaseMs: LEASE_MS,
                ...options,
              });
            })();
          } else {
            const leases = open[who]!.splice(0, many);
            if (does === "release") {
              const current = leases.filter(({ expiresAt }) => expiresAt > clock.time);
              await crawlers[who]!.release(leases.map((lease) => ({ lease, hostReadyAt: clock.time + readyIn })));
              for (const {
                url: { host },
              } of current)
                readyAt.set(host, Math.max(readyAt.get(host) ?? 0, clock.time + readyIn));
            } else if (does === "retry")
              await settle(
                who,
                leases,
                { kind: "retry", at: clock.time + 60, reason: "timeout" },
                clock.time + readyIn,
              );
            else await settle(who, leases, ended(), clock.time + readyIn);
          }
        }
        for (let idle = 0; idle < 30; ) {
          clock.time += LEASE_MS;
          const who = idle % 3;
          const before = visited.size;
          open[who] = [];
          await take(who, 20);
          await settle(who, open[who]!.splice(0), ended(), clock.time);
          idle = visited.size > before ? 0 : idle + 1;
        }
        assert.deepEqual(await crawlers[0]!.pending(), { queued: 0, leased: 0, delayed: 0, hosts: 0 });
        assert.deepEqual(new Set(visited.keys()), reachable(seeds, pages));
        assert.ok(
          [...visited.values()].every((times) => times === 1),
          "each has ended once",
        );
        assert.deepEqual([...(await crawlers[1]!.endCounts())], [["fetched", visited.size]]);
      }),
      { seed: 11, numRuns: 6, endOnFailure: true },
    ));

  it("do what is left over in the shards of others, and only that", async () => {
    const [name, clock] = [newName(), new TestClock()];
    const [one, two] = (await openAll(name, clock, 2)) as [ClusterBackend, ClusterBackend];
    await one.add(Array.from({ length: 40 }, (_, n) => url(`h${n}.test`, "1")));
    const own = await one.lease(99);
    assert.ok(own.length > 5 && own.length < 35);
    assert.deepEqual(await one.lease(99), [], "the others have somebody who looks after them");
    clock.time += 6_000;
    const all = await one.lease(99);
    const isOwn = new Set(own.map(({ url: { id } }) => id));
    assert.deepEqual(
      all.map(({ url: { id } }) => isOwn.has(id)),
      all.map((_, nth) => nth < own.length),
      "its own leases have expired, and come first",
    );
    assert.equal(all.length, 40, "nobody has looked after the others");
    assert.deepEqual(await two.lease(99), []);
  });

  it("ask Redis little: not of all shards all the time, nor of those that others look after", async () => {
    const [name, clock] = [newName(), new TestClock()];
    let calls = 0;
    const counting = watched(bench.connection, () => calls++);
    const prefers = (shard: number) => shard % 4 === 0;
    const idle = await open(name, { clock, prefers, shards: 1_024, owner: "idle" }, counting);
    await idle.lease(9);
    await idle.pending();
    const seconds = 20;
    calls = 0;
    for (let turn = 0; turn < seconds * 10; turn++) {
      clock.time += 100;
      await idle.lease(9);
      await idle.nextReadyAt();
    }
    assert.ok(calls / seconds <= 1.1 * (256 + 768 / 5), `${calls / seconds} calls a second with nothing to do`);
    await idle.add(Array.from({ length: 4_000 }, (_, n) => url(`h${n}.test`, "1")));
    await idle.lease(1);
    calls = 0;
    for (let turn = 0; turn < seconds * 10; turn++) {
      clock.time += 100;
      await idle.pending();
      await idle.nextReadyAt();
    }
    assert.ok(calls / seconds <= (1.1 * 1_024) / 5, `${calls / seconds} calls a second where all shards have work`);
  });
});

/** The same connection, that says when something is asked. */
function watched(connection: Connection, asked: () => void): Connection {
  return new Proxy(connection, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...words: unknown[]) => {
        if (name === "run" || name === "bytes" || name === "command") asked();
        return value.apply(target, words);
      };
    },
  });
}
