/**
 * PageRank (Page, Brin, Motwani and Winograd 1999) over links that are streamed from a file, once for each round: memory
 * holds 20 bytes an id, whatever the number of links.
 */

/** Links as ids: from, to, from, to... Ids begin at 1. Can be read as often as asked; each link once. */
export type LinkPairs = () => AsyncIterable<Uint32Array>;

/** Which ids are those of pages. */
export interface PageIds {
  readonly last: number;
  readonly count: number;
  has(id: number): boolean;
}

export interface RankRules {
  /** The chance that somebody on a page takes one of its links, rather than going anywhere. */
  readonly damping: number;
  /** Ends when all ranks together move by less than this in a round. They add up to 1. */
  readonly tolerance: number;
  readonly maxRounds: number;
}

export const RANK_RULES: RankRules = { damping: 0.85, tolerance: 1e-6, maxRounds: 100 };

export interface Ranks {
  /** By id; adds up to 1. */
  readonly rank: Float64Array;
  readonly inLinks: Uint32Array;
  readonly outLinks: Uint32Array;
  readonly rounds: number;
}

/**
 * Ranks pages. Those without links out are taken to link to all. An id that is no page's has no rank, and none goes there.
 * `onRound`: after each round, with how far the ranks have moved in it.
 */
export async function pageRank(
  pages: PageIds,
  pairs: LinkPairs,
  { damping, tolerance, maxRounds }: RankRules = RANK_RULES,
  onRound: (round: number, moved: number) => void = () => {},
): Promise<Ranks> {
  const { last, count } = pages;
  const outLinks = new Uint32Array(last + 1);
  const inLinks = new Uint32Array(last + 1);
  const give = (ranks: Float64Array, share: number): void => {
    for (let id = 1; id <= last; id++) ranks[id] = pages.has(id) ? share : 0;
  };
  for await (const chunk of pairs())
    for (let at = 0; at < chunk.length; at += 2) {
      outLinks[chunk[at]!]!++;
      inLinks[chunk[at + 1]!]!++;
    }
  let rank = new Float64Array(last + 1);
  let next = new Float64Array(last + 1);
  give(rank, 1 / count);
  let round = 0;
  for (let moved = Number.POSITIVE_INFINITY; moved > tolerance && round < maxRounds; ) {
    let dangling = 0;
    for (let id = 1; id <= last; id++) if (outLinks[id] === 0) dangling += rank[id]!;
    give(next, (1 - damping + damping * dangling) / count);
    for await (const chunk of pairs())
      for (let at = 0; at < chunk.length; at += 2) {
        const from = chunk[at]!;
        next[chunk[at + 1]!]! += (damping * rank[from]!) / outLinks[from]!;
      }
    moved = 0;
    for (let id = 1; id <= last; id++) moved += Math.abs(next[id]! - rank[id]!);
    [rank, next] = [next, rank];
    onRound(++round, moved);
  }
  return { rank, inLinks, outLinks, rounds: round };
}
