/** What the crawl waits for, as its log tells it: a frontier or a store that is away, and since when. */
import type { Clock, Instant } from "../../base/clock.ts";

export type WaitedFor = "frontier" | "store";

interface Wait {
  /** By so many it is found to be away; nobody waits when it is 0. */
  waiting: number;
  since: Instant;
  /** Earlier waits together, in ms. */
  ms: number;
  /** For people. */
  why: string;
}

/** Each thread has its own patience with the store; all of a crawler have one with the frontier, which says once that it is over. */
const EVENTS: Readonly<Record<string, readonly [what: WaitedFor, is: "away" | "back"]>> = {
  "frontier-away": ["frontier", "away"],
  "frontier-full": ["frontier", "away"],
  "frontier-back": ["frontier", "back"],
  "store-away": ["store", "away"],
  "store-back": ["store", "back"],
};

export class Waits {
  readonly #clock: Pick<Clock, "now">;
  readonly #waits: Readonly<Record<WaitedFor, Wait>> = {
    frontier: { waiting: 0, since: 0, ms: 0, why: "" },
    store: { waiting: 0, since: 0, ms: 0, why: "" },
  };

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  heard(facts: object, event: string): void {
    const [what, is] = EVENTS[event] ?? [];
    if (what === undefined) return;
    const wait = this.#waits[what];
    const now = this.#clock.now();
    if (is === "away") {
      if (wait.waiting++ === 0) wait.since = now;
      wait.why = "error" in facts ? String(facts.error) : event;
      return;
    }
    if (wait.waiting === 0) return;
    wait.waiting = what === "frontier" ? 0 : wait.waiting - 1;
    // A frontier that is away is not spoken of at once; at its return it is said how long it was.
    const said = "ms" in facts && what === "frontier" ? Number(facts.ms) : 0;
    if (wait.waiting === 0) wait.ms += Math.max(now - wait.since, said);
  }

  isWaiting(what: WaitedFor): boolean {
    return this.#waits[what].waiting > 0;
  }

  /** In all, the wait that goes on included. */
  ms(what: WaitedFor): number {
    const { waiting, since, ms } = this.#waits[what];
    return ms + (waiting > 0 ? this.#clock.now() - since : 0);
  }

  /** What is waited for, and why; null when nothing is. */
  get says(): string | null {
    const waits = (Object.entries(this.#waits) as [WaitedFor, Wait][]).filter(([, { waiting }]) => waiting > 0);
    return waits.length === 0 ? null : waits.map(([what, { why }]) => `waits for the ${what}: ${why}`).join("; ");
  }
}
