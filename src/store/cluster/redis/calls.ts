/** Calls to Redis: how many were answered, by verb or command, and how long that took. */

export interface CallCount {
  answered: number;
  /** From when they were made to their answer, waiting for a master that was away included. */
  ms: number;
}

export class Calls {
  readonly #byName = new Map<string, CallCount>();
  /** When each call began that has no answer yet, the oldest first. */
  readonly #underWay = new Set<{ readonly began: number }>();

  get byName(): ReadonlyMap<string, Readonly<CallCount>> {
    return this.#byName;
  }

  /** For how long the oldest call has had no answer, in ms; 0 when each has one. */
  get waitedMs(): number {
    for (const { began } of this.#underWay) return performance.now() - began;
    return 0;
  }

  async count<T>(name: string, work: () => Promise<T>): Promise<T> {
    const call = { began: performance.now() };
    this.#underWay.add(call);
    try {
      const answer = await work();
      this.#answered(name, performance.now() - call.began);
      return answer;
    } finally {
      this.#underWay.delete(call);
    }
  }

  #answered(name: string, ms: number): void {
    const before = this.#byName.get(name);
    if (before === undefined) this.#byName.set(name, { answered: 1, ms });
    else {
      before.answered++;
      before.ms += ms;
    }
  }
}
