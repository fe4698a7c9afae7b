/** What ends a run before its time: the user's signals, the time limit, and the end of patience with open visits. */
import type { CrawlConfig } from "../config/crawl-config.ts";
import type { CrawlHooks } from "./outcome.ts";

/** A crawl that is told to stop gives open visits so long to end, in ms. */
const GRACE_MS = 10_000;

export interface Stop {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  readonly deadline: number | null;
  readonly timedOut: () => boolean;
  /** As the first signal does. */
  readonly halt: () => void;
  readonly cancel: () => void;
}

/** The user's signals, the time limit, and the end of patience with open visits, as one pair of signals. */
export function stopsOf(config: CrawlConfig, hooks: CrawlHooks, startedAt: number): Stop {
  const soft = new AbortController();
  const hard = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let timedOut = false;
  const stopSoon = () => {
    soft.abort();
    timers.push(setTimeout(() => hard.abort(), GRACE_MS));
  };
  if (hooks.signal.aborted) stopSoon();
  hooks.signal.addEventListener("abort", stopSoon, { once: true });
  hooks.hardSignal?.addEventListener("abort", () => hard.abort(), { once: true });
  const deadline = config.timeLimit === null ? null : startedAt + config.timeLimit;
  if (config.timeLimit !== null) {
    const strike = () => {
      timedOut = !soft.signal.aborted;
      stopSoon();
    };
    timers.push(setTimeout(strike, Math.min(config.timeLimit, 2 ** 31 - 1)));
  }
  const cancel = () => {
    for (const timer of timers) clearTimeout(timer);
    hooks.signal.removeEventListener("abort", stopSoon);
  };
  return { soft: soft.signal, hard: hard.signal, deadline, timedOut: () => timedOut, halt: stopSoon, cancel };
}
