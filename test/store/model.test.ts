/** Whatever is done to them, in whatever order, restarts included: the two back ends answer alike. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { SeenKind } from "../../src/dedup/seen-kinds.ts";
import { type HostKey, newHostState } from "../../src/model/host.ts";
import type { Lease, Verdict } from "../../src/model/lease.ts";
import type { FirstCash, NewUrl } from "../../src/model/link.ts";
import type { Href } from "../../src/model/url.ts";
import type { Backend } from "../../src/ports/frontier.ts";
import { settled, url, World } from "../conformance/frontier-world.ts";
import { embeddedStore, memoryStore } from "./stores.ts";

const LEASE_MS = 100;
const firstCash: FirstCash = ({ source }) => (source === "listed" ? 1 : 0);
const firstTier = (host: HostKey): number => (host === "http://h3" ? 1 : 0);

type VerdictKind = Verdict["kind"];

type Operation =
  | { readonly do: "add"; readonly urls: readonly NewUrl[] }
  | { readonly do: "lease"; readonly max: number }
  | { readonly do: "commit"; readonly parts: readonly Part[]; readonly requests: number }
  | { readonly do: "release"; readonly parts: readonly Part[]; readonly setAside: boolean }
  | { readonly do: "visit"; readonly count: number }
  | { readonly do: "revisit"; readonly urls: readonly { readonly id: number; readonly priority: number }[] }
  | { readonly do: "schedule"; readonly urls: readonly { readonly id: number; readonly dueAt: number | null }[] }
  | { readonly do: "due"; readonly until: number; readonly max: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "crash" | "reopen" };

/** `pick`: which of the leases ever given, the latest last; it may be settled, expired, or of an earlier life. */
interface Part {
  readonly pick: number;
  readonly verdict: VerdictKind | "drop";
  readonly dueAt: number | null;
  readonly readyIn: number;
  readonly tier: number | undefined;
  readonly links: readonly NewUrl[];
  readonly again: readonly NewUrl[];
  /** Links that are told before beyond these. */
  readonly more: number;
}

const source = fc.constantFrom("link" as const, "link" as const, "listed" as const);
const newUrl = fc
  .record({ host: fc.nat(3), path: fc.nat(400), priority: fc.nat(4), source, dropped: fc.nat(9) })
  .map(({ host, path, dropped, ...more }) =>
    url(`h${host}`, String(path), dropped === 0 ? { ...more, drop: { reason: "trap" } } : more),
  );
/** Now and then so many of one host that its queue goes to disk. */
const urls = fc.oneof(
  { weight: 5, arbitrary: fc.array(newUrl, { maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ host: fc.nat(3), from: fc.nat(300), count: fc.integer({ min: 60, max: 200 }), priority: fc.nat(4) })
      .map(({ host, from, count, priority }) =>
        Array.from({ length: count }, (_, i) => url(`h${host}`, String(from + i), { priority, source: "link" })),
      ),
  },
);
const part: fc.Arbitrary<Part> = fc.record({
  pick: fc.nat(7),
  verdict: fc.constantFrom("end" as const, "end", "end", "drop", "retry", "again", "follow"),
  dueAt: fc.oneof(fc.constant(null), fc.nat(50)),
  readyIn: fc.integer({ min: -10, max: 40 }),
  tier: fc.constantFrom(undefined, undefined, -1, 0, 2),
  links: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: urls }),
  again: fc.oneof(fc.constant([]), fc.array(newUrl, { maxLength: 80, size: "max" })),
  more: fc.nat(9),
});
/** The first ids are those that are most likely to have ended. */
const id = fc.oneof(fc.nat(12), fc.nat(150));
const one = fc.record({ id, priority: fc.constantFrom(0, 0, 1, 4) });
const returns = fc.oneof(
  fc.array(one, { maxLength: 9 }),
  // All that have ended, so that there are more than are held in memory.
  fc.nat(1).map((priority) => Array.from({ length: 400 }, (_, i) => ({ id: i + 1, priority }))),
);
const schedules = fc.array(fc.record({ id, dueAt: fc.oneof(fc.constant(null), fc.nat(50)) }), { maxLength: 9 });
const parts = fc.array(part, { maxLength: 5 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("add"), urls }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("lease"), max: fc.nat(5) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("commit"), parts, requests: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release"), parts, setAside: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("visit"), count: fc.integer({ min: 1, max: 80 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("revisit"), urls: returns }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("schedule"), urls: schedules }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("due"), until: fc.nat(50), max: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("crash", "reopen") }) },
);

/** Applies operations to a store and tells what it answered. Leases are known by the order in which they were given. */
class Player {
  readonly world: World;
  readonly #leases: Lease[] = [];

  constructor(world: World) {
    this.world = world;
  }

  async play(op: Operation): Promise<unknown> {
    const { world } = this;
    switch (op.do) {
      case "add":
        return world.backend.add(op.urls);
      case "lease": {
        const leases = await world.backend.lease(op.max);
        this.#leases.push(...leases);
        return leases.map(({ token: _, ...rest }) => rest);
      }
      case "commit": {
        const hosts = [{ ...newHostState("http://h1" as HostKey), requests: op.requests }];
        return world.commit({ settled: this.#chosen(op.parts).map(([lease, p]) => this.#settled(lease, p)), hosts });
      }
      case "release":
        await world.backend.release(
          this.#chosen(op.parts).map(([lease, p]) => {
            const readyIn = op.setAside ? Number.POSITIVE_INFINITY : p.readyIn;
            return { lease, hostReadyAt: world.clock.time + readyIn, hostTier: p.tier };
          }),
        );
        return;
      case "visit":
        return world.drain(op.count);
      case "revisit":
        return world.backend.revisit(op.urls);
      case "schedule":
        return world.backend.schedule(op.urls);
      case "due":
        return world.backend.due(op.until, op.max);
      case "wait":
        world.clock.time += op.ms;
        return;
      case "crash":
        return world.crash();
      case "reopen":
        return world.reopen();
    }
  }

  #chosen(wanted: readonly Part[]): [Lease, Part][] {
    const pairs = wanted.map((p) => [this.#leases.at(-1 - p.pick), p] as const);
    return pairs.filter((pair): pair is [Lease, Part] => pair[0] !== undefined);
  }

  #settled(lease: Lease, { verdict, readyIn, tier, links, again, more, dueAt }: Part) {
    const now = this.world.clock.time;
    const hosts = [0, 1, 2, 3].map((host) => `http://h${host}` as HostKey);
    const words = again.flatMap((url) => {
      const host = url.host === lease.url.host ? 0 : hosts.indexOf(url.host) + 1;
      return [url.fpHi, url.fpLo, host];
    });
    const linksAgain = { count: again.length + more, words: Uint32Array.from(words), hosts };
    const others = { hostReadyAt: now + readyIn, hostTier: tier, links, linksAgain, dueAt };
    return settled(lease, verdictOf(verdict, lease, now + readyIn), now, others);
  }
}

function verdictOf(kind: Part["verdict"], lease: Lease, at: number): Verdict {
  switch (kind) {
    case "end":
      return { kind, end: lease.url.id % 2 === 0 ? "fetched" : "http-4xx" };
    case "drop":
      return { kind: "end", end: "trap", dropped: true };
    case "retry":
      return { kind, at: at + 20, reason: "timeout" };
    case "follow":
      return { kind, href: `${lease.url.href}/` as Href, hops: lease.url.hops + 1 };
    case "again":
      return { kind };
  }
}

/** Everything that can be seen of a store. */
const view = async (backend: Backend) => ({
  pending: await backend.pending(),
  nextReadyAt: await backend.nextReadyAt(),
  nextDueAt: await backend.nextDueAt(),
  ends: Object.fromEntries(await backend.endCounts()),
  host: await backend.host("http://h1" as HostKey),
  top: await backend.topHosts(9),
});

/** What promises 6 and 7 say of the counts, from a full count. */
async function assertExact(backend: Backend): Promise<void> {
  const { queued, leased, delayed, hosts } = await backend.pending();
  const open = (await Array.fromAsync(backend.urls())).filter(({ state }) => state !== "ended");
  assert.equal(queued + leased + delayed, open.length);
  assert.equal(hosts, new Set(open.map(({ host }) => host)).size);
}

const seen = fc.constantFrom<SeenKind>("exact", "exact", "bloom", "bloom+exact");

for (const [hostConcurrency, hostShare] of [
  [1, 1],
  [3, 3],
  [4, 2],
] as const)
  it(`memory and embedded answer alike, step by step, ${hostConcurrency} at a time, ${hostShare} while others wait`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 5, maxLength: 60, size: "max" }),
        seen,
        async (operations, kind) => {
          const options = {
            ...{ leaseMs: LEASE_MS, hostConcurrency, hostShare, firstTier },
            ...(kind !== "bloom" && { firstCash }), // which knows no ids, so that links cannot give any
          };
          const worlds = [memoryStore(), embeddedStore(kind)].map((store) => World.open(store, options));
          const players = (await Promise.all(worlds)).map((world) => new Player(world));
          const [memory, embedded] = players as [Player, Player];
          try {
            for (const op of operations) {
              assert.deepEqual(await embedded.play(op), await memory.play(op), op.do);
              assert.deepEqual(await view(embedded.world.backend), await view(memory.world.backend), `after ${op.do}`);
            }
            await assertExact(memory.world.backend);
            assert.deepEqual(
              await Array.fromAsync(embedded.world.backend.urls()),
              await Array.fromAsync(memory.world.backend.urls()),
            );
            for (const end of ["fetched", "trap"] as const)
              assert.deepEqual(
                await Array.fromAsync(embedded.world.backend.endedAs(end)),
                await Array.fromAsync(memory.world.backend.endedAs(end)),
              );
            memory.world.clock.time += 1000;
            embedded.world.clock.time += 1000;
            assert.deepEqual(await embedded.world.drain(), await memory.world.drain());
          } finally {
            for (const { world } of players) await world.close();
          }
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });
