/**
 * Which member of a cluster looks after which shard: rendezvous hashing (Thaler and Ravishankar 1998, "Using name-based
 * mappings to increase hit rates"). Each member has a score for each shard, and the highest has it: who joins takes a
 * little from each, who leaves gives what he had to all, and nothing else moves. Members of other weights by the
 * logarithmic method (Schindelhauer and Schomaker 2005, "Weighted distributed hash tables").
 */
import { fmix, hashText } from "../base/hash.ts";
import type { Member } from "../model/member.ts";

/** Who is there for huge hosts has of all others so much, held against a member that is there for all. */
const DEDICATED_WEIGHT = 1 / 8;

/**
 * Of each shard, the id of its member. There must be one member at least, and their order changes nothing. Of two who are
 * there for the same shard, the first by id has it.
 */
export function ownersOf(shards: number, members: readonly Member[]): string[] {
  const bidders = members.map(({ id, pinned }) => ({
    id,
    pinned,
    word: hashText(id)[0],
    weight: pinned.length === 0 ? 1 : DEDICATED_WEIGHT,
  }));
  bidders.sort((a, b) => (a.id < b.id ? -1 : 1)); // of equal scores, too, all choose the same
  const owners = Array.from({ length: shards }, (_, shard) => {
    const salt = fmix(shard + 1);
    let owner = "";
    let best = Number.NEGATIVE_INFINITY;
    for (const { id, word, weight } of bidders) {
      const score = weight / -Math.log(evenly(fmix(word ^ salt)));
      if (score > best) {
        best = score;
        owner = id;
      }
    }
    return owner;
  });
  for (const { id, pinned } of bidders.toReversed()) for (const shard of pinned) owners[shard] = id;
  return owners;
}

/** From a hash of 32 bits to 0 < x < 1. */
const evenly = (hash: number): number => ((hash >>> 0) + 0.5) / 2 ** 32;
