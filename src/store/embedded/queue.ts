/**
 * A FIFO of URL ids, one a host and priority class. Head and tail are in memory, the middle is on disk in chunks.
 *
 * Invariant (recovery rests on it): ids grow from head to tail, and those on disk are one unbroken run of the queue.
 * So the ids of a queue that have not ended and are in no chunk are: smaller than the first id on disk, the head;
 * greater than the last, the tail.
 */
import { strideOf } from "../../model/link.ts";
import { BLOCK, type IdBlocks, NO_BLOCK } from "./id-blocks.ts";

/** Ids in a chunk. */
const CHUNK = 64;
const BLOCKS_OF_CHUNK = CHUNK / BLOCK;

/** Where chunks are kept. */
export interface ChunkStore {
  /** Reads a chunk and has it removed with the next transaction. */
  take(hostId: number, priority: number, seq: number): ArrayLike<number>;
  write(hostId: number, priority: number, seq: number, ids: Uint32Array): void;
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
    return this.#headCount === 0 && this.#tailCount === 0 && this.#first === this.#next;
  }

  push(id: number): void {
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
  pushHead(id: number): void {
    const at = this.#headCount % BLOCK;
    if (at === 0) {
      const block = this.#blocks.take();
      if (this.#headCount === 0) this.#head = block;
      else this.#blocks.link(this.#lastOf(this.#head), block);
    }
    this.#blocks.ids[this.#lastOf(this.#head) * BLOCK + at] = id;
    this.#headCount++;
  }

  /** The next id, or 0 when the queue is empty. */
  shift(chunks: ChunkStore): number {
    if (this.#headCount === 0 && !this.#refill(chunks)) return 0;
    const id = this.#blocks.ids[this.#head * BLOCK + this.#headAt]!;
    this.#headAt++;
    this.#headCount--;
    if (this.#headAt === BLOCK || this.#headCount === 0) {
      this.#head = this.#blocks.drop(this.#head);
      this.#headAt = 0;
    }
    return id;
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
      for (let i = 0; i < ids.length; i++) this.pushHead(ids[i]!);
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
