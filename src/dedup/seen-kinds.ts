/** The ways to remember which URLs were seen, by name; and how many URLs each has probably cost. */
import { Bloom } from "./bloom.ts";
import { CountingBloom } from "./counting-bloom.ts";
import { expectedLost, filterSize } from "./probes.ts";
import { ScalableBloom } from "./scalable-bloom.ts";
import type { SeenSet } from "./seen-set.ts";
import type { Fill } from "./snapshot.ts";

/** `exact` keeps every fingerprint; `bloom+exact` has a filter before fingerprints on disk; the others are filters alone. */
export const SEEN_KINDS = ["exact", "bloom", "scalable-bloom", "counting-bloom", "bloom+exact"] as const;
export type SeenKind = (typeof SEEN_KINDS)[number];

/** Whether what was seen is known by its id, or only that it was. */
export const knowsIds = (kind: SeenKind): boolean => kind === "exact" || kind === "bloom+exact";

export interface SeenChoice {
  readonly kind: SeenKind;
  /** URLs that a filter is made for; the first size of one that grows. */
  readonly capacity: number;
  /** How often a filter that is full may take a new URL for one that was seen. */
  readonly error: number;
}

/** The filter of a choice that has one. */
export function filterOf({ kind, capacity, error }: SeenChoice): SeenSet {
  if (kind === "scalable-bloom") return new ScalableBloom(capacity, error);
  return kind === "counting-bloom" ? CountingBloom.for(capacity, error) : Bloom.for(capacity, error);
}

/** The same, from the snapshot whose bytes come next; null when they are damaged, or of another filter. */
export function readFilter({ kind }: SeenChoice, fill: Fill): SeenSet | null {
  if (kind === "scalable-bloom") return ScalableBloom.read(fill);
  return kind === "counting-bloom" ? CountingBloom.read(fill) : Bloom.read(fill);
}

/** How many new URLs were probably taken for known ones while the set grew from `from` to `to` URLs. */
export function expectedLoss(choice: SeenChoice, from: number, to: number): number {
  return lossUpTo(choice, to) - lossUpTo(choice, from);
}

function lossUpTo({ kind, capacity, error }: SeenChoice, count: number): number {
  if (knowsIds(kind)) return 0;
  if (kind === "scalable-bloom") return ScalableBloom.expectedLost(capacity, error, count);
  return expectedLost(filterSize(capacity, error), count);
}
