/** How a shard stood when it was asked last: what waits there, who is next, and until when that is true by itself. */
import type { Instant } from "../../base/clock.ts";

/** A host that may be leased; `over`: only if no other is due. */
export interface Candidate {
  readonly kind: "due" | "over";
  readonly tier: number;
  readonly readyAt: string;
  readonly order: string;
}

export interface Standing {
  readonly queued: number;
  readonly leased: number;
  readonly delayed: number;
  readonly hosts: number;
  /** When the next lease can be had; Infinity when only an event can bring one. */
  readonly readyAt: Instant;
  /** When it changes by itself. */
  readonly wakeAt: Instant;
  readonly best: Candidate | null;
  /** When it was asked. */
  readonly at: Instant;
}

/** From the answer of a script. */
export function standingOf(told: readonly string[], at: Instant): Standing {
  const [queued, leased, delayed, hosts] = told.slice(0, 4).map(Number) as [number, number, number, number];
  const time = (text: string | undefined): Instant =>
    text === undefined || text === "" ? Number.POSITIVE_INFINITY : Number(text);
  const best = candidateOf("due", told.slice(6, 9)) ?? candidateOf("over", told.slice(9, 12));
  return { queued, leased, delayed, hosts, readyAt: time(told[4]), wakeAt: time(told[5]), best, at };
}

function candidateOf(kind: Candidate["kind"], [tier, readyAt, order]: readonly string[]): Candidate | null {
  return tier === undefined || tier === "" ? null : { kind, tier: Number(tier), readyAt: readyAt!, order: order! };
}

/** Less than 0: `a` is leased first. */
export function compare(a: Candidate, b: Candidate): number {
  if (a.kind !== b.kind) return a.kind === "due" ? -1 : 1;
  return a.tier - b.tier || Number(a.readyAt) - Number(b.readyAt) || (a.order < b.order ? -1 : 1);
}
