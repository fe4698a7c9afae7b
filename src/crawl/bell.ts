/** Lets the loop sleep until something has happened. A ring while nobody waits is remembered. */
import type { Clock } from "../base/clock.ts";

/** Given as a reason, since without one each abort would make an exception with a stack trace. */
const RUNG = "rung";

export class Bell {
  readonly #clock: Clock;
  #rung = false;
  #sleeper: AbortController | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#sleeper?.abort(RUNG);
  }

  /** Returns after a ring, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#rung) {
      this.#sleeper = new AbortController();
      await this.#clock.sleep(ms, this.#sleeper.signal);
      this.#sleeper = null;
    }
    this.#rung = false;
  }
}
