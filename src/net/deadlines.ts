/** One ticking clock for all exchanges under way, in the place of several timers for each. */
import type { Clock, Instant } from "../base/clock.ts";

export interface Expiring {
  /** May be moved at any time. */
  readonly dueAt: Instant;
  /** Called once the clock is past `dueAt`, by up to a tick; the callee removes itself. */
  expire(): void;
  /** Called when no time is given any longer, for what is still there and for what comes after. */
  stop(): void;
}

export class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #watched = new Set<Expiring>();
  readonly #stop = new AbortController();
  #ticking = false;

  /** `tickMs` is how late a deadline may be noticed. */
  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
  }

  add(one: Expiring): void {
    if (this.#stop.signal.aborted) {
      one.stop();
      return;
    }
    this.#watched.add(one);
    if (!this.#ticking) void this.#tick();
  }

  delete(one: Expiring): void {
    this.#watched.delete(one);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    for (const one of this.#watched) one.stop();
  }

  async #tick(): Promise<void> {
    this.#ticking = true;
    while (this.#watched.size > 0 && !this.#stop.signal.aborted) {
      await this.#clock.sleep(this.#tickMs, this.#stop.signal);
      const now = this.#clock.now();
      for (const one of this.#watched) if (one.dueAt <= now) one.expire();
    }
    this.#ticking = false;
  }
}
