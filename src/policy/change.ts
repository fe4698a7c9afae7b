/** Whether a page has changed since it was seen last, for people and for what reads it. */
import type { History } from "../model/history.ts";

/** So many bits of the SimHash may differ before a page has changed (SPEC 9). */
const SAME_WITHIN = 3;

export interface Change {
  /** "first": there was nothing to compare with. */
  readonly kind: "first" | "same" | "changed";
  /** Bits of the SimHash that differ; null where texts were not compared. */
  readonly distance: number | null;
}

/**
 * `now`: the digest of the content. `distance`: between its SimHash and that in the history, null where one of them has
 * none. Bodies that differ may say the same but for an advertisement; where there is too little text to tell, any byte counts.
 */
export function changeOf({ digest }: Pick<History, "digest">, now: string, distance: number | null): Change {
  if (digest === null) return { kind: "first", distance: null };
  if (digest === now) return { kind: "same", distance };
  return { kind: distance !== null && distance <= SAME_WITHIN ? "same" : "changed", distance };
}
