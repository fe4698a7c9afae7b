/** A clock that a test moves by hand, for parts that sleep and are at work with a real Redis in between. */
import { setTimeout as really } from "node:timers/promises";
import type { Clock, Instant } from "../../../src/base/clock.ts";

interface Sleeper {
  readonly at: Instant;
  readonly wake: () => void;
}

export class HandClock implements Clock {
  time: Instant = 1_000_000;
  #sleepers: Sleeper[] = [];

  now(): Instant {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = { at: this.time + Math.max(ms, 0), wake: resolve };
      this.#sleepers.push(sleeper);
      const abort = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      };
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  get sleepers(): number {
    return this.#sleepers.length;
  }

  /** When the next one wakes; Infinity when nobody sleeps. */
  get nextAt(): Instant {
    return Math.min(...this.#sleepers.map(({ at }) => at));
  }

  /** Lets time pass, and wakes those whose time has come. */
  pass(ms: number): void {
    this.time += ms;
    const due = this.#sleepers.filter(({ at }) => at <= this.time);
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.time);
    for (const { wake } of due) wake();
  }

  /** Waits, for as long as the work takes, until so many sleep. */
  async until(sleepers: number): Promise<void> {
    for (let tries = 0; this.sleepers < sleepers; tries++) {
      if (tries > 5_000) throw new Error(`${this.sleepers} sleep, and never ${sleepers}`);
      await really(2);
    }
  }
}
