/**
 * URL ids of one host and priority class: a FIFO of those admitted to it, of which head and tail are in memory and the
 * middle is on disk in chunks; beside it one of those that come back, each behind all that were admitted before it came.
 * What the host's short list has given out stays in its place, and is passed over when its turn comes (`Places`).
 *
 * Invariant (recovery rests on it): ids grow from head to tail, and those on disk are one unbroken run of the queue.
 * So the ids of a queue that have not ended and are in no chunk are: smaller than the first id on disk, the head;
 * greater than the last, the tail.
 */
import { strideOf } from "../../model/link.ts";
import { BLOCK, type IdBlocks, NO_BLOCK } from "./id-blocks.ts";
import { type Return, Returns, type ReturnsStore } from "./returns.ts";

/** Ids in a chunk. */
const CHUNK = 64;
const BLOCKS_OF_CHUNK = CHUNK / BLOCK;

/** Where chunks are kept, and what comes back. */
export interface ChunkStore extends ReturnsStore {
  /** Reads a chunk and has it removed with the next transaction. */
  take(hostId: number, priority: number, seq: number): ArrayLike<number>;
  write(hostId: number, priority: number, seq: number, ids: Uint32Array): void;
}

/** Which URLs still wait where they were admitted. */
export interface Places {
  waits(id: number): boolean;
  /** Takes a URL from its place; false when it is not there any more. */
  leave(id: number): boolean;
}

export class ChunkedQueue {
  readonly priority: number;
  /** The host's queue of the next class that it has; null behind the last. */
  below: ChunkedQueue | null = null;
  /** The host's time at which the next id is served. */
  turn: number;
  readonly #blocks: IdBlocks;
  readonly #hostId: number;
  /** The first block of the head, where in it the next id is, and how many there are. */
  #head = NO_BLOCK;
  #headAt = 0;
  #headCount = 0;
  /** First and last block of the tail. All of its blocks but the last are full. */
  #tail = NO_BLOCK;
  #tailLast = NO_BLOCK;
  #tailCount = 0;
  /** Chunks on disk: from `#first`, before `#next`. */
  #first = 0;
  #next = 0;
  /** Those that are in their place. */
  #waiting = 0;
  /** Those that come back; null when there are none, as is nearly always so. */
  #returns: Returns | null = null;

  constructor(blocks: IdBlocks, hostId: number, priority: number) {
    this.#blocks = blocks;
    this.#hostId = hostId;
    this.priority = priority;
    this.turn = strideOf(priority);
  }

  /** Only when a queue is found again: the chunks on disk, from `first`, before `next`. */
  restore(first: number, next: number): void {
    this.#first = first;
    this.#next = next;
  }

  get isEmpty(): boolean {
    return this.#waiting === 0 && this.#returns === null;
  }

  push(id: number): void {
    this.#waiting++;
    const at = this.#tailCount % BLOCK;
    if (at === 0) {
      const block = this.#blocks.take();
      if (this.#tailCount === 0) this.#tail = block;
      else this.#blocks.link(this.#tailLast, block);
      this.#tailLast = block;
    }
    this.#blocks.ids[this.#tailLast * BLOCK + at] = id;
    this.#tailCount++;
  }

  /** Only when a queue is found again: an id before the first chunk, behind those given before. */
  restoreHead(id: number): void {
    this.#waiting++;
    this.#pushHead(id);
  }

  #pushHead(id: number): void {
    const at = this.#headCount % BLOCK;
    if (at === 0) {
      const block = this.#blocks.take();
      if (this.#headCount === 0) this.#head = block;
      else this.#blocks.link(this.#lastOf(this.#head), block);
    }
    this.#blocks.ids[this.#lastOf(this.#head) * BLOCK + at] = id;
    this.#headCount++;
  }

  /** Only when a queue is found again: so many wait in its chunks. */
  countInChunks(ids: number): void {
    this.#waiting += ids;
  }

  /** What `shift` gives next, if that is in memory; else 0. */
  peek(places: Places): number {
    if (this.#returns !== null) return 0;
    for (; this.#headCount > 0; this.#shiftHead()) {
      const id = this.#blocks.ids[this.#head * BLOCK + this.#headAt]!;
      if (places.waits(id)) return id;
    }
    const id = this.#first === this.#next && this.#tailCount > 0 ? this.#blocks.ids[this.#tail * BLOCK]! : 0;
    return id !== 0 && places.waits(id) ? id : 0;
  }

  /** The next id, or 0 when the queue is empty. */
  shift(chunks: ChunkStore, places: Places): number {
    return this.#shiftReturn(chunks, places) || this.#shiftOwn(chunks, places);
  }

  #shiftOwn(chunks: ChunkStore, places: Places): number {
    while (this.#headCount > 0 || this.#refill(chunks)) {
      const id = this.#shiftHead();
      if (!places.leave(id)) continue;
      this.#waiting--;
      return id;
    }
    return 0;
  }

  /** Of a queue in which nothing waits any more: drops the places that were left, in memory and on disk. */
  clear(chunks: ChunkStore): void {
    while (this.#headCount > 0 || this.#refill(chunks)) this.#shiftHead();
  }

  #shiftHead(): number {
    const id = this.#blocks.ids[this.#head * BLOCK + this.#headAt]!;
    this.#headAt++;
    this.#headCount--;
    if (this.#headAt === BLOCK || this.#headCount === 0) {
      this.#head = this.#blocks.drop(this.#head);
      this.#headAt = 0;
    }
    return id;
  }

  /** The next of those that come back, if it is before what was admitted; else 0. */
  #shiftReturn(chunks: ChunkStore, places: Places): number {
    if (this.#returns === null) return 0;
    const { id, behind } = this.#returns.first(chunks);
    const own = this.#firstOwn(chunks, places);
    if (own !== 0 && own <= behind) return 0;
    this.#returns.shift();
    if (this.#returns.isEmpty) this.#returns = null;
    return id;
  }

  /** The next of those admitted; 0 when there is none. */
  #firstOwn(chunks: ChunkStore, places: Places): number {
    while (this.#headCount > 0 || this.#refill(chunks)) {
      const id = this.#blocks.ids[this.#head * BLOCK + this.#headAt]!;
      if (places.waits(id)) return id;
      this.#shiftHead();
    }
    return 0;
  }

  /** Takes in one that comes back; it has been put on disk. */
  comeBack(one: Return): void {
    this.#returns ??= new Returns(this.#hostId, this.priority);
    this.#returns.push(one);
  }

  /** Only when a queue is found again: so many that come back are on disk. */
  restoreReturns(count: number): void {
    this.#returns = new Returns(this.#hostId, this.priority, count);
  }

  /** Something has left its place here before its turn. */
  lose(): void {
    this.#waiting--;
  }

  /** True when the tail is long enough for `spill` to do something. */
  get isLong(): boolean {
    return this.#tailCount >= CHUNK;
  }

  /** Writes whole chunks of the tail to disk, so that what is left in memory is less than one. */
  spill(chunks: ChunkStore): void {
    while (this.#tailCount >= CHUNK) {
      this.#tailCount -= CHUNK;
      if (this.#headCount === 0 && this.#first === this.#next) this.#cutHead();
      else chunks.write(this.#hostId, this.priority, this.#next++, this.#cutChunk());
    }
  }

  /** The first chunk of the tail is the head from now on. */
  #cutHead(): void {
    const blocks = this.#blocks;
    this.#head = this.#tail;
    this.#headAt = 0;
    this.#headCount = CHUNK;
    let last = this.#tail;
    for (let i = 1; i < BLOCKS_OF_CHUNK; i++) last = blocks.next(last);
    this.#tail = blocks.next(last);
    blocks.link(last, NO_BLOCK);
  }

  /** The first chunk of the tail, taken from it. */
  #cutChunk(): Uint32Array {
    const chunk = new Uint32Array(CHUNK);
    for (let i = 0; i < BLOCKS_OF_CHUNK; i++) {
      const at = this.#tail * BLOCK;
      chunk.set(this.#blocks.ids.subarray(at, at + BLOCK), i * BLOCK);
      this.#tail = this.#blocks.drop(this.#tail);
    }
    return chunk;
  }

  #refill(chunks: ChunkStore): boolean {
    if (this.#first < this.#next) {
      const ids = chunks.take(this.#hostId, this.priority, this.#first++);
      for (let i = 0; i < ids.length; i++) this.#pushHead(ids[i]!);
    } else if (this.#tailCount > 0) {
      this.#head = this.#tail;
      this.#headCount = this.#tailCount;
      this.#tailCount = 0;
    } else return false;
    return true;
  }

  #lastOf(list: number): number {
    let last = list;
    for (let next = this.#blocks.next(last); next !== NO_BLOCK; next = this.#blocks.next(last)) last = next;
    return last;
  }
}
