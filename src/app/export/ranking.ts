/** The pages of a crawl ranked by its links: PageRank over a file of pairs that is made for it and read once a round. */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { readFully } from "../../base/read-fully.ts";
import { naming } from "../../base/replace-file.ts";
import { temporaryFolder } from "../../base/temporary.ts";
import type { Edge } from "../../export/link-graph.ts";
import { type LinkPairs, type PageIds, pageRank, RANK_RULES, type Ranks } from "../../export/page-rank.ts";

export interface RankingJob {
  readonly pages: PageIds;
  readonly edges: AsyncIterable<Edge>;
  readonly damping?: number;
  onRound(round: number, moved: number): void;
}

/** By ways out of pages: embedded parts and links marked nofollow recommend nothing, nor does a page itself. */
export async function rankPages({ pages, edges, damping = RANK_RULES.damping, onRound }: RankingJob): Promise<Ranks> {
  await using folder = await temporaryFolder("rank");
  const path = join(folder.path, "links");
  await using file = await open(path, "w+");
  await naming(path, () => writePairs(file, edges));
  return await pageRank(pages, pairsOf(file), { ...RANK_RULES, damping }, onRound);
}

const PAIRS_AT_ONCE = 32_768;
const BYTES_A_PAIR = 8;

/** Edges of one page come one after the other: a target that it links to twice counts once. */
async function writePairs(file: FileHandle, edges: AsyncIterable<Edge>): Promise<void> {
  const pairs = new Uint32Array(2 * PAIRS_AT_ONCE);
  let filled = 0;
  let page = 0;
  const targets = new Set<number>();
  for await (const { from, to, embed, nofollow } of edges) {
    if (from !== page) targets.clear();
    page = from;
    if (to === null || to === from || embed || nofollow || targets.has(to)) continue;
    targets.add(to);
    pairs[filled++] = from;
    pairs[filled++] = to;
    if (filled < pairs.length) continue;
    await file.appendFile(new Uint8Array(pairs.buffer)); // all of it: `write` may take a part
    filled = 0;
  }
  if (filled > 0) await file.appendFile(new Uint8Array(pairs.buffer, 0, filled * 4));
}

const pairsOf = (file: FileHandle): LinkPairs =>
  async function* () {
    const bytes = new Uint8Array(PAIRS_AT_ONCE * BYTES_A_PAIR);
    for (let at = 0; ; ) {
      const read = await readFully(file, bytes, at);
      if (read === 0) return;
      yield new Uint32Array(bytes.buffer, 0, read / 4);
      at += read;
    }
  };
