import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { moveState } from "../../../src/app/migrate/move-state.ts";
import { type HostKey, newHostState } from "../../../src/model/host.ts";
import type { RobotsCopy } from "../../../src/model/robots-copy.ts";
import type { Href } from "../../../src/model/url.ts";
import type { Backend } from "../../../src/ports/frontier.ts";
import { MODEL_OPTIONS, type Operation, operations, Player, played } from "../../conformance/frontier-model.ts";
import { ended, recordOf, type Store, TestClock, url, World } from "../../conformance/frontier-world.ts";
import { type ClusterBench, clusterBench, clusterStore } from "../../store/cluster/store.ts";
import { embeddedStore, memoryStore } from "../../store/stores.ts";
import { toldBy } from "./told.ts";

let cluster: ClusterBench;
before(async () => {
  cluster = await clusterBench();
});
after(() => cluster[Symbol.asyncDispose]());

const NOW = 2_000_000;
const OPTIONS = { ...MODEL_OPTIONS, firstCash: () => 0.25, hostConcurrency: 2 };

/** What no rule has ended: what is left out by one has no attempt, as `crawl/recorded` writes it. */
const isPlayed = (op: Operation): Operation =>
  op.do === "commit" ? { ...op, parts: op.parts.filter(({ verdict }) => verdict !== "drop") } : op;

/** A crawl that was stopped in the middle of whatever it did; some of what has ended comes back. */
async function stopped(store: Store<Backend>, ops: readonly Operation[]): Promise<World<Backend>> {
  const player = new Player(await World.open(store, OPTIONS));
  for (const op of ops) await player.play(isPlayed(op));
  const { world } = player;
  await furnish(world);
  const ids = (await Array.fromAsync(world.backend.urls({ endedOnly: true }))).map(({ id }) => id);
  await world.backend.revisit(ids.filter((id) => id % 3 === 0).map((id) => ({ id, priority: 1 })));
  await world.drain(ids.length % 5);
  await world.reopen();
  return world;
}

/** What refers to something else: copies of robots.txt, pages that are alike, a URL that is not found by its key. */
async function furnish(world: World<Backend>): Promise<void> {
  const { backend, clock } = world;
  const host = "http://x" as HostKey;
  const copy: RobotsCopy = {
    ...{ id: 0, host, fetchedAt: 5, expiresAt: 6, access: "rules", status: 200, failure: null, body: "# one" },
    ...{ href: "http://x/robots.txt" as Href, capture: null },
  };
  const request = { host, href: copy.href, address: "192.0.2.1", startedAt: 4, endedAt: 5, status: 200 };
  const { robotsIds } = await world.commit({
    robots: [copy, { ...copy, fetchedAt: 7, access: "unreachable" }, { ...copy, fetchedAt: 9 }],
    requests: [request, { ...request, startedAt: 8, endedAt: 9 }],
    hosts: [{ ...newHostState(host), requests: 3, address: "192.0.2.1" }],
  });
  const odd = { fpHi: 7, fpLo: 9 };
  await backend.add([url("x", "one"), url("x", "two"), url("y", "three"), url("x", "two", odd)]);
  const capture = { response: { file: "f", offset: 1, length: 2 }, at: 3, digest: "sha1:A", truncated: null };
  let first = 0;
  for (;;) {
    const lease = (await backend.lease(1))[0];
    if (lease === undefined) break;
    const { id } = lease.url;
    if (first === 0) first = id;
    const alike = id === first ? {} : { duplicateOf: first, capture: { ...capture, revisitOf: first } };
    const record = {
      ...recordOf(lease, "fetched", clock.time),
      robotsId: robotsIds[2]!,
      nearDuplicateOf: null,
      capture,
    };
    await world.settle(lease, ended(), { record: { ...record, ...alike }, dueAt: 3_000_000 + id });
    if (lease.url.href.endsWith("/three")) break;
  }
}

/** What waits and was never asked for, in the order in which it is leased, by host and class. */
async function waiting(backend: Backend): Promise<ReadonlyMap<string, readonly string[]>> {
  const order: [key: string, href: string][] = [];
  for (;;) {
    const leases = await backend.lease(100);
    if (leases.length === 0)
      return new Map([...Map.groupBy(order, ([key]) => key)].map(([key, all]) => [key, all.map(([, href]) => href)]));
    const records = await Promise.all(leases.map(({ url: { id } }) => backend.byId(id)));
    for (const [nth, { url: leased }] of leases.entries())
      if (records[nth]!.visit === null) order.push([`${leased.host} ${leased.priority}`, leased.href]);
  }
}

/** So many of one host that all of it can be leased. */
const ALL = { ...OPTIONS, hostConcurrency: 1_000_000, hostShare: 1_000_000 };

async function opened(store: Store<Backend>): Promise<Backend> {
  const clock = new TestClock();
  clock.time = NOW;
  return store.open({ ...ALL, clock });
}

async function moved(from: Backend, store: Store<Backend>): Promise<Backend> {
  await moveState({ from, open: async (options) => store.open(options), marks: [], now: NOW });
  return opened(store);
}

describe("a state that is moved", () => {
  for (const [where, there, runs] of [
    ["in memory", () => memoryStore(), 60],
    ["on disk", () => embeddedStore(), 15],
    ["in a cluster", () => clusterStore(() => cluster), 6],
  ] as const)
    it(`is told alike ${where}, and back again`, async () => {
      await fc.assert(
        fc.asyncProperty(played(operations(fc.constantFrom(null, 1_500_000), 12)), async (ops) => {
          const here = await stopped(memoryStore(), ops);
          const before = await toldBy(here.backend);
          const store: Store<Backend> = there();
          const elsewhere = await moved(here.backend, store);
          assert.deepEqual(await toldBy(elsewhere), before);
          const back = await moved(elsewhere, memoryStore());
          assert.deepEqual(await toldBy(back), before);
          await here.backend[Symbol.asyncDispose]();
          here.backend = await opened(here.store);
          assert.deepEqual(await waiting(back), await waiting(here.backend));
          await elsewhere[Symbol.asyncDispose]();
          await store.close();
          await here.close();
        }),
        { seed: 11, numRuns: runs, endOnFailure: true },
      );
    });
});
