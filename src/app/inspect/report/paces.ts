/** Which delay was in force when: kept with the state, so that a report holds each request against the promise of its day. */
import type { Instant } from "../../../base/clock.ts";
import type { Backend, StateQueries } from "../../../ports/frontier.ts";
import type { CrawlConfig } from "../../config/crawl-config.ts";
import type { Pace } from "./gaps.ts";

const FACT = "paces";

type Configured = Pick<CrawlConfig, "delay" | "hostConcurrency">;

/** Several requests at once share the pause among them, as `politenessOf` says. */
const paceOf = ({ delay, hostConcurrency }: Configured, from: Instant): Pace => ({
  from,
  gapMs: delay / hostConcurrency,
  atOnce: hostConcurrency,
});

/** In order of time, the first from the beginning on. `config`: what to go by when nothing was kept. */
export async function pacesOf(state: Pick<StateQueries, "fact">, config: Configured): Promise<readonly Pace[]> {
  const kept = await state.fact(FACT);
  return kept === null ? [paceOf(config, 0)] : (JSON.parse(kept) as Pace[]);
}

/** Called when archives are imported: what others asked for, however fast, breaks no promise of ours. */
export async function promiseNothing(state: Pick<Backend, "fact" | "setFact">): Promise<void> {
  const pace: Pace = { from: 0, gapMs: null, atOnce: 1 };
  if ((await state.fact(FACT)) === null) await state.setFact(FACT, JSON.stringify([pace]));
}

/** Called when a run begins. */
export async function rememberPace(
  state: Pick<Backend, "fact" | "setFact">,
  config: Configured,
  now: Instant,
): Promise<void> {
  const kept = await state.fact(FACT);
  const paces = kept === null ? [] : (JSON.parse(kept) as Pace[]);
  const last = paces.at(-1);
  const next = paceOf(config, last === undefined ? 0 : now);
  if (last?.gapMs === next.gapMs && last.atOnce === next.atOnce) return;
  await state.setFact(FACT, JSON.stringify([...paces, next]));
}
