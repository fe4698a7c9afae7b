/**
 * Calls that Redis has answered and that no replica is known to have: WAIT speaks of what came over the same connection
 * alone. When a connection has broken in between, a master may have died with them, and they are made again.
 */

interface Unconfirmed {
  /** Of the connections that it was made over. */
  epoch: number;
  readonly again: () => Promise<unknown>;
}

export class UnconfirmedCalls {
  readonly #calls = new Set<Unconfirmed>();
  #epoch = 0;

  get epoch(): number {
    return this.#epoch;
  }

  /** A connection has broken, or another master is spoken to. */
  broken(): void {
    this.#epoch++;
  }

  /** Made at `epoch`, and answered. `again` makes it again, and must come to the same then. */
  add(epoch: number, again: () => Promise<unknown>): void {
    this.#calls.add({ epoch, again });
  }

  /** Returns when replicas have all that was answered before; `wait` sees to it for what came over today's connections. */
  async confirm(wait: () => Promise<void>): Promise<void> {
    for (;;) {
      const before = this.#epoch;
      const calls = [...this.#calls];
      for (const call of calls) {
        const epoch = this.#epoch;
        if (call.epoch === epoch) continue;
        await call.again();
        call.epoch = epoch;
      }
      await wait();
      if (this.#epoch !== before) continue;
      for (const call of calls) this.#calls.delete(call);
      return;
    }
  }
}
