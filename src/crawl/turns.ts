/** Address clocks in the memory of one process: a few leases wait in line for each address, the rest are told when to come back. */
import type { Clock, Instant } from "../base/clock.ts";
import type { Turn, Turns } from "../ports/turns.ts";

export interface TurnRules {
  /** Turns that may be open at once on one address: `--host-concurrency`. */
  readonly atOnce: number;
  /** Shortest time from the end of one request to the start of the next, in ms. */
  readonly delayMs: number;
}

/**
 * So many leases wait in memory for one address; it need only be enough that an address that falls due always finds
 * one waiting, while a lease that comes back costs the frontier a push and a pop.
 */
const LINE_LENGTH = 8;

/** Addresses idle for so long are forgotten: their clocks have run out. */
const SWEEP_EVERY = 4096;

/** Nobody else gives a turn away in this process. */
const GRANTED: Turn = { granted: true, until: Number.POSITIVE_INFINITY };

interface Line {
  open: number;
  readyAt: Instant;
  /** When the last one sent away was told to come back. */
  lastTryAt: Instant;
  readonly waiting: ((granted: boolean) => void)[];
  timer: boolean;
}

export function addressTurns(clock: Clock, rules: TurnRules): Turns {
  const lines = new Map<string, Line>();
  let taken = 0;

  const due = (line: Line, now: Instant) => line.open < rules.atOnce && line.readyAt <= now;

  function advance(address: string, line: Line): void {
    const now = clock.now();
    while (line.waiting.length > 0 && due(line, now)) {
      line.open++;
      line.waiting.shift()!(true);
    }
    if (line.waiting.length === 0 || line.timer || line.open >= rules.atOnce) return;
    line.timer = true;
    void clock.sleep(line.readyAt - now).then(() => {
      line.timer = false;
      advance(address, line);
    });
  }

  function sweep(): void {
    const now = clock.now();
    for (const [address, line] of lines)
      if (line.open === 0 && line.waiting.length === 0 && line.readyAt <= now) lines.delete(address);
  }

  return {
    async take(address: string, until: Instant, signal?: AbortSignal): Promise<Turn> {
      if (++taken % SWEEP_EVERY === 0) sweep();
      let line = lines.get(address);
      if (line === undefined) {
        line = { open: 0, readyAt: 0, lastTryAt: 0, waiting: [], timer: false };
        lines.set(address, line);
      }
      const now = clock.now();
      if (line.waiting.length === 0 && due(line, now)) {
        line.open++;
        return GRANTED;
      }
      const step = Math.max(rules.delayMs, 10) / rules.atOnce;
      if (line.waiting.length >= LINE_LENGTH || signal?.aborted || now >= until) {
        line.lastTryAt = Math.max(line.lastTryAt, now + LINE_LENGTH * step) + step;
        return { granted: false, tryAt: line.lastTryAt };
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      line.waiting.push(resolve);
      const leave = () => {
        const at = line.waiting.indexOf(resolve);
        if (at >= 0) line.waiting.splice(at, 1);
        resolve(false);
      };
      signal?.addEventListener("abort", leave, { once: true });
      const waited = new AbortController();
      if (Number.isFinite(until)) void clock.sleep(until - now, waited.signal).then(leave);
      advance(address, line);
      const granted = await promise;
      waited.abort();
      signal?.removeEventListener("abort", leave);
      return granted ? GRANTED : { granted: false, tryAt: clock.now() };
    },

    give(address: string, readyAt: Instant): void {
      const line = lines.get(address);
      if (line === undefined) throw new Error(`a turn on ${address} was given back that nobody took`);
      line.open--;
      line.readyAt = Math.max(line.readyAt, readyAt);
      advance(address, line);
    },
  };
}
