/** Leases as the shards give them, and what is remembered of those that are open. */
import type { Clock, Instant } from "../../../base/clock.ts";
import { cashOf } from "../../../dedup/cash-levels.ts";
import type { HostKey } from "../../../model/host.ts";
import type { Lease } from "../../../model/lease.ts";
import type { Release, Settled } from "../../../ports/frontier.ts";
import type { Word } from "../redis/connection.ts";
import { type Pointer, pointerOf } from "../segments/entry.ts";
import type { Segments } from "../segments/segments.ts";
import { urlOf } from "./rows.ts";
import { Grouped, type Shards } from "./shards.ts";
import type { Spill } from "./spill.ts";

export interface LeasesParts {
  readonly shards: Shards;
  readonly segments: Segments;
  readonly spill: Spill;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly owner: string;
}

/** A script that is longer keeps all others waiting too long. */
const LEASES_A_CALL = 250;
const TOKEN_DIGITS = 16;

/** What is remembered of an open lease beside what all see of it. */
export interface Leased {
  /** Where the latest record of its URL stands. */
  readonly visit: Pointer | null;
  readonly fpHi: number;
  readonly fpLo: number;
}

/** As lease.lua tells it. */
type ToldLease = readonly [
  token: number,
  local: number,
  attempt: number,
  tier: number,
  host: HostKey,
  level: number,
  visit: string,
  previous: string,
  fpHi: number,
  fpLo: number,
  moved: number,
  tail: string,
];

/** As scripts are told until when a host is left alone. */
export const timeWord = (at: Instant): string => (at === Number.POSITIVE_INFINITY ? "inf" : String(at));

function fingerprintOf(leased: Leased | undefined): Word {
  if (leased === undefined) return "";
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUInt32LE(leased.fpLo, 0);
  bytes.writeUInt32LE(leased.fpHi, 4);
  return bytes;
}

export class Leases {
  readonly #parts: LeasesParts;
  readonly #leased = new Map<number, Leased>();

  constructor(parts: LeasesParts) {
    this.#parts = parts;
  }

  /** What is remembered of a lease that this crawler has open. */
  remembered({ token }: Lease): Leased | undefined {
    return this.#leased.get(token);
  }

  forget({ token }: Lease): void {
    this.#leased.delete(token);
  }

  /** Up to `max`, on hosts that are due. */
  async take(max: number): Promise<Lease[]> {
    const { shards, spill, clock, leaseMs } = this.#parts;
    const leases: Lease[] = [];
    const given = new Set<number>();
    while (leases.length < max) {
      const offers = (await shards.withWork(max - leases.length)).filter(({ shard }) => !given.has(shard));
      if (offers.length === 0) break;
      const expiresAt = clock.now() + leaseMs;
      await Promise.all(
        offers.map(async ({ shard, most }) => {
          const wanted = Math.min(most, LEASES_A_CALL);
          const words = [wanted, leaseMs, shards.count, shard].map(String);
          const [told, away] = await shards.run<[ToldLease[], number[]]>("lease", shard, words);
          if (away.length > 0) await spill.bringBack(shard, away);
          else if (told.length < wanted) given.add(shard);
          leases.push(...(await this.#leasesOf(shard, told, expiresAt)));
        }),
      );
    }
    return leases;
  }

  async release(leases: readonly Release[]): Promise<void> {
    const words = new Grouped<number, string>();
    for (const { lease, hostReadyAt, hostTier } of leases.toReversed()) {
      const { shard, member } = this.memberOf(lease);
      words.add(shard, member, timeWord(hostReadyAt), String(hostTier ?? ""));
      this.#leased.delete(lease.token);
    }
    await this.#parts.shards.runAll("release", words);
  }

  async #leasesOf(shard: number, told: readonly ToldLease[], expiresAt: Instant): Promise<Lease[]> {
    const { shards, segments } = this.#parts;
    const back = told.flatMap(([, , , , , , , previous]) => (previous === "" ? [] : [pointerOf(previous)]));
    const records = (await segments.readMany(back))[Symbol.iterator]();
    return told.map(([token, local, attempt, tier, host, level, visit, previous, fpHi, fpLo, moved, tail]) => {
      this.#leased.set(token, { visit: visit === "" ? null : pointerOf(visit), fpHi, fpLo });
      const { detail: _, ...url } = urlOf(shards.idOf({ shard, local }), host, tail);
      const entry = previous === "" ? null : records.next().value!;
      return {
        ...{ token, url, attempt, expiresAt, tier },
        previous: entry === null ? null : (entry.value as Lease["previous"]),
        importance: cashOf(level),
        ...(moved === 1 && { hostMoved: true }),
      };
    });
  }

  /** As it stands among the shard's leases. */
  memberOf({ token, url }: Lease): { shard: number; member: string } {
    const { shard, local } = this.#parts.shards.localOf(url.id);
    return { shard, member: `${String(token).padStart(TOKEN_DIGITS, "0")}:${local}:${this.#parts.owner}` };
  }

  /** The level of each URL's cash; -1 where the lease is not current, or stands here a second time. */
  async fence(settled: readonly Settled[]): Promise<number[]> {
    const words = new Grouped<number, Word>();
    const met = new Set<number>();
    const shardOf = settled.map(({ lease }) => {
      const { shard, member } = this.memberOf(lease);
      if (met.has(lease.token)) return -1;
      met.add(lease.token);
      words.add(shard, member, fingerprintOf(this.remembered(lease)));
      return shard;
    });
    const told = new Map(
      await Promise.all(
        Array.from(words, async ([shard, some]) => {
          return [shard, (await this.#parts.shards.ask<number[]>("fence", shard, some))[Symbol.iterator]()] as const;
        }),
      ),
    );
    return shardOf.map((shard) => (shard === -1 ? -1 : told.get(shard)!.next().value!));
  }
}
