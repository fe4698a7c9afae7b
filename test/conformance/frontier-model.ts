/** Random operations on several back ends at once: whatever is done to them, in whatever order, they answer alike. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type HostKey, newHostState } from "../../src/model/host.ts";
import type { Lease, Verdict } from "../../src/model/lease.ts";
import type { NewUrl } from "../../src/model/link.ts";
import type { Href } from "../../src/model/url.ts";
import type { FrontierState } from "../../src/ports/frontier.ts";
import { settled, url, type World } from "./frontier-world.ts";

/** What a frontier under test is opened with. */
export const MODEL_OPTIONS = {
  leaseMs: 100,
  firstTier: (host: HostKey): number => (host === "http://h3" ? 1 : 0),
} as const;

export type Operation =
  | { readonly do: "add"; readonly urls: readonly NewUrl[] }
  | { readonly do: "lease"; readonly max: number }
  | { readonly do: "commit"; readonly parts: readonly Part[]; readonly requests: number }
  | { readonly do: "release"; readonly parts: readonly Part[]; readonly setAside: boolean }
  | { readonly do: "visit"; readonly count: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "crash" | "reopen" };

/** `pick`: which of the leases ever given, the latest last; it may be settled, expired, or of an earlier life. */
interface Part {
  readonly pick: number;
  readonly verdict: Verdict["kind"] | "drop";
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
/** `dueAt`: when what has ended is due again. `visits`: so many are leased and ended in a row, at most. */
export function operations(dueAt: fc.Arbitrary<number | null>, visits: number): fc.WeightedArbitrary<Operation>[] {
  const part: fc.Arbitrary<Part> = fc.record({
    pick: fc.nat(7),
    verdict: fc.constantFrom("end" as const, "end", "end", "drop", "retry", "again", "follow"),
    dueAt,
    readyIn: fc.integer({ min: -10, max: 40 }),
    tier: fc.constantFrom(undefined, undefined, -1, 0, 2),
    links: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: urls }),
    again: fc.oneof(fc.constant([]), fc.array(newUrl, { maxLength: 80, size: "max" })),
    more: fc.nat(9),
  });
  const parts = fc.array(part, { maxLength: 5 });
  return [
    { weight: 3, arbitrary: fc.record({ do: fc.constant("add"), urls }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("lease"), max: fc.nat(5) }) },
    { weight: 8, arbitrary: fc.record({ do: fc.constant("commit"), parts, requests: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("release"), parts, setAside: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("visit"), count: fc.integer({ min: 1, max: visits }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.integer({ min: 1, max: 60 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("crash", "reopen") }) },
  ];
}

export function played<Op>(operations: readonly fc.WeightedArbitrary<Op>[]): fc.Arbitrary<Op[]> {
  return fc.array(fc.oneof(...operations), { minLength: 5, maxLength: 60, size: "max" });
}

/** Applies operations to a store and tells what it answered. Leases are known by the order in which they were given. */
export class Player<B extends FrontierState = FrontierState> {
  readonly world: World<B>;
  readonly #leases: Lease[] = [];

  constructor(world: World<B>) {
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
      case "wait":
        world.clock.time += op.ms;
        return;
      case "crash":
        return world.crash();
      case "reopen":
        return world.reopen();
    }
  }

  /** Everything that can be seen of a store. */
  async view(): Promise<object> {
    const { backend } = this.world;
    return {
      pending: await backend.pending(),
      nextReadyAt: await backend.nextReadyAt(),
      ends: Object.fromEntries(await backend.endCounts()),
      host: await backend.host("http://h1" as HostKey),
      top: await backend.topHosts(9),
    };
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

/** What promises 6 and 7 say of the counts, from a full count. */
async function assertExact(backend: FrontierState): Promise<void> {
  const { queued, leased, delayed, hosts } = await backend.pending();
  const open = (await Array.fromAsync(backend.urls())).filter(({ state }) => state !== "ended");
  assert.equal(queued + leased + delayed, open.length);
  assert.equal(hosts, new Set(open.map(({ host }) => host)).size);
}

/** Someone who plays operations of these kinds. */
interface Plays<Op> {
  readonly world: World;
  play(op: Op): Promise<unknown>;
  view(): Promise<object>;
}

/**
 * Plays the same on both and holds every answer of the one against that of the other; at the end so many are leased and
 * ended, all unless told, and the worlds closed.
 */
export async function assertAlike<Op extends { readonly do: string }>(
  [one, other]: readonly [Plays<Op>, Plays<Op>],
  played: readonly Op[],
  drained?: number,
): Promise<void> {
  const worlds = [one.world, other.world] as const;
  const both = <T>(ask: (backend: FrontierState) => AsyncIterable<T>) =>
    Promise.all(worlds.map(({ backend }) => Array.fromAsync(ask(backend))));
  try {
    for (const op of played) {
      assert.deepEqual(await one.play(op), await other.play(op), op.do);
      assert.deepEqual(await one.view(), await other.view(), `after ${op.do}`);
    }
    await assertExact(other.world.backend);
    const [urls, otherUrls] = await both((backend) => backend.urls());
    assert.deepEqual(urls, otherUrls);
    for (const end of ["fetched", "trap"] as const) {
      const [ends, otherEnds] = await both((backend) => backend.endedAs(end));
      assert.deepEqual(ends, otherEnds);
    }
    for (const { clock } of worlds) clock.time += 1_000;
    assert.deepEqual(await one.world.drain(drained), await other.world.drain(drained));
  } finally {
    for (const world of worlds) await world.close();
  }
}
