/** A host with URLs pending, as memory holds it: its queues, its clock and its counts. */
import type { Instant } from "../../base/clock.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import { SHORT_LIST_TURNS, strideOf } from "../../model/link.ts";
import type { IdBlocks } from "./id-blocks.ts";
import { ChunkedQueue, type ChunkStore } from "./queue.ts";
import type { Return } from "./returns.ts";
import { ShortList } from "./short-list.ts";
import type { UrlStates } from "./url-states.ts";

export class ActiveHost {
  readonly id: number;
  readonly name: HostKey;
  /** No lease before. */
  readyAt: Instant;
  tier: number;
  /** URLs admitted and not ended: queued + leased + delayed. */
  pending = 0;
  queued = 0;
  leased = 0;
  /** Among active hosts: see `HostPlaces`. */
  number = -1;
  /** What politeness remembers; undefined until it was read from disk. */
  state: HostState | null | undefined = undefined;
  /** Ids given back, which go before all others; null when there are none, as is nearly always so. */
  #returned: number[] | null = null;
  readonly #blocks: IdBlocks;
  /** The queue of the first class that it has; the others hang below, in order of class. */
  #first: ChunkedQueue | null = null;
  /** The turn of a class that was served last (promise 4 of the port). */
  #time = 0;
  /** Null when nothing is on it. */
  #short: ShortList | null = null;
  /** Turns that it has had since a class had one. */
  #shortTurns = 0;

  constructor(id: number, name: HostKey, readyAt: Instant, tier: number, blocks: IdBlocks) {
    this.#blocks = blocks;
    this.id = id;
    this.name = name;
    this.readyAt = readyAt;
    this.tier = tier;
  }

  /** The queue of a class; made when it is missing. */
  queue(priority: number): ChunkedQueue {
    let above: ChunkedQueue | null = null;
    let queue = this.#first;
    while (queue !== null && queue.priority < priority) {
      above = queue;
      queue = queue.below;
    }
    if (queue !== null && queue.priority === priority) return queue;
    const made = new ChunkedQueue(this.#blocks, this.id, priority);
    made.below = queue;
    if (above === null) this.#first = made;
    else above.below = made;
    return made;
  }

  push(id: number, priority: number): ChunkedQueue {
    const queue = this.#open(priority);
    queue.push(id);
    this.queued++;
    return queue;
  }

  /** The queue of a class that is about to get a URL. */
  #open(priority: number): ChunkedQueue {
    const queue = this.queue(priority);
    if (!queue.isEmpty) return queue;
    if (this.#nextQueue() === null) this.#time = 0;
    queue.turn = this.#time + strideOf(priority);
    return queue;
  }

  /** Queues one that comes back; it has been put on disk. */
  comeBack(one: Return, priority: number): void {
    this.#open(priority).comeBack(one);
    this.queued++;
  }

  /** For the short list, behind `push`. */
  offer(id: number, level: number): void {
    this.#short ??= new ShortList();
    this.#short.offer(id, level);
  }

  /** Something that waits in a class has risen in cash. */
  raise(id: number, before: number, level: number): void {
    this.#short ??= new ShortList();
    this.#short.raise(id, before, level);
  }

  /** Back before all others. */
  unshift(id: number): void {
    if (this.#returned === null) this.#returned = [id];
    else this.#returned.unshift(id);
    this.queued++;
  }

  /** Behind those given back, before the classes. */
  pushReturned(id: number): void {
    if (this.#returned === null) this.#returned = [id];
    else this.#returned.push(id);
    this.queued++;
  }

  /** The next id; the caller has seen that `queued` is not 0. */
  shift(chunks: ChunkStore, states: UrlStates): number {
    this.queued--;
    if (this.#returned !== null) {
      const id = this.#returned.shift()!;
      if (this.#returned.length === 0) this.#returned = null;
      return id;
    }
    const short = this.#shortNext();
    if (short !== null) {
      this.#shortTurns++;
      return this.#shiftShort(short, states);
    }
    this.#shortTurns = 0;
    const next = this.#nextQueue();
    if (next === null) throw new Error(`host ${this.name} should have ${this.queued + 1} URLs queued and has none`);
    const id = next.shift(chunks, states);
    if (id === 0) throw new Error(`a queue of host ${this.name} counts more than it holds`);
    this.#time = next.turn;
    next.turn += strideOf(next.priority);
    this.#short?.remove(id);
    this.#letGo();
    return id;
  }

  /** Lets go of what its queues still hold: the places of what has left them. */
  clear(chunks: ChunkStore): void {
    for (let queue = this.#first; queue !== null; queue = queue.below) queue.clear(chunks);
  }

  /** The id that `shift` most likely gives next; 0 when memory does not know. */
  peek(states: UrlStates): number {
    return this.#returned?.[0] ?? this.#shortNext()?.peek() ?? this.#nextQueue()?.peek(states) ?? 0;
  }

  /** The short list, when it has the turn. */
  #shortNext(): ShortList | null {
    return this.#shortTurns < SHORT_LIST_TURNS ? this.#short : null;
  }

  #shiftShort(short: ShortList, states: UrlStates): number {
    const id = short.shift();
    if (!states.leave(id)) throw new Error(`the short list of host ${this.name} has ${id}, which does not wait`);
    this.queue(states.classOf(id)).lose();
    this.#letGo();
    return id;
  }

  #letGo(): void {
    if (this.#short?.isEmpty === true) this.#short = null;
  }

  /** The queue whose turn it is; null when all are empty. */
  #nextQueue(): ChunkedQueue | null {
    let next: ChunkedQueue | null = null;
    for (let queue = this.#first; queue !== null; queue = queue.below)
      if (!queue.isEmpty && (next === null || queue.turn < next.turn)) next = queue;
    return next;
  }
}
