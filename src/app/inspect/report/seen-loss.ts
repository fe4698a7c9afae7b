/** How many URLs a crawl has probably lost because they were taken for ones that were seen: from what it knew when, by formula. */
import { expectedLoss, knowsIds, type SeenChoice } from "../../../dedup/seen-kinds.ts";
import type { EndReason } from "../../../model/end.ts";
import type { Backend, StateQueries } from "../../../ports/frontier.ts";
import { count } from "../../wording.ts";

const FACT = "seen";

/** A choice, and how many URLs were known when it began to hold. */
interface Since extends SeenChoice {
  readonly urls: number;
  /** What its filters had refused by then, where the state tells that. */
  readonly refused?: number;
}

type Standing = Pick<StateQueries, "fact" | "endCounts" | "refused"> & Pick<Backend, "pending">;

export interface SeenLoss {
  /** The way that holds now. */
  readonly kind: SeenChoice["kind"];
  /** URLs admitted. */
  readonly urls: number;
  /** Of new URLs, how many were probably taken for seen ones; 0 when that cannot be. */
  readonly expectedLost: number;
  /** The filter by which, the latest if there were several; null where there was none. */
  readonly by: SeenChoice["kind"] | null;
}

/** Called when a run begins. `isMoved`: what is known came from elsewhere, and nothing of it was lost here, whatever the filters say. */
export async function rememberSeen(
  state: Standing & Pick<Backend, "setFact">,
  { kind, capacity, error }: SeenChoice,
  { isMoved = false } = {},
): Promise<void> {
  const before = await read(state);
  const last = before.at(-1);
  if (!isMoved && last?.kind === kind && last.capacity === capacity && last.error === error) return;
  const since: Since = {
    ...{ kind, capacity, error, urls: await admitted(state) },
    ...(state.refused !== undefined && { refused: await state.refused() }),
  };
  await state.setFact(FACT, JSON.stringify([...before, since]));
}

/** Of all runs together. Each filter was filled with all that was known before it. */
export async function seenLoss(state: Standing): Promise<SeenLoss> {
  const ways = await read(state);
  const urls = await admitted(state);
  let expectedLost = 0;
  let by: SeenLoss["by"] = null;
  for (const [nth, way] of ways.entries()) {
    const next = ways[nth + 1];
    const lost =
      next === undefined && state.refused !== undefined && !knowsIds(way.kind)
        ? (await state.refused()) - (way.refused ?? 0)
        : expectedLoss(way, way.urls, next?.urls ?? urls);
    expectedLost += lost;
    if (lost > 0) by = way.kind;
  }
  return { kind: ways.at(-1)?.kind ?? "exact", urls, expectedLost, by };
}

/** In a few words; null when nothing can have been lost. What loses no more, and takes in what was lost when it is found again, is named too. */
export function lossWords({ kind, urls, expectedLost, by }: SeenLoss): string | null {
  if (by === null) return null;
  const lost = expectedLost < 0.5 ? "fewer than one URL" : `about ${count(Math.round(expectedLost))}`;
  const since = by === kind ? "" : `; none since (--seen ${kind})`;
  return `${lost} of ${count(urls)}, taken wrongly for seen before (--seen ${by})${since}`;
}

/** Whether more may be lost as the crawl goes on. */
export const losesMore = ({ kind, by }: SeenLoss): boolean => kind === by;

async function read(state: Pick<StateQueries, "fact">): Promise<readonly Since[]> {
  const kept = await state.fact(FACT);
  return kept === null ? [] : (JSON.parse(kept) as Since[]);
}

/** What is left out on admission is remembered apart, and lost by nobody. */
const LEFT_OUT: ReadonlySet<EndReason> = new Set(["scope", "trap", "depth", "too-long", "refused-address"]);

async function admitted(state: Standing): Promise<number> {
  const { queued, leased, delayed } = await state.pending();
  let urls = queued + leased + delayed;
  for (const [end, n] of await state.endCounts()) if (!LEFT_OUT.has(end)) urls += n;
  return urls;
}
