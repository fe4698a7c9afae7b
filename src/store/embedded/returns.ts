/**
 * URLs of one host and priority class that have ended and come back, in the order in which they came. All are on disk; the
 * first of them are in memory, all as long as they are few.
 */

/** So many are in memory at most. */
const IN_MEMORY = 64;

export interface Return {
  readonly id: number;
  /** Grows from one that comes back to the next. */
  readonly seq: number;
  /** The id of the URL admitted last before it came: it is behind that. */
  readonly behind: number;
}

/** Where they are kept. */
export interface ReturnsStore {
  /** Up to `max` of those behind `seq` that have not been given out, in order. */
  returnsAfter(hostId: number, priority: number, seq: number, max: number): readonly Return[];
}

export class Returns {
  readonly #hostId: number;
  readonly #priority: number;
  #count: number;
  /** The first of them. */
  #head: Return[] = [];
  /** The `seq` of the last that was in memory. */
  #last = 0;

  /** `count`: so many are on disk. */
  constructor(hostId: number, priority: number, count = 0) {
    this.#hostId = hostId;
    this.#priority = priority;
    this.#count = count;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  push(one: Return): void {
    if (this.#head.length === this.#count && this.#count < IN_MEMORY) this.#keep([one]);
    this.#count++;
  }

  /** The next; there is one. */
  first(store: ReturnsStore): Return {
    if (this.#head.length === 0) this.#keep(store.returnsAfter(this.#hostId, this.#priority, this.#last, IN_MEMORY));
    const [first] = this.#head;
    if (first === undefined) throw new Error(`host ${this.#hostId} should have ${this.#count} URLs that come back`);
    return first;
  }

  /** Takes the one that `first` has given. */
  shift(): void {
    this.#head.shift();
    this.#count--;
  }

  #keep(more: readonly Return[]): void {
    this.#head.push(...more);
    this.#last = this.#head.at(-1)?.seq ?? this.#last;
  }
}
