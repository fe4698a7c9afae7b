/**
 * Calls that Redis has answered and that no replica is known to have: WAIT speaks of what came over the same connection
 * alone. When a connection has broken in between, a master may have died with them, and they are made again, in their order:
 * of two that wrote the same, the later one stands.
 */

interface Unconfirmed {
  /** What it was about: order matters among calls of one key. */
  readonly key: string;
  /** Of the connections that it was made over. */
  epoch: number;
  readonly again: () => Promise<unknown>;
}

export class UnconfirmedCalls {
  /** In the order of their answers. */
  readonly #calls = new Set<Unconfirmed>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** While calls are made again none is made for the first time: it would come before what it came after. */
  #mending: Promise<void> | null = null;
  #epoch = 0;

  /** Grows when a connection breaks. */
  get epoch(): number {
    return this.#epoch;
  }

  /** A connection has broken, or another master is spoken to. */
  broken(): void {
    this.#epoch++;
  }

  /**
   * Makes a call about a key, which is unconfirmed once it is answered. `work` says each time that it tries; `again` makes it
   * again, and must come to the same then.
   */
  async make<T>(key: string, work: (begun: () => void) => Promise<T>, again: () => Promise<T>): Promise<T> {
    while (this.#mending !== null) await this.#mending;
    let epoch = 0;
    const answered = work(() => {
      epoch = this.#epoch;
    });
    this.#underWay.add(answered);
    try {
      const answer = await answered;
      this.#calls.add({ key, epoch, again });
      return answer;
    } finally {
      this.#underWay.delete(answered);
    }
  }

  /** Returns when replicas have all that was answered before; `wait` sees to it for what came over today's connections. */
  async confirm(wait: () => Promise<void>): Promise<void> {
    for (;;) {
      const before = this.#epoch;
      await this.#mend();
      const calls = [...this.#calls];
      await wait();
      if (this.#epoch !== before) continue;
      for (const call of calls) this.#calls.delete(call);
      return;
    }
  }

  /** Makes those again that came over connections that have broken, and what came after them about the same. */
  async #mend(): Promise<void> {
    if ([...this.#calls].every((call) => call.epoch === this.#epoch)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#mending = promise;
    try {
      await Promise.allSettled(this.#underWay);
      const again = new Set<string>();
      for (const call of this.#calls) {
        const epoch = this.#epoch;
        if (call.epoch === epoch && !again.has(call.key)) continue;
        again.add(call.key);
        await call.again();
        call.epoch = epoch;
      }
    } finally {
      this.#mending = null;
      resolve();
    }
  }
}
