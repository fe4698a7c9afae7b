/** Calls to Redis: how many were answered, by verb or command, and how long that took. */

export interface CallCount {
  answered: number;
  /** From when they were made to their answer, waiting for a master that was away included. */
  ms: number;
}

export class Calls {
  readonly #byName = new Map<string, CallCount>();

  get byName(): ReadonlyMap<string, Readonly<CallCount>> {
    return this.#byName;
  }

  async count<T>(name: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const answer = await work();
    const before = this.#byName.get(name);
    const ms = performance.now() - began;
    if (before === undefined) this.#byName.set(name, { answered: 1, ms });
    else {
      before.answered++;
      before.ms += ms;
    }
    return answer;
  }
}
