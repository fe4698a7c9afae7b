/**
 * The queues of all hosts, by number: each holds the URL ids of one host and priority class. A queue is a FIFO of those
 * admitted to it, of which head and tail are in memory and the middle is on disk in chunks; beside it is one of those that
 * come back, each behind all that were admitted before it came. What the host's short list has given out stays in its place, and is
 * passed over when its turn comes (`Places`).
 *
 * What memory holds of a queue is a row of numbers in one typed array, a cache line, and its ids are in `IdBlocks`: nearly
 * every link leads to a queue somewhere in memory, and hundreds of thousands of objects are work for the collector of garbage.
 *
 * Invariant (recovery rests on it): ids grow from head to tail, and those on disk are one unbroken run of the queue.
 * So the ids of a queue that have not ended and are in no chunk are: smaller than the first id on disk, the head;
 * greater than the last, the tail.
 */
import { strideOf } from "../../model/link.ts";
import { BLOCK, IdBlocks, NO_BLOCK } from "./id-blocks.ts";
import { type Return, Returns, type ReturnsStore } from "./returns.ts";

/** Ids in a chunk. */
const CHUNK = 64;
const BLOCKS_OF_CHUNK = CHUNK / BLOCK;

/** No queue has this number. */
export const NO_QUEUE = 0;

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

/** Words of a row. */
const ROW = 16;
const HOST = 0;
const CLASS = 1;
/** The queue of the host's next class; of a free row the next free one. */
const BELOW = 2;
/** Ids in their place, wherever they are. */
const WAITING = 3;
/** The first block of the head, where in it the next id is, and how many there are. */
const HEAD = 4;
const HEAD_AT = 5;
const HEAD_COUNT = 6;
/** First and last block of the tail. All of its blocks but the last are full. */
const TAIL = 7;
const TAIL_LAST = 8;
const TAIL_COUNT = 9;
/** Chunks on disk: from `FIRST`, before `NEXT`. */
const FIRST = 10;
const NEXT = 11;
/** A double, so at an even word: the host's time at which the next id is served. */
const TURN = 12;
const ROW_OF_DOUBLES = ROW / 2;
const TURN_OF_DOUBLES = TURN / 2;

const FIRST_ROWS = 64;
const GROWTH = 1.25;

export class Queues {
  readonly #blocks = new IdBlocks();
  #words = new Uint32Array(FIRST_ROWS * ROW);
  /** The same memory. */
  #turns = new Float64Array(this.#words.buffer);
  #free = NO_QUEUE;
  /** Rows from here on were never used. */
  #unused = NO_QUEUE + 1;
  /** Those that come back, of queues that have some, as few do. */
  readonly #returns = new Map<number, Returns>();

  /** Blocks of ids that queues hold. */
  get blocks(): number {
    return this.#blocks.inUse;
  }

  /** An empty queue, before that of the host's next class. */
  make(hostId: number, priority: number, below: number): number {
    let queue = this.#free;
    if (queue === NO_QUEUE) {
      if ((this.#unused + 1) * ROW > this.#words.length) this.#grow();
      queue = this.#unused++;
    } else this.#free = this.#words[queue * ROW + BELOW]!;
    const row = queue * ROW;
    this.#words.fill(0, row, row + ROW);
    this.#words[row + HOST] = hostId;
    this.#words[row + CLASS] = priority;
    this.#words[row + BELOW] = below;
    this.setTurn(queue, strideOf(priority));
    return queue;
  }

  /** Of a queue in which nothing waits any more: drops the places that were left, in memory and on disk, and gives up its number. */
  remove(queue: number, chunks: ChunkStore): void {
    while (this.#hasHead(queue, chunks)) this.#shiftHead(queue);
    this.#words[queue * ROW + BELOW] = this.#free;
    this.#free = queue;
  }

  priorityOf(queue: number): number {
    return this.#words[queue * ROW + CLASS]!;
  }

  /** The queue of the host's next class. */
  below(queue: number): number {
    return this.#words[queue * ROW + BELOW]!;
  }

  setBelow(queue: number, below: number): void {
    this.#words[queue * ROW + BELOW] = below;
  }

  turnOf(queue: number): number {
    return this.#turns[queue * ROW_OF_DOUBLES + TURN_OF_DOUBLES]!;
  }

  setTurn(queue: number, turn: number): void {
    this.#turns[queue * ROW_OF_DOUBLES + TURN_OF_DOUBLES] = turn;
  }

  /** Only when a queue is found again: the chunks on disk, from `first`, before `next`. */
  restore(queue: number, first: number, next: number): void {
    this.#words[queue * ROW + FIRST] = first;
    this.#words[queue * ROW + NEXT] = next;
  }

  isEmpty(queue: number): boolean {
    return this.#words[queue * ROW + WAITING] === 0 && !this.#comesBack(queue);
  }

  /** True when the tail has become long enough for `spill` to do something. */
  push(queue: number, id: number): boolean {
    const words = this.#words;
    const row = queue * ROW;
    words[row + WAITING]!++;
    const count = words[row + TAIL_COUNT]!;
    const at = count % BLOCK;
    if (at === 0) {
      const block = this.#blocks.take();
      if (count === 0) words[row + TAIL] = block;
      else this.#blocks.link(words[row + TAIL_LAST]!, block);
      words[row + TAIL_LAST] = block;
    }
    this.#blocks.ids[words[row + TAIL_LAST]! * BLOCK + at] = id;
    words[row + TAIL_COUNT] = count + 1;
    return count + 1 >= CHUNK;
  }

  /** Only when a queue is found again: an id before the first chunk, behind those given before. */
  restoreHead(queue: number, id: number): void {
    this.#words[queue * ROW + WAITING]!++;
    this.#pushHead(queue, id);
  }

  #pushHead(queue: number, id: number): void {
    const words = this.#words;
    const row = queue * ROW;
    const count = words[row + HEAD_COUNT]!;
    const at = count % BLOCK;
    if (at === 0) {
      const block = this.#blocks.take();
      if (count === 0) words[row + HEAD] = block;
      else this.#blocks.link(this.#lastOf(words[row + HEAD]!), block);
    }
    this.#blocks.ids[this.#lastOf(words[row + HEAD]!) * BLOCK + at] = id;
    words[row + HEAD_COUNT] = count + 1;
  }

  /** Only when a queue is found again: so many wait in its chunks. */
  countInChunks(queue: number, ids: number): void {
    this.#words[queue * ROW + WAITING]! += ids;
  }

  /** What `shift` gives next, if that is in memory; else 0. */
  peek(queue: number, places: Places): number {
    if (this.#comesBack(queue)) return 0;
    const words = this.#words;
    const row = queue * ROW;
    for (; words[row + HEAD_COUNT]! > 0; this.#shiftHead(queue)) {
      const id = this.#headOf(queue);
      if (places.waits(id)) return id;
    }
    if (words[row + FIRST] !== words[row + NEXT] || words[row + TAIL_COUNT] === 0) return 0;
    const id = this.#blocks.ids[words[row + TAIL]! * BLOCK]!;
    return places.waits(id) ? id : 0;
  }

  /** The next id, or 0 when the queue is empty. */
  shift(queue: number, chunks: ChunkStore, places: Places): number {
    return this.#shiftReturn(queue, chunks, places) || this.#shiftOwn(queue, chunks, places);
  }

  #shiftOwn(queue: number, chunks: ChunkStore, places: Places): number {
    while (this.#hasHead(queue, chunks)) {
      const id = this.#shiftHead(queue);
      if (!places.leave(id)) continue;
      this.lose(queue);
      return id;
    }
    return 0;
  }

  #headOf(queue: number): number {
    const row = queue * ROW;
    return this.#blocks.ids[this.#words[row + HEAD]! * BLOCK + this.#words[row + HEAD_AT]!]!;
  }

  #shiftHead(queue: number): number {
    const words = this.#words;
    const row = queue * ROW;
    const id = this.#headOf(queue);
    words[row + HEAD_AT]!++;
    words[row + HEAD_COUNT]!--;
    if (words[row + HEAD_AT] === BLOCK || words[row + HEAD_COUNT] === 0) {
      words[row + HEAD] = this.#blocks.drop(words[row + HEAD]!);
      words[row + HEAD_AT] = 0;
    }
    return id;
  }

  #comesBack(queue: number): boolean {
    return this.#returns.size > 0 && this.#returns.has(queue);
  }

  /** The next of those that come back, if it is before what was admitted; else 0. */
  #shiftReturn(queue: number, chunks: ChunkStore, places: Places): number {
    if (!this.#comesBack(queue)) return 0;
    const returns = this.#returns.get(queue)!;
    const { id, behind } = returns.first(chunks);
    const own = this.#firstOwn(queue, chunks, places);
    if (own !== 0 && own <= behind) return 0;
    returns.shift();
    if (returns.isEmpty) this.#returns.delete(queue);
    return id;
  }

  /** The next of those admitted; 0 when there is none. */
  #firstOwn(queue: number, chunks: ChunkStore, places: Places): number {
    for (; this.#hasHead(queue, chunks); this.#shiftHead(queue)) {
      const id = this.#headOf(queue);
      if (places.waits(id)) return id;
    }
    return 0;
  }

  /** Takes in one that comes back; it has been put on disk. */
  comeBack(queue: number, one: Return): void {
    if (!this.#comesBack(queue)) this.restoreReturns(queue, 0);
    this.#returns.get(queue)!.push(one);
  }

  /** So many that come back are on disk. */
  restoreReturns(queue: number, count: number): void {
    const row = queue * ROW;
    this.#returns.set(queue, new Returns(this.#words[row + HOST]!, this.#words[row + CLASS]!, count));
  }

  /** Something has left its place here. */
  lose(queue: number): void {
    this.#words[queue * ROW + WAITING]!--;
  }

  /** Writes whole chunks of the tail to disk, so that what is left in memory is less than one. */
  spill(queue: number, chunks: ChunkStore): void {
    const words = this.#words;
    const row = queue * ROW;
    while (words[row + TAIL_COUNT]! >= CHUNK) {
      words[row + TAIL_COUNT]! -= CHUNK;
      if (words[row + HEAD_COUNT] === 0 && words[row + FIRST] === words[row + NEXT]) this.#cutHead(row);
      else chunks.write(words[row + HOST]!, words[row + CLASS]!, words[row + NEXT]!++, this.#cutChunk(row));
    }
  }

  /** The first chunk of the tail is the head from now on. */
  #cutHead(row: number): void {
    const words = this.#words;
    const blocks = this.#blocks;
    words[row + HEAD] = words[row + TAIL]!;
    words[row + HEAD_AT] = 0;
    words[row + HEAD_COUNT] = CHUNK;
    let last = words[row + TAIL]!;
    for (let i = 1; i < BLOCKS_OF_CHUNK; i++) last = blocks.next(last);
    words[row + TAIL] = blocks.next(last);
    blocks.link(last, NO_BLOCK);
  }

  /** The first chunk of the tail, taken from it. */
  #cutChunk(row: number): Uint32Array {
    const chunk = new Uint32Array(CHUNK);
    for (let i = 0; i < BLOCKS_OF_CHUNK; i++) {
      const at = this.#words[row + TAIL]! * BLOCK;
      chunk.set(this.#blocks.ids.subarray(at, at + BLOCK), i * BLOCK);
      this.#words[row + TAIL] = this.#blocks.drop(this.#words[row + TAIL]!);
    }
    return chunk;
  }

  /** Whether there is a head: of one that has come to its end, what follows is made the next. */
  #hasHead(queue: number, chunks: ChunkStore): boolean {
    const words = this.#words;
    const row = queue * ROW;
    if (words[row + HEAD_COUNT]! > 0) return true;
    if (words[row + FIRST]! < words[row + NEXT]!) {
      const ids = chunks.take(words[row + HOST]!, words[row + CLASS]!, words[row + FIRST]!++);
      for (let i = 0; i < ids.length; i++) this.#pushHead(queue, ids[i]!);
    } else if (words[row + TAIL_COUNT]! > 0) {
      words[row + HEAD] = words[row + TAIL]!;
      words[row + HEAD_COUNT] = words[row + TAIL_COUNT]!;
      words[row + TAIL_COUNT] = 0;
    } else return false;
    return true;
  }

  #lastOf(list: number): number {
    let last = list;
    for (let next = this.#blocks.next(last); next !== NO_BLOCK; next = this.#blocks.next(last)) last = next;
    return last;
  }

  #grow(): void {
    const words = new Uint32Array(Math.ceil((this.#words.length / ROW) * GROWTH) * ROW);
    words.set(this.#words);
    this.#words = words;
    this.#turns = new Float64Array(words.buffer);
  }
}
