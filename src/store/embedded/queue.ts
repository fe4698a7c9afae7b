/**
 * A FIFO of URL ids, one a host and priority class. Head and tail are in memory, the middle is on disk in chunks.
 *
 * Invariant (recovery rests on it): ids grow from head to tail, and those on disk are one unbroken run of the queue.
 * So the ids of a queue that have not ended and are in no chunk are: smaller than the first id on disk, the head;
 * greater than the last, the tail.
 */
import { strideOf } from "../../model/link.ts";

/** Ids in a chunk. */
const CHUNK = 64;

/** Where chunks are kept. */
export interface ChunkStore {
  /** Reads a chunk and has it removed with the next transaction. */
  take(hostId: number, priority: number, seq: number): ArrayLike<number>;
  write(hostId: number, priority: number, seq: number, ids: Uint32Array): void;
}

const NONE: readonly number[] = [];

export class ChunkedQueue {
  readonly #hostId: number;
  readonly #priority: number;
  #head: ArrayLike<number> = NONE;
  #headAt = 0;
  /** Chunks on disk: from `#first`, before `#next`. */
  #first: number;
  #next: number;
  #tail: number[] = [];
  /** The host's time at which the next id is served. */
  turn: number;

  /** `first` and `next`: the range of chunks on disk, for a queue that is found again. */
  constructor(hostId: number, priority: number, first = 0, next = 0) {
    this.#hostId = hostId;
    this.#priority = priority;
    this.turn = strideOf(priority);
    this.#first = first;
    this.#next = next;
  }

  get isEmpty(): boolean {
    return this.#headAt === this.#head.length && this.#first === this.#next && this.#tail.length === 0;
  }

  push(id: number): void {
    this.#tail.push(id);
  }

  /** Only when a queue is found again: ids before the first chunk, in order. */
  pushHead(id: number): void {
    if (this.#head === NONE) this.#head = [id];
    else (this.#head as number[]).push(id);
  }

  /** The next id, or 0 when the queue is empty. */
  shift(chunks: ChunkStore): number {
    if (this.#headAt === this.#head.length && !this.#refill(chunks)) return 0;
    return this.#head[this.#headAt++]!;
  }

  /** True when the tail is long enough for `spill` to do something. */
  get isLong(): boolean {
    return this.#tail.length >= CHUNK;
  }

  /** Writes whole chunks of the tail to disk, so that what is left in memory is less than one. */
  spill(chunks: ChunkStore): void {
    let from = 0;
    if (this.#headAt === this.#head.length && this.#first === this.#next) {
      this.#head = this.#tail.slice(0, CHUNK);
      this.#headAt = 0;
      from = CHUNK;
    }
    for (; this.#tail.length - from >= CHUNK; from += CHUNK)
      chunks.write(this.#hostId, this.#priority, this.#next++, new Uint32Array(this.#tail.slice(from, from + CHUNK)));
    // A new array: `splice` would keep the room of the long one.
    if (from > 0) this.#tail = this.#tail.slice(from);
  }

  #refill(chunks: ChunkStore): boolean {
    if (this.#first < this.#next) {
      this.#head = chunks.take(this.#hostId, this.#priority, this.#first++);
    } else if (this.#tail.length > 0) {
      this.#head = this.#tail;
      this.#tail = [];
    } else {
      this.#head = NONE;
      this.#headAt = 0;
      return false;
    }
    this.#headAt = 0;
    return true;
  }
}
