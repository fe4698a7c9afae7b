/** Ctrl-C and friends: once stops cleanly, twice stops at once, three times does not ask. */
import type { Clock, Instant } from "../../base/clock.ts";
import { EXIT } from "./exit-codes.ts";

/** What is needed of `process`. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): unknown;
}

export interface StopSignals extends Disposable {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Aborted by the second. */
  readonly hardSignal: AbortSignal;
  /** The first signal, or null. */
  readonly received: () => NodeJS.Signals | null;
}

const LISTENED: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Signals closer than this are one: a terminal sends Ctrl-C to the whole group, and npm passes on to its child what the
 * child has got already.
 */
const SAME_MS = 250;

export function listenForSignals(source: SignalSource, clock: Clock, say: (line: string) => void): StopSignals {
  const soft = new AbortController();
  const hard = new AbortController();
  let received: NodeJS.Signals | null = null;
  let lastAt: Instant = Number.NEGATIVE_INFINITY;
  const listener = (signal: NodeJS.Signals): void => {
    const now = clock.now();
    if (now - lastAt < SAME_MS) return;
    lastAt = now;
    received ??= signal;
    if (hard.signal.aborted) {
      source.exit(received === "SIGTERM" ? EXIT.terminated : EXIT.interrupted);
    } else if (soft.signal.aborted) {
      say("Stopping at once; the pages on their way are fetched again next time.");
      hard.abort();
    } else {
      say("Stopping when the open requests have ended; Ctrl-C again to stop at once.");
      soft.abort();
    }
  };
  for (const signal of LISTENED) source.on(signal, listener);
  return {
    signal: soft.signal,
    hardSignal: hard.signal,
    received: () => received,
    [Symbol.dispose]() {
      for (const signal of LISTENED) source.off(signal, listener);
    },
  };
}

/**
 * For commands that write what is there whole or not at all: what `work` says; or, when it threw after the first signal, the
 * exit code of that. The second signal does not wait for `work` to tidy up: the next such command does that.
 */
export async function untilStopped(
  { signals, clock }: { readonly signals: SignalSource; readonly clock: Clock },
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  using stops = listenForSignals(signals, clock, () => {});
  const code = (): number => (stops.received() === "SIGTERM" ? EXIT.terminated : EXIT.interrupted);
  stops.hardSignal.addEventListener("abort", () => signals.exit(code()));
  try {
    return await work(stops.signal);
  } catch (cause) {
    if (stops.received() === null) throw cause;
    return code();
  }
}
