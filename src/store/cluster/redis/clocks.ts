/**
 * The difference between this machine's clock and that of the cluster. Leases and hosts' clocks are told by the clocks of
 * crawlers, so these must agree; what must be exact between crawlers is corrected by it.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { ClusterError, unlessAway } from "./errors.ts";

/** With more nobody takes part in a crawl, in ms; half of it is said while one does. */
const MOST_MS = 2_000;
const MEASURE_EVERY_MS = 60_000;

export interface TimeDifferenceParts {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** The answer to TIME, straight away. */
  readonly ask: () => Promise<readonly [seconds: string, microseconds: string]>;
  /** Does the work again until it goes well (Patience). */
  readonly wait: (work: () => Promise<void>) => Promise<void>;
}

export class TimeDifference implements AsyncDisposable {
  readonly #parts: TimeDifferenceParts;
  readonly #closing = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #aheadMs = 0;

  constructor(parts: TimeDifferenceParts) {
    this.#parts = parts;
  }

  /** By how much the cluster's time is ahead, in ms; 0 when it is less than the way there and back takes. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  async measure(): Promise<void> {
    await this.#parts.wait(() => this.#measure());
  }

  /** Measures now and then, and says when the clocks drift apart. */
  watch(): void {
    this.#watching = this.#watch();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#watching;
  }

  async #measure(): Promise<void> {
    const { clock, ask } = this.#parts;
    const before = clock.now();
    const [seconds, microseconds] = await ask();
    const after = clock.now();
    const ahead = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - (before + after) / 2;
    // Clocks that tell whole ms may each be off by one.
    this.#aheadMs = Math.abs(ahead) <= (after - before) / 2 + 1 ? 0 : Math.round(ahead);
  }

  async #watch(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#closing;
    let isApart = false;
    for (;;) {
      await clock.sleep(MEASURE_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.measure().catch(unlessAway);
      const wasApart = isApart;
      isApart = Math.abs(this.#aheadMs) > MOST_MS / 2;
      if (isApart && !wasApart) log.warn({ aheadMs: this.#aheadMs }, "clocks-apart");
    }
  }
}

/** @throws ClusterError "refused" when crawlers whose clocks differ so much would not keep their distance. */
export function mustAgree({ aheadMs }: Pick<TimeDifference, "aheadMs">): void {
  if (Math.abs(aheadMs) <= MOST_MS) return;
  const which = aheadMs > 0 ? "behind" : "ahead of";
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  const words = `the clock of this machine is ${seconds} s ${which} that of Redis; set both by a time server (NTP)`;
  throw new ClusterError("refused", words);
}
