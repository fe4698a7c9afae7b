/** A clock that jumps: when nothing else is left to do, the next sleeper's time has come. Hours pass in milliseconds. */
import type { Clock, Instant } from "../../src/base/clock.ts";

interface Sleeper {
  readonly at: Instant;
  readonly wake: () => void;
}

export class SimulatedClock implements Clock {
  #time: Instant;
  #sleepers: Sleeper[] = [];
  #running = false;

  constructor(time: Instant = Date.UTC(2026, 0, 1)) {
    this.#time = time;
  }

  now(): Instant {
    return this.#time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const sleeper: Sleeper = { at: this.#time + Math.max(ms, 0), wake };
      const abort = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        wake();
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#sleepers.push(sleeper);
      this.#run();
    });
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    // Two turns of the event loop: whatever was ready to run has run, and has said what it waits for.
    setImmediate(() =>
      setImmediate(() => {
        this.#running = false;
        if (this.#sleepers.length === 0) return;
        const next = this.#sleepers.reduce((first, other) => (other.at < first.at ? other : first));
        this.#sleepers = this.#sleepers.filter((other) => other !== next);
        this.#time = Math.max(this.#time, next.at);
        next.wake();
        this.#run();
      }),
    );
  }
}
